#include <gtest/gtest.h>

#include <string>

#include "support/expect_error.hpp"
#include "support/random_records.hpp"

namespace adoc {
namespace {

using testkit::expect_corrupt;
using Octets = std::initializer_list<std::uint8_t>;

/// The fields of an entry as a peer may write them, valid until a test spoils one.
struct RawEntry {
  std::uint8_t kind = 1;
  std::uint8_t flags = 0;
  std::string name = "f";
  std::uint64_t mode = 0644;
  std::uint64_t nanoseconds = 0;
  std::vector<std::uint64_t> numbers{5};  ///< size and extents
  std::string target{};

  [[nodiscard]] Bytes bytes() const {
    Bytes bytes;
    ByteWriter out(bytes);
    out.u8(kind);
    out.u8(flags);
    out.string(name);
    out.varint(mode);
    out.signed_varint(0);
    out.varint(nanoseconds);
    for (const std::uint64_t number : numbers) out.varint(number);
    if (kind == 3) out.string(target);
    return bytes;
  }
};

void refuses(std::string_view why, const RawEntry& entry) {
  expect_corrupt(why, [&] { static_cast<void>(decode_manifest(entry.bytes())); });
}

TEST(ManifestTest, FullBatchesComeBack) {
  // Goal: as many entries as a batch may have, of every kind, in their order.
  auto rng = testkit::seeded_rng();
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < kMaxBatchEntries; ++i)
    entries.push_back(testkit::random_record<testkit::EntryRecord>(rng).entry);
  EXPECT_TRUE(decode_manifest(encode_manifest(entries)) == entries);
  EXPECT_TRUE(decode_manifest({}).empty());
}

TEST(ManifestTest, OneEntryTooManyIsAnError) {
  // Goal: the number of entries of a batch is bounded although it is written nowhere.
  const Entry entry{.kind = EntryKind::directory, .name = SafeName::check("d")};
  const Bytes bytes = encode_manifest(std::vector<Entry>(kMaxBatchEntries + 1, entry));
  expect_corrupt("too many entries", [&] { static_cast<void>(decode_manifest(bytes)); });
}

TEST(ManifestTest, NamesThatLeadOutsideAreErrors) {
  // Goal: no entry leaves the decoder with a name that was not checked.
  for (const auto* name : {"../x", "/x", "a/../../x", "", ".", "a//b", "a/"})
    refuses("is not allowed", {.name = name});
  refuses("is not allowed", {.name = std::string("a\0b", 3)});
  refuses("a component is too long", {.name = std::string(256, 'x')});
  refuses("the limit is 4095", {.name = std::string(5'000, 'x')});
}

TEST(ManifestTest, FieldsOutOfBoundsAreErrors) {
  // Goal: each field of an entry is held to its range.
  ASSERT_EQ(decode_manifest(RawEntry{}.bytes()).size(), 1U);
  for (const std::uint8_t kind : Octets{0, 4, 255})
    refuses("no entry kind " + std::to_string(kind), {.kind = kind});
  for (const std::uint8_t flags : Octets{3, 17, 64, 128, 255}) refuses("flags", {.flags = flags});
  for (const std::uint8_t kind : Octets{2, 3})
    for (const std::uint8_t flags : Octets{1, 2, 4, 16, 32})
      refuses("do not fit its kind", {.kind = kind, .flags = flags, .numbers = {}, .target = "t"});
  refuses("a mode is 4096", {.mode = 010000});
  refuses("nanoseconds is 1000000000", {.nanoseconds = 1'000'000'000});
  refuses("a file size", {.numbers = {std::uint64_t{1} << 63}});
  refuses("a file size", {.numbers = {kUnknownSize}});
}

TEST(ManifestTest, ExtentsOutsideTheFileAreErrors) {
  // Goal: runs are not empty, do not pass the file's size, and are not too many.
  const auto sparse = [](std::vector<std::uint64_t> numbers) {
    return RawEntry{.flags = 2, .numbers = std::move(numbers)};
  };
  ASSERT_EQ(decode_manifest(sparse({5, 1, 0, 5}).bytes()).size(), 1U);
  refuses("a run is 6", sparse({5, 1, 0, 6}));
  refuses("a run is 2", sparse({5, 1, 4, 2}));
  refuses("a gap is 6", sparse({5, 1, 6, 1}));
  refuses("a run is empty", sparse({5, 1, 0, 0}));
  refuses("a run is 1, the limit is 0", sparse({5, 2, 0, 5, 0, 1}));
  refuses("the number of runs", sparse({5, kMaxExtents + 1}));
  refuses("the number of runs", sparse({5, std::uint64_t{1} << 63}));
}

TEST(ManifestTest, LinksNeedATarget) {
  // Goal: an empty, NUL-holding or overlong target is refused; where it leads is not judged.
  const auto link = [](std::string target) {
    return RawEntry{.kind = 3, .numbers = {}, .target = std::move(target)};
  };
  EXPECT_EQ(decode_manifest(link("../../etc").bytes()).at(0).link_target, "../../etc");
  refuses("points nowhere", link(""));
  refuses("points nowhere", link(std::string("a\0b", 3)));
  refuses("the limit is 4095", link(std::string(4'096, 't')));
}

TEST(ManifestTest, HolesHoldNoData) {
  // Goal: without holes all of a file is data; empty files and other kinds have none.
  Entry entry{.name = SafeName::check("f"), .size = 7};
  EXPECT_EQ(entry.data_bytes(), 7U);
  entry.data = {{2, 3}, {6, 1}};
  EXPECT_EQ(entry.data_bytes(), 4U);
  entry.data.emplace();
  EXPECT_EQ(entry.data_bytes(), 0U);
  entry.data.reset();
  entry.kind = EntryKind::directory;
  EXPECT_EQ(entry.data_bytes(), 0U);
}

TEST(ManifestTest, RunsTakeNoMoreMemoryThanOnTheWire) {
  // Goal: what a peer says in two bytes is not kept in sixteen, and is read back as it was said.
  Extents runs;
  for (std::uint64_t i = 0; i < kMaxExtents; ++i) runs.push_back({2 * i + 1, 1});
  runs.push_back({std::uint64_t{1} << 40, std::uint64_t{1} << 62});
  Bytes encoded;
  ByteWriter out(encoded);
  runs.encode(out);
  EXPECT_LE(encoded.size(), 2 * kMaxExtents + 20);
  std::uint64_t i = 0;
  for (const Extent& run : runs) {
    if (i == kMaxExtents)
      EXPECT_EQ(run, (Extent{std::uint64_t{1} << 40, std::uint64_t{1} << 62}));
    else
      EXPECT_EQ(run, (Extent{2 * i + 1, 1}));
    ++i;
  }
  EXPECT_EQ(i, runs.size());
}

}  // namespace
}  // namespace adoc
