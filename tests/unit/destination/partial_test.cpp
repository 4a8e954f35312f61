// Files that a transfer did not finish: kept, found again, asked for only as far as they are
// missing, and cleaned away.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "destination/incoming_batch.hpp"
#include "support/expect_error.hpp"
#include "support/made_up_frames.hpp"
#include "support/temporary_directory.hpp"
#include "util/content_hasher.hpp"

namespace adoc {
namespace {

namespace fs = std::filesystem;
using testkit::expect_error;
using testkit::file_entry;
using Runs = std::vector<Extent>;
using Hashes = std::vector<Done::Whole>;

constexpr std::uint64_t kPiece = 100'000;
constexpr std::uint64_t kSize = 4 * kPiece;
static_assert(kSize >= kResumableBytes);

class PartialTest : public testing::Test {
 protected:
  PartialTest() {
    for (std::uint64_t i = 0; i < kSize; ++i) contents_ += static_cast<char>(i * 7 / 1'000);
    hashes_ = hashes_of(contents_);
  }

  /// As a done has them.
  [[nodiscard]] static Hashes hashes_of(std::string_view contents) {
    ContentHasher hasher;
    hasher.update(as_byte_span(contents));
    return {{0, hasher.digest()}};
  }
  [[nodiscard]] IncomingBatch batch(const Entry& entry, bool resume = true) {
    return {testkit::raw_offer(0, {entry}, true), {tree_, intake_, resume}};
  }
  /// Gives the batch the pieces that it wants, from `position_` on, `count` of them.
  void write(IncomingBatch& batch, const Runs& wanted, std::size_t count) {
    std::uint64_t position = 0;
    for (const Extent& run : wanted)
      for (std::uint64_t offset = run.offset; offset < run.offset + run.length; offset += kPiece) {
        if (count-- == 0) return;
        const ByteSpan raw = as_byte_span(std::string_view(contents_).substr(offset, kPiece));
        batch.write({.offset = position, .raw = raw, .checksum = xxh3_64(raw)}, tree_);
        position += raw.size();
      }
  }
  [[nodiscard]] static Runs wanted(const IncomingBatch& batch) {
    const Want want = batch.want();
    return {want.items[0].ranges.begin(), want.items[0].ranges.end()};
  }
  /// A transfer that is cut off after so many pieces; what it had asked for.
  Runs cut_off_after(std::size_t pieces, const Entry& entry) {
    IncomingBatch one = batch(entry);
    Runs runs = wanted(one);
    write(one, runs, pieces);
    return runs;
  }
  void expect_whole(const Entry& entry) {
    IncomingBatch last = batch(entry);
    const Runs runs = wanted(last);
    write(last, runs, SIZE_MAX);
    std::uint64_t bytes = 0;
    for (const Extent& run : runs) bytes += run.length;
    const bool whole = bytes == contents_.size();
    last.done({.batch = 0, .stream_bytes = bytes, .hashes = whole ? Hashes{} : hashes_});
    EXPECT_EQ(last.commit(tree_).items[0], Commit::Item{});
    tree_.partials().close();
    remove_empty_store(root_);
    EXPECT_EQ(testkit::contents_of(dir_ / "big"), contents_);
    EXPECT_EQ(dir_.names(), std::set<std::string>{"big"}) << "and nothing else is left";
  }
  [[nodiscard]] std::string left(std::string_view suffix) const {
    for (const std::string& name : dir_.names())
      if (name.ends_with(suffix)) return dir_ / name;
    return {};
  }
  [[nodiscard]] Leftovers clean(std::chrono::seconds oldest = std::chrono::hours(24)) {
    tree_.partials().close();
    return clean_partials(root_, oldest);
  }

  testkit::TemporaryDirectory dir_;
  DirectoryPtr root_ = open_destination(dir_.path());
  OutputTree tree_{root_};
  ReceiveOptions options_;
  DiskRoom room_{open_destination(dir_.path()), std::nullopt};
  Intake intake_{options_, room_};
  std::string contents_;
  Hashes hashes_;
  Entry big_ = file_entry("big", kSize);
};

TEST_F(PartialTest, WhatWasCutOffGoesOn) {
  // Goal: after any number of pieces, several times, only the rest is asked for.
  EXPECT_EQ(cut_off_after(1, big_), (Runs{{0, kSize}}));
  EXPECT_EQ(cut_off_after(0, big_), (Runs{{kPiece, 3 * kPiece}}));
  EXPECT_EQ(cut_off_after(2, big_), (Runs{{kPiece, 3 * kPiece}}));
  EXPECT_EQ(cut_off_after(1, big_), (Runs{{3 * kPiece, kPiece}}));
  EXPECT_EQ(cut_off_after(0, big_), (Runs{{kSize - 1, 1}})) << "for the hash: all is there";
  expect_whole(big_);
}

TEST_F(PartialTest, ADamagedPieceIsFetchedAgain) {
  // Goal: bytes that changed meanwhile are found, and only what lies around them is sent again.
  cut_off_after(3, big_);
  std::string data = testkit::contents_of(left(".partial"));
  data[kPiece + 5] ^= 1;
  dir_.write(fs::path(left(".partial")).lexically_relative(dir_.path()), data);
  EXPECT_EQ(cut_off_after(0, big_), (Runs{{kPiece, kPiece}, {3 * kPiece, kPiece}}));
  expect_whole(big_);
}

TEST_F(PartialTest, AnotherSourceStartsAnew) {
  // Goal: nothing of a file that has changed since is built on, or left.
  cut_off_after(3, big_);
  Entry changed = big_;
  ++changed.mtime_seconds;
  EXPECT_EQ(cut_off_after(0, changed), (Runs{{0, kSize}}));
  EXPECT_EQ(left(".partial"), "");
  expect_whole(changed);
}

TEST_F(PartialTest, ContentsThatAreNotTheSourcesAreNotCommitted) {
  // Goal: with the hash of the whole known, a file put together from two transfers is compared.
  big_.hash = ContentHash{std::byte{1}};
  cut_off_after(3, big_);
  IncomingBatch last = batch(big_);
  write(last, wanted(last), 1);
  last.done({.batch = 0, .stream_bytes = kPiece, .hashes = {{0, *big_.hash}}});
  const Commit commit = last.commit(tree_);
  EXPECT_EQ(commit.items[0].fate, Fate::failed);
  EXPECT_NE(commit.items[0].reason.find("not what the sender has"), std::string::npos);
  EXPECT_EQ(dir_.names(), std::set<std::string>{".adoc"}) << "the next one starts over";
}

TEST_F(PartialTest, NewContentsOfTheSameSizeAndTimeAreNotMixedWithOld) {
  // Goal: what was put together from two transfers is compared as a whole, without being asked to;
  // what is not the sender's is removed, and the next transfer is whole.
  cut_off_after(3, big_);
  contents_[kPiece / 2] ^= 1;
  hashes_ = hashes_of(contents_);
  {
    IncomingBatch mixed = batch(big_);
    write(mixed, {{3 * kPiece, kPiece}}, 1);
    mixed.done({.batch = 0, .stream_bytes = kPiece, .hashes = hashes_});
    const Commit::Item item = mixed.commit(tree_).items[0];
    EXPECT_EQ(item.fate, Fate::failed);
    EXPECT_NE(item.reason.find("the same command sends all of it"), std::string::npos);
  }
  EXPECT_EQ(left(".partial"), "");
  expect_whole(big_);
}

TEST_F(PartialTest, ADoneHasTheHashesOfWhatWasWantedInPartAndNoOthers) {
  // Goal: a sender that leaves one out, or says one of a file that was sent whole, is at fault.
  const auto done = [&](std::uint64_t bytes, const Hashes& hashes) {
    IncomingBatch one = batch(big_);
    write(one, wanted(one), SIZE_MAX);
    one.done({.batch = 0, .stream_bytes = bytes, .hashes = hashes});
  };
  expect_error(ErrorKind::corrupt, "not wanted in part", [&] { done(kSize, hashes_); });
  cut_off_after(3, big_);
  expect_error(ErrorKind::corrupt, "lacks the hash", [&] { done(kPiece, {}); });
  Hashes other = hashes_;
  other[0].entry = 1;
  expect_error(ErrorKind::corrupt, "not wanted in part", [&] { done(1, other); });
}

TEST_F(PartialTest, AStopEndsTheComparisonAndKeepsWhatIsThere) {
  // Goal: nobody waits for gigabytes to be read at the end, and nothing is lost by that.
  cut_off_after(4, big_);
  std::stop_source stop;
  {
    IncomingBatch one = batch(big_);
    write(one, wanted(one), 1);
    one.done({.batch = 0, .stream_bytes = 1, .hashes = hashes_});
    stop.request_stop();
    OutputTree stopped(root_, {.stop = stop.get_token()});
    expect_error(ErrorKind::interrupted, "interrupted",
                 [&] { static_cast<void>(one.commit(stopped)); });
  }
  EXPECT_NE(left(".partial"), "");
  expect_whole(big_);
}

TEST_F(PartialTest, StartingOverRemovesWhatWasThere) {
  // Goal: --no-resume neither uses nor leaves anything.
  cut_off_after(3, big_);
  {
    IncomingBatch over = batch(big_, false);
    EXPECT_EQ(wanted(over), (Runs{{0, kSize}}));
    EXPECT_EQ(left(".partial"), "");
    write(over, wanted(over), 2);
  }
  EXPECT_EQ(dir_.names(), std::set<std::string>{".adoc"});
}

TEST_F(PartialTest, TwoAtOnceDoNotTouchEachOther) {
  // Goal: the second transfer of the same file has one of its own, which is not kept; the first
  // keeps its own.
  IncomingBatch first = batch(big_);
  write(first, wanted(first), 2);
  {
    IncomingBatch second = batch(big_);
    EXPECT_EQ(wanted(second), (Runs{{0, kSize}}));
    write(second, wanted(second), 1);
    EXPECT_EQ(dir_.names().size(), 3U) << "the directory and both; no journal is due yet";
    EXPECT_EQ(clean(std::chrono::seconds(0)).removed_files, 0U) << "both are in use";
  }
  EXPECT_EQ(dir_.names().size(), 2U);
  first.skip({.batch = 0, .offset = 2 * kPiece, .length = 2 * kPiece});
  EXPECT_EQ(dir_.names(), std::set<std::string>{".adoc"}) << "what failed is not kept";
}

TEST_F(PartialTest, HolesAreHolesWhateverWasThere) {
  // Goal: of a sparse file that went on nothing of the old contents is left where it has no data.
  cut_off_after(4, big_);
  Entry sparse = big_;
  sparse.data = {{kPiece, kPiece}};
  IncomingBatch last = batch(sparse);
  EXPECT_EQ(wanted(last), (Runs{{2 * kPiece - 1, 1}})) << "for the hash: all is there";
  const ByteSpan byte = as_byte_span(std::string_view(contents_)).subspan(2 * kPiece - 1, 1);
  last.write({.raw = byte, .checksum = xxh3_64(byte)}, tree_);
  std::string expected(kSize, '\0');
  expected.replace(kPiece, kPiece, contents_, kPiece, kPiece);
  last.done({.batch = 0, .stream_bytes = 1, .hashes = hashes_of(expected)});
  EXPECT_EQ(last.commit(tree_).items[0], Commit::Item{});
  EXPECT_EQ(testkit::contents_of(dir_ / "big"), expected);
}

TEST_F(PartialTest, CleaningTellsWhatIsThereAndRemovesWhatIsOld) {
  // Goal: by the age of what was written last; what has no journal is of no use at any age.
  EXPECT_EQ(clean().files, 0U);
  cut_off_after(3, big_);
  dir_.write(".adoc/.adoc-0000000000000001.part", "of a process that is gone");
  dir_.write(".adoc/.adoc-00000000000000000000000000000001.partial", "without a journal");
  dir_.write(".adoc/.adoc-00000000000000000000000000000002.journal", "without data");
  Leftovers found = clean();
  EXPECT_EQ(found.files, 1U);
  EXPECT_GE(found.bytes, 3 * kPiece);
  EXPECT_EQ(found.removed_files, 2U);
  EXPECT_EQ(dir_.names().size(), 3U) << "the directory, the data and its journal";

  const timespec old[2] = {{0, UTIME_OMIT}, {::time(nullptr) - 25 * 3'600, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, left(".journal").c_str(), old, 0), 0);
  found = clean();
  EXPECT_EQ(found.files, 0U);
  EXPECT_EQ(found.removed_files, 1U);
  EXPECT_EQ(dir_.names(), std::set<std::string>{}) << "the directory, too";
}

TEST_F(PartialTest, ADirectoryThatIsNotOursIsNotUsed) {
  // Goal: a link or a directory that others may write in, planted there, is left alone, and files
  // arrive all the same.
  const auto arrives = [&] {
    OutputTree tree(root_);
    std::swap(tree, tree_);
    IncomingBatch one = batch(big_);
    write(one, wanted(one), SIZE_MAX);
    one.done({.batch = 0, .stream_bytes = kSize, .failures = {}});
    EXPECT_EQ(one.commit(tree_).items[0], Commit::Item{});
    EXPECT_EQ(testkit::contents_of(dir_ / "big"), contents_);
    fs::remove(dir_ / "big");
  };
  testkit::TemporaryDirectory elsewhere;
  fs::create_directory_symlink(elsewhere.path(), dir_ / ".adoc");
  EXPECT_NE(clean().trouble, "");
  arrives();
  EXPECT_EQ(elsewhere.names(), std::set<std::string>{});
  fs::remove(dir_ / ".adoc");

  fs::create_directory(dir_ / ".adoc");
  ASSERT_EQ(::chmod((dir_ / ".adoc").c_str(), 0770), 0);
  EXPECT_NE(clean().trouble, "");
  arrives();
  EXPECT_EQ(dir_.names(), std::set<std::string>{".adoc"});
}

}  // namespace
}  // namespace adoc
