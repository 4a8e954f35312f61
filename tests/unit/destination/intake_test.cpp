// What a transfer may take, entry by entry.

#include "destination/intake.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "destination/output_tree.hpp"
#include "support/expect_error.hpp"
#include "support/made_up_frames.hpp"
#include "support/temporary_directory.hpp"

namespace adoc {
namespace {

using testkit::expect_error;
using testkit::file_entry;

class IntakeTest : public testing::Test {
 protected:
  /// Whether a file of this size, all data, is taken; its claim is kept.
  [[nodiscard]] bool takes(Intake& intake, DiskRoom::Claim& claim, std::uint64_t size) {
    const Entry file = file_entry("f", size);
    const WantItem all{.verb = Verb::take, .ranges = {{0, size}}};
    return !intake.objection(file, {0, file, all}, claim);
  }

  testkit::TemporaryDirectory dir_;
  DirectoryPtr destination_ = open_destination(dir_.path());
  DiskRoom room_{destination_, 0};
  ReceiveOptions options_;
};

TEST_F(IntakeTest, BytesAreCountedOverTheWholeTransfer) {
  // Goal: what is refused does not count, and one transfer does not count for another.
  options_.max_bytes = 1'000;
  Intake intake(options_, room_);
  DiskRoom::Claim claim = intake.claim();
  EXPECT_TRUE(takes(intake, claim, 600));
  EXPECT_FALSE(takes(intake, claim, 401));
  EXPECT_FALSE(takes(intake, claim, ~std::uint64_t{0} >> 1));
  EXPECT_TRUE(takes(intake, claim, 400));
  EXPECT_FALSE(takes(intake, claim, 1));
  expect_error(ErrorKind::local_file, "bytes that the receiver allows",
               [&] { intake.expect_room(1, claim); });
  Intake other(options_, room_);
  EXPECT_TRUE(takes(other, claim, 1'000));
}

TEST_F(IntakeTest, TheSizeOfAHoleCountsAndItsRoomDoesNot) {
  // Goal: --max-bytes is about what files seem to be, the disk about what they are.
  options_.max_bytes = std::uint64_t{1} << 50;
  Intake intake(options_, room_);
  DiskRoom::Claim claim = intake.claim();
  EXPECT_EQ(intake.objection(file_entry("hole", std::uint64_t{1} << 49), {}, claim), std::nullopt);
  EXPECT_NE(intake.objection(file_entry("hole", std::uint64_t{1} << 50), {}, claim), std::nullopt);
}

TEST_F(IntakeTest, RoomIsPromisedOnceAndGivenBack) {
  // Goal: two batches do not get the same room; written or given up, it is free for others.
  const std::uint64_t third = std::filesystem::space(dir_.path()).available / 3;
  const std::uint64_t most = third * 2;
  DiskRoom::Claim first(room_);
  EXPECT_EQ(first.add(most), std::nullopt);
  EXPECT_TRUE(first.holds(most));
  {
    DiskRoom::Claim second(room_);
    EXPECT_NE(second.add(most), std::nullopt);
    EXPECT_NE(second.add(~std::uint64_t{0}), std::nullopt);
    EXPECT_EQ(second.add(third / 2), std::nullopt);
  }
  first.used(most - 1);
  EXPECT_FALSE(first.holds(2));
  DiskRoom::Claim third_one(room_);
  EXPECT_EQ(third_one.add(most), std::nullopt);
}

TEST_F(IntakeTest, WhoOnlyAsksIsInNobodysWay) {
  // Goal: a dry run is told what would fit beside all that is promised, and takes nothing itself.
  const std::uint64_t third = std::filesystem::space(dir_.path()).available / 3;
  DiskRoom::Claim asking(room_, true);
  EXPECT_EQ(asking.add(third * 2), std::nullopt);
  EXPECT_NE(asking.add(third * 2), std::nullopt);
  DiskRoom::Claim real(room_);
  EXPECT_EQ(real.add(third * 2), std::nullopt);
  DiskRoom::Claim late(room_, true);
  EXPECT_NE(late.add(third * 2), std::nullopt);
}

TEST_F(IntakeTest, WhatIsToStayFreeIsNotPromised) {
  // Goal: more than the whole disk kept free leaves room for nothing but holes.
  DiskRoom full(destination_, ~std::uint64_t{0});
  DiskRoom::Claim claim(full);
  EXPECT_EQ(claim.add(0), std::nullopt);
  const auto why = claim.add(1);
  ASSERT_TRUE(why);
  EXPECT_NE(std::string(why->what()).find("no space left"), std::string::npos);
  EXPECT_EQ(why->hint(), Hint::lower_min_free);
}

TEST_F(IntakeTest, WhoKeepsNothingFreeIsNotToldToKeepLess) {
  // Goal: where all may be taken there is nothing to lower.
  DiskRoom whole(destination_, 0);
  DiskRoom::Claim claim(whole);
  const auto why = claim.add(std::uint64_t{1} << 60);
  ASSERT_TRUE(why);
  EXPECT_EQ(std::string(why->what()).find("kept free"), std::string::npos) << why->what();
  EXPECT_EQ(why->hint(), Hint::none);
}

TEST_F(IntakeTest, EntriesAndDepthHaveLimits) {
  // Goal: at the limit is allowed, above it is not.
  options_.max_entries = 3;
  options_.max_depth = 2;
  Intake intake(options_, room_);
  DiskRoom::Claim claim = intake.claim();
  const Entry file = file_entry("f", 0);
  intake.count({file, file, file});
  expect_error(ErrorKind::local_file, "entries that the receiver allows",
               [&] { intake.count({file}); });
  EXPECT_EQ(intake.objection(file_entry("a/b/c", 0), {}, claim), std::nullopt);
  EXPECT_NE(intake.objection(file_entry("a/b/c/d", 0), {}, claim), std::nullopt);
}

TEST_F(IntakeTest, DirectoriesCountBeforeTheyAreMade) {
  // Goal: one that a name implies counts like an entry and a file of a block; one that has its own
  // entry, too, counts once, whichever comes first.
  options_.max_entries = 4;
  options_.max_bytes = 3 * 4'096;
  Intake intake(options_, room_);
  OutputTree tree(destination_, {.intake = &intake});
  const auto make = [&](const char* name) {
    static_cast<void>(tree.make_directory(SafeName::check(name)));
  };
  make("a/b");
  intake.count(
      {testkit::directory_entry("a/b"), testkit::directory_entry("a"), file_entry("a/f", 0)});
  make("a/b");
  make("c");
  expect_error(ErrorKind::local_file, "entries that the receiver allows", [&] { make("d"); });
  options_.max_entries = 0;
  expect_error(ErrorKind::local_file, "bytes that the receiver allows", [&] { make("d"); });
  options_.max_bytes = 0;
  DiskRoom full(destination_, ~std::uint64_t{0});
  Intake without_room(options_, full);
  OutputTree other(destination_, {.intake = &without_room});
  expect_error(ErrorKind::local_file, "no space left",
               [&] { static_cast<void>(other.make_parent(SafeName::check("d/f"))); });
  EXPECT_EQ(tree.find_directory(SafeName::check("d")), nullptr);
}

TEST_F(IntakeTest, BitsThatRunAFileAsItsOwnerAreDropped) {
  // Goal: those of files all, of directories all but sticky, and none when they are to be kept.
  Intake intake(options_, room_);
  Entry file = file_entry("f", 0);
  file.mode = 07755;
  intake.trim(file);
  EXPECT_EQ(file.mode, 0755U);
  Entry directory = testkit::directory_entry("d");
  directory.mode = 07777;
  intake.trim(directory);
  EXPECT_EQ(directory.mode, 01777U);
  EXPECT_EQ(intake.trimmed(), 2U);
  options_.keep_special_bits = true;
  file.mode = 07755;
  intake.trim(file);
  EXPECT_EQ(file.mode, 07755U);
  EXPECT_EQ(intake.trimmed(), 2U);
}

TEST_F(IntakeTest, WhatWasNotAskedForEndsTheTransfer) {
  // Goal: names, kinds, and how they are to be taken, each by itself; without a request all comes.
  const Entry file = file_entry("d/f", 1);
  const Entry link = testkit::symlink_entry("l", "anywhere");
  Entry other_name = file_entry("f", 1);
  other_name.metadata = Metadata{.first = SafeName::check("d/f")};
  const std::vector<Entry> all{file, link, testkit::directory_entry("d"), other_name};
  Offer offer = testkit::raw_offer(0, all, true);
  offer.dry_run = offer.force = true;
  const auto expect_refused = [&](const char* why, const Asked& asked) {
    options_.asked = asked;
    Intake intake(options_, room_);
    expect_error(ErrorKind::corrupt, why, [&] {
      intake.expect(offer);
      intake.count(all);
    });
  };
  Intake(options_, room_).expect(offer);
  Intake(options_, room_).count(all);
  const Asked as_sent{.force = true, .dry_run = true, .keep = {.hard_links = true}};
  options_.asked = as_sent;
  Intake(options_, room_).expect(offer);
  Intake(options_, room_).count(all);
  const auto but = [&](auto change) {
    Asked asked = as_sent;
    change(asked);
    return asked;
  };
  expect_refused("d/f, which", but([](Asked& asked) {
                   asked.names = [](const std::string& name, bool) { return name != "d/f"; };
                 }));
  expect_refused("d, which", but([](Asked& asked) {
                   asked.names = [](const std::string&, bool is_directory) {
                     return !is_directory;
                   };
                 }));
  expect_refused("with a directory", but([](Asked& asked) { asked.directories = false; }));
  expect_refused("as a link", but([](Asked& asked) { asked.links = false; }));
  expect_refused("another name", but([](Asked& asked) { asked.keep = {}; }));
  expect_refused("to be listed", but([&](Asked& asked) {
                   asked.dry_run = true;
                   offer.dry_run = false;
                 }));
  expect_refused("to be sent", but([&](Asked& asked) {
                   asked.dry_run = false;
                   offer.dry_run = true;
                 }));
  expect_refused("replace what exists",
                 but([](Asked& asked) { asked.overwrite_existing = false; }));
  expect_refused("replace directories", but([](Asked& asked) { asked.force = false; }));
}

TEST_F(IntakeTest, OnlyTheMetadataThatWereAskedForAreSet) {
  // Goal: nobody becomes an owner because the sender says so.
  OwnerIds ids = OwnerIds::read();
  Entry entry = file_entry("f", 0);
  const Metadata sent{.user = Owner{::geteuid(), ""},
                      .group = Owner{::getegid(), ""},
                      .has_other_names = true,
                      .attributes = Attributes(),
                      .access = AccessList()};
  entry.metadata = sent;
  options_.asked = Asked{.keep = {.attributes = true}};
  Intake(options_, room_, &ids).trim(entry);
  EXPECT_EQ(entry.metadata, Metadata{.attributes = Attributes()});
}

}  // namespace
}  // namespace adoc
