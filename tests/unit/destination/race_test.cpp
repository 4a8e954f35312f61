// Somebody on the receiving machine renames and links below the destination while a transfer
// writes there.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "destination/incoming_batch.hpp"
#include "support/made_up_frames.hpp"
#include "support/temporary_directory.hpp"

namespace adoc {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;
using testkit::directory_entry;
using testkit::file_entry;
using testkit::symlink_entry;

constexpr std::chrono::seconds kRaceTime{3};

class RaceTest : public testing::Test {
 protected:
  RaceTest() {
    // What a link that is followed would have changed: of the same size and time as what is sent.
    root_.write("outside/f", "evil");
    root_.write("outside/sub/f", "evil");
    for (const char* name : {"outside/f", "outside/sub/f"}) {
      const timespec times[2] = {{0, UTIME_OMIT}, {1'000'000'000, 0}};
      EXPECT_EQ(::chmod((root_ / name).c_str(), 0600), 0);
      EXPECT_EQ(::utimensat(AT_FDCWD, (root_ / name).c_str(), times, 0), 0);
    }
    fs::create_directories(root_ / "out/d/sub");
    fs::create_directories(root_ / "out/moved");
    fs::create_symlink(root_ / "outside", root_ / "out/l");
    fs::create_symlink(root_ / "outside/sub", root_ / "out/k");
    before_ = outside();
  }

  /// Names, modes and times; a temporary file that came and went leaves its time, too.
  [[nodiscard]] std::set<std::string> outside() const {
    std::set<std::string> found;
    for (const char* name : {"outside", "outside/f", "outside/sub", "outside/sub/f"}) {
      struct stat status {};
      EXPECT_EQ(::lstat((root_ / name).c_str(), &status), 0);
      found.insert(std::string(name) + " " + std::to_string(status.st_mode) + " " +
                   std::to_string(status.st_ctim.tv_sec) + "." +
                   std::to_string(status.st_ctim.tv_nsec));
    }
    return found;
  }

  /// Changes all that can be changed on the way of the names that transfer() uses. `d` is named by
  /// its descriptor: by its name it may be a link, and then this would be what changes the outside.
  void attack(const std::stop_token& stop) const {
    const Fd out(::open((root_ / "out").c_str(), O_PATH));
    const Fd d(::openat(out.get(), "d", O_PATH));
    const auto swap_with_d = [&] { swap(out, "d", out, "l"); };
    while (!stop.stop_requested()) {
      swap_with_d();
      swap(d, "sub", out, "moved");
      swap_with_d();
      swap(d, "sub", out, "k");
      swap(d, "sub", out, "k");
    }
  }
  static void swap(const Fd& here, const char* one, const Fd& there, const char* other) {
    EXPECT_EQ(::renameat2(here.get(), one, there.get(), other, RENAME_EXCHANGE), 0);
  }

  /// One batch; counts what became of its entries.
  void transfer(std::uint32_t mode) {
    OutputTree tree(destination_);
    std::vector<Entry> entries{file_entry("d/f", 4),       file_entry("d/sub/f", 4),
                               directory_entry("d/sub/n"), symlink_entry("d/s", "x"),
                               directory_entry("d/sub"),   directory_entry("d")};
    for (Entry& entry : entries)
      if (entry.kind == EntryKind::file) entry.mode = mode;
    IncomingBatch batch(testkit::raw_offer(0, entries, true), {tree, intake_});
    std::uint64_t offset = 0;
    for (const WantItem& item : batch.want().items)
      if (!item.ranges.empty())
        batch.write({.offset = std::exchange(offset, offset + 4), .raw = as_byte_span("evil")},
                    tree);
    batch.done({.batch = 0, .stream_bytes = offset, .failures = {}});
    for (const Commit::Item& item : batch.commit(tree).items)
      ++(item.fate == Fate::failed ? failed_ : done_);
  }

  testkit::TemporaryDirectory root_;
  DirectoryPtr destination_ = open_destination(root_ / "out");
  ReceiveOptions options_;
  DiskRoom room_{destination_, std::nullopt};
  Intake intake_{options_, room_};
  std::set<std::string> before_;
  std::uint64_t done_ = 0;
  std::uint64_t failed_ = 0;
};

TEST_F(RaceTest, NothingGetsOutsideWhileDirectoriesAndLinksChangePlaces) {
  // Goal: at no moment is there a way out, for data, names, modes or times; some entries hit a link
  // and fail, and the others arrive.
  {
    const std::jthread attacker([this](const std::stop_token& stop) { attack(stop); });
    const auto end = steady_clock::now() + kRaceTime;
    for (std::uint32_t round = 0; steady_clock::now() < end; ++round)
      transfer(round % 2 == 0 ? 0644 : 0640);
  }
  EXPECT_EQ(outside(), before_);
  EXPECT_GT(done_, 100U);
  EXPECT_GT(failed_, 100U);
}

TEST_F(RaceTest, AFileWithASecondNameElsewhereIsReplacedAndNotChanged) {
  // Goal: a hard link leads no further than a symbolic one: what has the second name keeps its
  // mode.
  fs::remove(root_ / "out/d/f");
  fs::create_hard_link(root_ / "outside/f", root_ / "out/d/f");
  before_ = outside();
  transfer(0777);
  EXPECT_EQ(failed_, 0U);
  EXPECT_EQ(fs::status(root_ / "outside/f").permissions(), fs::perms(0600));
  EXPECT_EQ(fs::status(root_ / "out/d/f").permissions(), fs::perms(0777));
  EXPECT_EQ(fs::hard_link_count(root_ / "outside/f"), 1U);
}

TEST_F(RaceTest, WhatTakesAFilesPlaceIsNotChanged) {
  // Goal: between the decision and the commit another name of a file elsewhere gets there.
  transfer(0644);
  OutputTree tree(destination_);
  Entry entry = file_entry("d/f", 4);
  entry.mode = 0777;
  IncomingBatch batch(testkit::raw_offer(0, {entry}, true), {tree, intake_});
  ASSERT_TRUE(batch.want().items.front().ranges.empty());
  fs::remove(root_ / "out/d/f");
  fs::create_hard_link(root_ / "outside/f", root_ / "out/d/f");
  batch.done({.batch = 0, .stream_bytes = 0, .failures = {}});
  EXPECT_EQ(batch.commit(tree).items.front(),
            (Commit::Item{Fate::failed, "something else has taken its place"}));
  EXPECT_EQ(fs::status(root_ / "outside/f").permissions(), fs::perms(0600));
}

}  // namespace
}  // namespace adoc
