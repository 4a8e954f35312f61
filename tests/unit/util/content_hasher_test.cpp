#include "util/content_hasher.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "adoc/error.hpp"
#include "support/temporary_directory.hpp"
#include "util/fd.hpp"
#include "util/hash_file.hpp"

namespace adoc {
namespace {

constexpr std::size_t kLeaf = ContentHasher::kLeafBytes;

ContentHash hash_of(std::string_view text) {
  ContentHasher hasher;
  hasher.update(as_byte_span(text));
  return hasher.digest();
}

TEST(ContentHasherTest, ShortContentsHaveThePublishedHash) {
  // Goal: up to one leaf, the end included, the hash is XXH3-128 itself.
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kLeaf - 1, kLeaf}) {
    const std::string text(size, 'x');
    EXPECT_EQ(hash_of(text), xxh3_128(as_byte_span(text))) << size;
  }
}

TEST(ContentHasherTest, TheTreeIsTheOneThatIsSpecified) {
  // Goal: three leaves and a bit hash as the header says, worked out by hand.
  const std::string text(2 * kLeaf + 10, 'x');
  std::string last(10, 'x');
  last.resize(kLeaf);
  const auto node = [](const ContentHash& left, const ContentHash& right) {
    Bytes both(left.begin(), left.end());
    both.insert(both.end(), right.begin(), right.end());
    return xxh3_128(both);
  };
  const ContentHash leaf = xxh3_128(as_byte_span(text).first(kLeaf));
  const ContentHash zero = xxh3_128(Bytes(kLeaf));
  const ContentHash top = node(node(leaf, leaf), node(xxh3_128(as_byte_span(last)), zero));
  Bytes end(top.begin(), top.end());
  ByteWriter(end).u64(text.size());
  EXPECT_EQ(hash_of(text), xxh3_128(end));
}

TEST(ContentHasherTest, PiecesHashLikeTheWhole) {
  // Goal: where contents are cut does not matter, empty pieces included.
  const std::string text(3 * kLeaf + 12'345, 'x');
  ContentHasher pieces;
  pieces.update({});
  for (std::size_t at = 0; at < text.size(); at += 77'777)
    pieces.update(as_byte_span(std::string_view(text).substr(at, 77'777)));
  EXPECT_EQ(pieces.digest(), hash_of(text));
  EXPECT_NE(hash_of(text + "y"), hash_of(text));
}

TEST(ContentHasherTest, ZerosHashAsWhatTheyStandFor) {
  // Goal: a hole at any place and of any length hashes like zeros that were read.
  for (const std::size_t before : {std::size_t{0}, std::size_t{5}, kLeaf, 3 * kLeaf, 4 * kLeaf + 1})
    for (const std::size_t zeros :
         {std::size_t{1}, kLeaf - 5, kLeaf, kLeaf + 1, 2 * kLeaf, 5 * kLeaf, 8 * kLeaf + 3})
      for (const std::size_t after : {std::size_t{0}, std::size_t{7}, 2 * kLeaf}) {
        std::string text(before, 'a');
        text.append(zeros, '\0').append(after, 'b');
        ContentHasher hasher;
        hasher.update(as_byte_span(std::string(before, 'a')));
        hasher.update_zeros(zeros);
        hasher.update(as_byte_span(std::string(after, 'b')));
        EXPECT_EQ(hasher.digest(), hash_of(text)) << before << ' ' << zeros << ' ' << after;
      }
}

TEST(ContentHasherTest, TheLengthCounts) {
  // Goal: contents that differ only in how many zeros end them have different hashes.
  ContentHasher one;
  one.update_zeros(3 * kLeaf);
  ContentHasher other;
  other.update_zeros(3 * kLeaf + 1);
  EXPECT_NE(one.digest(), other.digest());
}

TEST(HashFileTest, AHoleOfTebibytesTakesNoTime) {
  // Goal: a sparse file of the greatest size that the file system takes is hashed within the test's
  // time limit, and as the same zeros with a byte at their end.
  const testkit::TemporaryDirectory directory;
  const std::string path = directory / "hole";
  const Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_TRUE(file);
  constexpr std::uint64_t kSize = std::uint64_t{4} << 40;
  ASSERT_EQ(::ftruncate(file.get(), kSize), 0);
  ASSERT_EQ(::pwrite(file.get(), "x", 1, kSize - 1), 1);
  ContentHasher hasher;
  hasher.update_zeros(kSize - 1);
  hasher.update(as_byte_span("x"));
  EXPECT_EQ(hash_file(file.get()), hasher.digest());
}

TEST(HashFileTest, AStopRequestEndsIt) {
  // Goal: whoever stops does not wait for the contents to be read.
  const testkit::TemporaryDirectory directory;
  const std::string path = directory / "file";
  const Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_TRUE(file);
  ASSERT_EQ(::pwrite(file.get(), "x", 1, 0), 1);
  std::stop_source stop;
  stop.request_stop();
  try {
    static_cast<void>(hash_file(file.get(), stop.get_token()));
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::interrupted);
  }
}

}  // namespace
}  // namespace adoc
