// What was decided at the offer, and is not so any more at the end.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>

#include "destination/incoming_batch.hpp"
#include "support/made_up_frames.hpp"
#include "support/temporary_directory.hpp"

namespace adoc {
namespace {

namespace fs = std::filesystem;
using testkit::file_entry;
using testkit::symlink_entry;

class SecondLookTest : public testing::Test {
 protected:
  /// With the time of made-up entries.
  void there(const char* name, std::string_view contents) {
    dir_.write(name, std::string(contents));
    ASSERT_EQ(::chmod((dir_ / name).c_str(), 0644), 0);
    set_time(name);
  }
  void set_time(const char* name) {
    const timespec times[2] = {{0, UTIME_OMIT}, {1'000'000'000, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, (dir_ / name).c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
  }
  /// Another file of the same size and time takes the place.
  void replace(const char* name, std::string_view contents) {
    there("other", contents);
    fs::rename(dir_ / "other", dir_ / name);
  }

  /// Offers the entry, and `meanwhile` happens before the end.
  Commit::Item transfer(const Entry& entry, bool keep, const std::function<void()>& meanwhile,
                        std::string_view contents = {}) {
    Offer offer = testkit::raw_offer(0, {entry}, true);
    offer.keep_existing = keep;
    IncomingBatch batch(offer, {tree_, intake_});
    std::uint64_t bytes = 0;
    if (!batch.want().items[0].ranges.empty()) {
      batch.write({.raw = as_byte_span(contents), .checksum = xxh3_64(as_byte_span(contents))},
                  tree_);
      bytes = contents.size();
    }
    batch.done({.batch = 0, .stream_bytes = bytes, .failures = {}});
    meanwhile();
    return batch.commit(tree_).items[0];
  }
  void expect_failure(const Commit::Item& item, std::string_view reason) {
    EXPECT_EQ(item.fate, Fate::failed);
    EXPECT_NE(item.reason.find(reason), std::string::npos) << item.reason;
  }
  [[nodiscard]] std::string contents(const char* name) const {
    return testkit::contents_of(dir_ / name);
  }

  testkit::TemporaryDirectory dir_;
  OutputTree tree_{open_destination(dir_.path())};
  ReceiveOptions options_;
  DiskRoom room_{open_destination(dir_.path()), std::nullopt};
  Intake intake_{options_, room_};
};

TEST_F(SecondLookTest, AFileThatWasReplacedGetsNoMetadata) {
  // Goal: another file of the same size and time is not given what the first one was to get.
  there("f", "old!");
  Entry entry = file_entry("f", 4);
  entry.mode = 0600;
  expect_failure(transfer(entry, false, [&] { replace("f", "new!"); }), "taken its place");
  EXPECT_EQ(fs::status(dir_ / "f").permissions(), fs::perms(0644));
  EXPECT_EQ(transfer(entry, false, [] {}).fate, Fate::committed);
  EXPECT_EQ(fs::status(dir_ / "f").permissions(), fs::perms(0600));
}

TEST_F(SecondLookTest, AFileThatWasWrittenToGetsNoMetadata) {
  // Goal: also when its size stayed and its time was set back.
  there("f", "old!");
  Entry entry = file_entry("f", 4);
  entry.mode = 0600;
  const auto write = [&] {
    there("f", "new!");
    ASSERT_EQ(contents("f"), "new!");
  };
  expect_failure(transfer(entry, false, write), "taken its place");
}

TEST_F(SecondLookTest, WhatWasThereIsThereAtTheEndOrFails) {
  // Goal: a file or link that was unchanged at the offer is not said to be there when it is not.
  there("f", "old!");
  EXPECT_EQ(transfer(file_entry("f", 4), false, [] {}).fate, Fate::have);
  expect_failure(transfer(file_entry("f", 4), false, [&] { replace("f", "new!"); }), "changed");
  expect_failure(transfer(file_entry("f", 4), false, [&] { fs::remove(dir_ / "f"); }), "removed");
  fs::create_symlink("there", dir_ / "l");
  set_time("l");
  EXPECT_EQ(transfer(symlink_entry("l", "there"), false, [] {}).fate, Fate::have);
  const auto relink = [&] {
    fs::remove(dir_ / "l");
    fs::create_symlink("elsewhere", dir_ / "l");
    set_time("l");
  };
  expect_failure(transfer(symlink_entry("l", "there"), false, relink), "changed");
}

TEST_F(SecondLookTest, WhatWasKeptIsThereAtTheEndOrFails) {
  // Goal: whatever it has become, but something.
  there("f", "mine");
  EXPECT_EQ(transfer(file_entry("f", 9), true, [&] { replace("f", "also mine"); }).fate,
            Fate::kept);
  expect_failure(transfer(file_entry("f", 9), true, [&] { fs::remove(dir_ / "f"); }), "removed");
}

TEST_F(SecondLookTest, WhatAppearedMeanwhileIsKept) {
  // Goal: what was not to be overwritten is not, although nothing was there at the offer.
  EXPECT_EQ(transfer(
                file_entry("f", 4), true, [&] { there("f", "mine"); }, "sent")
                .fate,
            Fate::kept);
  EXPECT_EQ(contents("f"), "mine");
  EXPECT_EQ(transfer(symlink_entry("l", "sent"), true, [&] { there("l", "mine"); }).fate,
            Fate::kept);
  EXPECT_EQ(contents("l"), "mine");
  EXPECT_EQ(transfer(
                file_entry("g", 4), false, [&] { there("g", "mine"); }, "sent")
                .fate,
            Fate::committed);
  EXPECT_EQ(contents("g"), "sent");
  EXPECT_EQ(dir_.final_names(), (std::set<std::string>{"f", "l", "g"}));
}

TEST_F(SecondLookTest, AnotherFileUnderTheTemporaryNameIsNotPublished) {
  // Goal: what gets the name is the file that was written, and not what was put in its way.
  const auto swap = [&] {
    for (const auto& item : fs::directory_iterator(dir_ / ".adoc")) {
      there("other", "evil");
      fs::rename(dir_ / "other", item.path());
    }
  };
  expect_failure(transfer(file_entry("f", 4), false, swap, "good"), "temporary name");
  EXPECT_FALSE(fs::exists(dir_ / "f"));
}

}  // namespace
}  // namespace adoc
