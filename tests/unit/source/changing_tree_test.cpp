#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>

#include "source/input_file.hpp"
#include "source/walker.hpp"
#include "support/expect_error.hpp"
#include "support/temporary_directory.hpp"

namespace adoc {
namespace {

namespace fs = std::filesystem;
using testkit::TemporaryDirectory;

/// A tree in which somebody else changes something while it is walked, and secrets beside it.
class ChangingTreeTest : public testing::Test {
 protected:
  ChangingTreeTest() {
    dir_.write("t/sub/file", "public");
    dir_.write("secret/file", "secret");
    dir_.write("secret/other", "secret");
    setup_.paths = {dir_ / "t"};
  }

  /// `change` happens when the walk is at `step` with the path.
  void at(WalkStep step, const std::string& path, std::function<void()> change) {
    setup_.reached = [=, this, change = std::move(change)](WalkStep now, const std::string& at) {
      if (now != step || at != dir_ / path || changed_) return;
      changed_ = true;
      change();
    };
  }

  void replace_by_link(const std::string& path, const std::string& target) {
    fs::rename(dir_ / path, dir_ / (path + ".was"));
    fs::create_symlink(dir_ / target, dir_ / path);
  }

  std::vector<Found> walk() {
    Walker walker(setup_);
    std::vector<Found> all;
    while (auto found = walker.next()) all.push_back(std::move(*found));
    EXPECT_TRUE(changed_ || !setup_.reached) << "the walk never came there";
    return all;
  }

  static const Found* named(const std::vector<Found>& all, const std::string& name) {
    const auto found =
        std::ranges::find(all, name, [](const Found& one) { return one.entry.name.str(); });
    return found == all.end() ? nullptr : &*found;
  }

  static std::string read(const Found& found) {
    InputFile file(found.source, found.entry);
    std::array<std::byte, 100> room{};
    const std::size_t bytes = file.contents().read(0, room, {});
    return {reinterpret_cast<const char*>(room.data()), bytes};
  }

  TemporaryDirectory dir_;
  Walker::Setup setup_;
  bool changed_ = false;
};

TEST_F(ChangingTreeTest, ADirectoryThatBecomesALinkIsNotEntered) {
  // Goal: between reading its name and opening it.
  at(WalkStep::listed, "t/sub", [this] { replace_by_link("t/sub", "secret"); });
  const auto all = walk();
  const Found* sub = named(all, "t/sub");
  ASSERT_NE(sub, nullptr);
  EXPECT_EQ(sub->entry.kind, EntryKind::symlink);
  EXPECT_EQ(named(all, "t/sub/file"), nullptr);
  EXPECT_EQ(named(all, "t/sub/other"), nullptr);
}

TEST_F(ChangingTreeTest, ADirectoryThatBecomesAnotherIsNotEntered) {
  // Goal: between looking at it and opening it, which are two steps with -x.
  setup_.one_file_system = true;
  at(WalkStep::looked_at, "t/sub", [this] {
    fs::rename(dir_ / "t/sub", dir_ / "t/was");
    fs::rename(dir_ / "secret", dir_ / "t/sub");
  });
  const auto all = walk();
  const Found* sub = named(all, "t/sub");
  ASSERT_NE(sub, nullptr);
  EXPECT_EQ(sub->failure, "it changed while it was listed");
  EXPECT_EQ(named(all, "t/sub/other"), nullptr);
}

TEST_F(ChangingTreeTest, TheNamedDirectoryThatBecomesALinkIsNotEntered) {
  // Goal: what the user names is what is sent, too.
  at(WalkStep::looked_at, "t", [this] { replace_by_link("t", "secret"); });
  const auto all = walk();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_NE(all[0].failure, "");
}

TEST_F(ChangingTreeTest, AFileThatBecomesAnotherIsNotHashed) {
  // Goal: the contents that are compared are those of what was listed.
  setup_.hash_contents = true;
  at(WalkStep::looked_at, "t/sub/file", [this] {
    fs::remove(dir_ / "t/sub/file");
    fs::rename(dir_ / "secret/file", dir_ / "t/sub/file");
  });
  const auto all = walk();
  const Found* file = named(all, "t/sub/file");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->failure, "it changed while it was listed");
  EXPECT_FALSE(file->entry.hash);
}

TEST_F(ChangingTreeTest, AFileIsReadFromWhereItWasListed) {
  // Goal: a parent that becomes a link before the file is opened leads nowhere, although size and
  // time of what is behind it are the same.
  const timespec times[2] = {{1'000, 0}, {1'000, 0}};
  for (const char* path : {"t/sub/file", "secret/file"})
    ASSERT_EQ(::utimensat(AT_FDCWD, (dir_ / path).c_str(), times, 0), 0);
  const auto all = walk();
  const Found* file = named(all, "t/sub/file");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(read(*file), "public");
  replace_by_link("t/sub", "secret");
  testkit::expect_error(ErrorKind::local_file, "cannot open it",
                        [&] { static_cast<void>(read(*file)); });
  // A hard link is no link that is followed: only that it is another file gives it away.
  fs::remove(dir_ / "t/sub");
  fs::create_directory(dir_ / "t/sub");
  fs::create_hard_link(dir_ / "secret/file", dir_ / "t/sub/file");
  testkit::expect_error(ErrorKind::local_file, "changed after it was listed",
                        [&] { static_cast<void>(read(*file)); });
}

TEST_F(ChangingTreeTest, AFileThatTheUserNamedIsTheOneThatIsRead) {
  // Goal: the same where no directory is held, because the path is the file's.
  const timespec times[2] = {{1'000, 0}, {1'000, 0}};
  for (const char* path : {"t/sub/file", "secret/file"})
    ASSERT_EQ(::utimensat(AT_FDCWD, (dir_ / path).c_str(), times, 0), 0);
  setup_.paths = {dir_ / "t/sub/file"};
  const auto all = walk();
  ASSERT_EQ(all.size(), 1U);
  replace_by_link("t/sub", "secret");
  testkit::expect_error(ErrorKind::local_file, "changed after it was listed",
                        [&] { static_cast<void>(read(all[0])); });
}

TEST_F(ChangingTreeTest, ANamedDirectoryMayBeRenamedWhileItIsSent) {
  // Goal: it is held open; the link that takes its name is not followed.
  const auto all = walk();
  replace_by_link("t", "secret");
  const Found* file = named(all, "t/sub/file");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(read(*file), "public");
}

TEST_F(ChangingTreeTest, OfManyDirectoriesTheLaterOnesAreOpenedAgainAndCompared) {
  // Goal: descriptors do not grow with the number of sources, and nothing else is opened instead.
  setup_.paths.clear();
  for (int i = 0; i < 40; ++i) {
    const std::string top = "d" + std::to_string(i);
    dir_.write(top + "/x" + std::to_string(i), "public");
    setup_.paths.push_back(dir_ / (i % 2 == 0 ? top : top + "/"));
  }
  const auto descriptors = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  const auto before = descriptors();
  const auto all = walk();
  EXPECT_LE(descriptors() - before, 8);
  for (const Found& found : all) {
    if (found.entry.kind == EntryKind::directory) continue;
    EXPECT_EQ(read(found), "public");
  }
  replace_by_link("d38", "secret");
  fs::rename(dir_ / "d39", dir_ / "was");
  fs::create_directory(dir_ / "d39");
  EXPECT_THROW(static_cast<void>(read(*named(all, "d38/x38"))), Error);
  testkit::expect_error(ErrorKind::local_file, "vanished",
                        [&] { static_cast<void>(read(*named(all, "x39"))); });
}

TEST_F(ChangingTreeTest, WhatVanishesIsToldApart) {
  // Goal: a file that goes after its name was read, and one that goes before it is read.
  at(WalkStep::listed, "t/sub/file", [this] { fs::remove(dir_ / "t/sub/file"); });
  dir_.write("t/later", "x");
  const auto all = walk();
  EXPECT_EQ(named(all, "t/sub/file")->failure, "it vanished before it was read");
  fs::remove(dir_ / "t/later");
  testkit::expect_error(ErrorKind::local_file, "it vanished before it was read",
                        [&] { static_cast<void>(read(*named(all, "t/later"))); });
}

TEST_F(ChangingTreeTest, ADeepDirectoryThatIsMovedAwayDoesNotLeadTheWalkThere) {
  // Goal: the way back up ends in the directory that the walk came from, not in the one that the
  // deep one was moved to.
  std::string deep = "t";
  for (int i = 0; i < 40; ++i) {
    deep += "/" + std::to_string(i);
    for (const char* file : {"/a", "/b", "/c", "/x", "/y", "/z"}) dir_.write(deep + file, "public");
  }
  // The walk has no descriptor of level 20 any more when it comes back from level 21.
  std::string moved = "t";
  for (int i = 0; i <= 21; ++i) moved += "/" + std::to_string(i);
  at(WalkStep::ended, moved, [&] { fs::rename(dir_ / moved, dir_ / "secret/moved"); });
  std::set<std::string> names;
  for (const Found& found : walk()) {
    EXPECT_EQ(found.failure, "") << found.source.path;
    EXPECT_TRUE(names.insert(found.entry.name.str()).second);
  }
  EXPECT_EQ(names.size(), 1U + 2 + 40 * 7);
  EXPECT_FALSE(
      std::ranges::any_of(names, [](const std::string& name) { return name.ends_with("other"); }));
}

TEST_F(ChangingTreeTest, ADirectoryThatVanishesUnderTheWalkIsAFailureOfItsOwn) {
  // Goal: the way back up finds nothing; the levels above it are read on.
  std::string deep = "t";
  for (int i = 0; i < 40; ++i) deep += "/" + std::to_string(i);
  dir_.write(deep + "/file", "public");
  const std::string above = fs::path(deep).parent_path().string();
  std::string gone = "t";
  for (int i = 0; i <= 20; ++i) gone += "/" + std::to_string(i);
  const std::string child = gone + "/21";
  at(WalkStep::ended, child, [&] {
    fs::rename(dir_ / child, dir_ / "moved");
    fs::remove_all(dir_ / gone);
  });
  const auto all = walk();
  ASSERT_NE(named(all, gone), nullptr);
  EXPECT_EQ(named(all, gone)->failure, "it vanished before it was read");
  EXPECT_EQ(all.back().entry.name.str(), "t");
  EXPECT_EQ(all.back().failure, "");
}

}  // namespace
}  // namespace adoc
