// What of a stream that has everything goes on to a receiver that wants some of it.

#include "destination/recorded_sink.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "destination/incoming_file.hpp"
#include "support/expect_error.hpp"
#include "support/made_up_frames.hpp"
#include "support/temporary_directory.hpp"

namespace adoc {
namespace {

using testkit::file_entry;

/// Of a file that is gone on with.
std::string long_text(char letter) { return std::string(kResumableBytes, letter); }

class RecordedSinkTest : public testing::Test {
 protected:
  /// An offer has come and was answered.
  void begin(const std::vector<Entry>& entries) {
    answered_.push(std::make_unique<IncomingBatch>(testkit::raw_offer(0, entries, true),
                                                   IncomingBatch::Setup{tree_, intake_}));
    offered_ = 1;
  }
  void write(std::uint64_t offset, std::string_view raw) {
    sink_.write(
        {.offset = offset, .raw = as_byte_span(raw), .checksum = xxh3_64(as_byte_span(raw))});
  }
  std::vector<Fate> finish(const Done& done) {
    sink_.done(done);
    const auto batch = filled_.pop();
    std::vector<Fate> fates;
    for (const Commit::Item& item : (*batch)->commit(tree_).items) fates.push_back(item.fate);
    return fates;
  }
  /// Leaves the first half of the file to be gone on with.
  void leave_half(const std::string& contents) {
    IncomingBatch batch(testkit::raw_offer(0, {file_entry("f", contents.size())}, true),
                        {tree_, intake_});
    const std::string half = contents.substr(0, contents.size() / 2);
    batch.write({.raw = as_byte_span(half), .checksum = xxh3_64(as_byte_span(half))}, tree_);
  }

  testkit::TemporaryDirectory dir_;
  DirectoryPtr root_ = open_destination(dir_.path());
  OutputTree tree_{root_};
  ReceiveOptions options_;
  DiskRoom room_{root_, std::nullopt};
  Intake intake_{options_, room_};
  std::atomic<std::uint64_t> offered_{0};
  IncomingQueue answered_{1};
  IncomingQueue filled_{1};
  BatchSink inner_{
      {.offered = offered_, .answered = answered_, .filled = filled_, .destination = root_}};
  RecordedSink sink_{inner_};
};

TEST_F(RecordedSinkTest, AllOfWhatIsNotThereIsWritten) {
  // Goal: blocks know no borders of files, and arrive as they are where everything is wanted.
  begin({file_entry("a", 4), file_entry("none", 0), file_entry("b", 6)});
  write(0, "aaaabb");
  write(6, "bbbb");
  EXPECT_EQ(finish({.stream_bytes = 10}), std::vector(3, Fate::committed));
  EXPECT_EQ(testkit::contents_of(dir_ / "a"), "aaaa");
  EXPECT_EQ(testkit::contents_of(dir_ / "b"), "bbbbbb");
}

TEST_F(RecordedSinkTest, WhatIsThereIsLeftOutAlsoWithinABlock) {
  // Goal: of a block that holds three files the middle one goes by, and the last one is right.
  dir_.write("middle", "old");
  const timespec times[2] = {{0, UTIME_OMIT}, {1'000'000'000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (dir_ / "middle").c_str(), times, 0), 0);
  ASSERT_EQ(::chmod((dir_ / "middle").c_str(), 0644), 0);
  begin({file_entry("first", 2), file_entry("middle", 3), file_entry("last", 4)});
  write(0, "11mm");
  write(4, "m4444");
  EXPECT_EQ(finish({.stream_bytes = 9}),
            (std::vector{Fate::committed, Fate::have, Fate::committed}));
  EXPECT_EQ(testkit::contents_of(dir_ / "first"), "11");
  EXPECT_EQ(testkit::contents_of(dir_ / "middle"), "old");
  EXPECT_EQ(testkit::contents_of(dir_ / "last"), "4444");
}

TEST_F(RecordedSinkTest, AFileGoesOnFromWhatIsThere) {
  // Goal: what was left of it is kept, the rest is written, and the whole is compared.
  const std::string contents = long_text('c');
  leave_half(contents);
  begin({file_entry("before", 3), file_entry("f", contents.size())});
  ASSERT_EQ(inner_.current(0).resumed_bytes(), contents.size() / 2);
  write(0, "...");
  write(3, contents);
  EXPECT_EQ(finish({.stream_bytes = contents.size() + 3}), std::vector(2, Fate::committed));
  EXPECT_EQ(testkit::contents_of(dir_ / "f"), contents);
}

TEST_F(RecordedSinkTest, APartOfAnotherVersionDoesNotBecomeAFile) {
  // Goal: with the same size and time, and other contents, the two halves are not taken for one.
  leave_half(long_text('c'));
  const std::string other = long_text('d');
  begin({file_entry("f", other.size())});
  write(0, other);
  EXPECT_EQ(finish({.stream_bytes = other.size()}), std::vector{Fate::failed});
  EXPECT_EQ(dir_.final_names(), std::set<std::string>());
}

TEST_F(RecordedSinkTest, WhatFailedIsNotCommitted) {
  // Goal: a run that is missing, and a file that was named, fail; what is beside them is right.
  begin({file_entry("a", 4), file_entry("b", 4), file_entry("c", 4)});
  write(0, "aa");
  sink_.skip({.batch = 0, .offset = 2, .length = 4});
  write(6, "bbcccc");
  EXPECT_EQ(finish({.stream_bytes = 12, .failures = {{0, "gone"}, {1, "gone"}}}),
            (std::vector{Fate::failed, Fate::failed, Fate::committed}));
  EXPECT_EQ(dir_.final_names(), std::set<std::string>{"c"});
}

TEST_F(RecordedSinkTest, NothingButTheWholeStreamIsTaken) {
  // Goal: gaps, repetitions, too much and too little are the writer's fault, whatever is wanted.
  begin({file_entry("a", 4), file_entry("b", 4)});
  write(0, "aaaa");
  testkit::expect_error(ErrorKind::corrupt, "not where the stream goes on", [&] { write(5, "b"); });
  testkit::expect_error(ErrorKind::corrupt, "not where the stream goes on", [&] { write(3, "a"); });
  testkit::expect_error(ErrorKind::corrupt, "before all of it came",
                        [&] { sink_.done({.stream_bytes = 4}); });
  testkit::expect_error(ErrorKind::corrupt, "not where the stream goes on",
                        [&] { sink_.done({.stream_bytes = 8}); });
  testkit::expect_error(ErrorKind::corrupt, "more data came", [&] { write(4, "bbbbb"); });
}

}  // namespace
}  // namespace adoc
