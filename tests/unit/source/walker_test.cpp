#include "source/walker.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/expect_error.hpp"
#include "support/temporary_directory.hpp"

namespace adoc {
namespace {

namespace fs = std::filesystem;
using testkit::TemporaryDirectory;

std::vector<Found> walk(std::vector<std::string> paths, std::vector<FilterRule> rules = {}) {
  Walker walker({.paths = std::move(paths), .stdin_name = {}, .filter = Filter(std::move(rules))});
  std::vector<Found> all;
  while (auto found = walker.next()) all.push_back(std::move(*found));
  return all;
}

std::vector<std::string> names(const std::vector<Found>& all) {
  std::vector<std::string> names;
  for (const Found& found : all) names.push_back(found.entry.name.str());
  return names;
}

TEST(WalkerTest, DestinationNamesAreLastComponentsAsInRsync) {
  // Goal: what stands for the contents of a directory has no name.
  for (const auto& [path, name] :
       std::initializer_list<std::pair<std::string, std::string>>{{"a", "a"},
                                                                  {"a/b", "b"},
                                                                  {"/a/b", "b"},
                                                                  {"./a", "a"},
                                                                  {"a/", ""},
                                                                  {"a//", ""},
                                                                  {".", ""},
                                                                  {"..", ""},
                                                                  {"a/.", ""},
                                                                  {"a/..", ""},
                                                                  {"/", ""},
                                                                  {"...", "..."}})
    EXPECT_EQ(destination_name(path), name) << path;
}

TEST(WalkerTest, ADirectoryComesAfterEverythingInIt) {
  // Goal: post-order, so that its mode and time are set when nothing changes them any more.
  TemporaryDirectory dir;
  dir.write("t/a/one", "1");
  dir.write("t/a/deep/two", "2");
  dir.write("t/b/three", "3");
  fs::create_directory(dir / "t/empty");
  const auto all = names(walk({dir / "t"}));
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()),
            (std::set<std::string>{"t", "t/a", "t/a/one", "t/a/deep", "t/a/deep/two", "t/b",
                                   "t/b/three", "t/empty"}));
  EXPECT_EQ(all.back(), "t");
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j)
      EXPECT_FALSE(all[j].starts_with(all[i] + "/")) << all[i] << " comes before " << all[j];
}

TEST(WalkerTest, EntriesAreWhatTheFileSystemSays) {
  // Goal: kind, size, mode, time and target of each.
  TemporaryDirectory dir;
  const std::string file = dir.write("t/file", "12345");
  ASSERT_EQ(::chmod(file.c_str(), 04640), 0);
  const timespec times[2] = {{0, UTIME_OMIT}, {1'234, 567}};
  ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  fs::create_symlink("no/where", dir / "t/link");
  for (const Found& found : walk({dir / "t"})) {
    EXPECT_EQ(found.failure, "");
    const Entry& entry = found.entry;
    if (entry.name.str() == "t/file") {
      EXPECT_EQ(entry.kind, EntryKind::file);
      EXPECT_EQ(entry.size, 5U);
      EXPECT_EQ(entry.mode, 04640U);
      EXPECT_EQ(entry.mtime_seconds, 1'234);
      EXPECT_EQ(entry.mtime_nanoseconds, 567U);
      EXPECT_EQ(found.path, file);
    } else if (entry.name.str() == "t/link") {
      EXPECT_EQ(entry.kind, EntryKind::symlink);
      EXPECT_EQ(entry.link_target, "no/where");
    } else {
      EXPECT_EQ(entry.kind, EntryKind::directory);
    }
  }
}

TEST(WalkerTest, HolesAreFound) {
  // Goal: a sparse file is offered as its data runs.
  TemporaryDirectory dir;
  const std::string path = dir.write("sparse", "");
  fs::resize_file(path, 4 << 20);
  std::fstream file(path);
  file.seekp(1 << 20) << "data";
  file.close();
  const auto all = walk({path});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].entry.size, 4U << 20);
  ASSERT_TRUE(all[0].entry.data);
  ASSERT_EQ(all[0].entry.data->size(), 1U);
  const Extent run = *all[0].entry.data->begin();
  EXPECT_LE(run.offset, 1U << 20);
  EXPECT_GE(run.offset + run.length, (1U << 20) + 4);
  EXPECT_LT(run.length, 1U << 20);
}

TEST(WalkerTest, WhatCannotBeSentIsAFailureOfItsOwn) {
  // Goal: a missing path or a pipe does not keep the rest from being sent.
  TemporaryDirectory dir;
  const std::string good = dir.write("good", "x");
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  const auto all = walk({dir / "missing", dir / "pipe", good + "/", good});
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].failure, "cannot look at it: no such file or directory");
  EXPECT_EQ(all[1].failure, "it is not a file, a directory or a symbolic link");
  EXPECT_EQ(all[2].failure, "cannot list it: not a directory");
  EXPECT_EQ(all[3].failure, "");
}

TEST(WalkerTest, ContentsOfADirectoryGoToTheTop) {
  // Goal: a trailing slash or a dot, as in rsync.
  TemporaryDirectory dir;
  dir.write("t/x", "");
  for (const std::string path : {"t/", "t/."})
    EXPECT_EQ(names(walk({dir / path})), (std::vector<std::string>{"x"}));
}

TEST(WalkerTest, LinksAreNotFollowed) {
  // Goal: a link to a directory is a link, also when it is given by name.
  TemporaryDirectory dir;
  dir.write("real/x", "");
  fs::create_symlink("real", dir / "link");
  const auto all = walk({dir / "link"});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].entry.kind, EntryKind::symlink);
}

TEST(WalkerTest, AnExcludedDirectoryIsNotEntered) {
  // Goal: filters cut off whole trees.
  TemporaryDirectory dir;
  dir.write("t/skip/x", "");
  dir.write("t/keep/skip.o", "");
  EXPECT_EQ(names(walk({dir / "t"}, {{false, "skip/"}, {false, "*.o"}})),
            (std::vector<std::string>{"t/keep", "t"}));
}

TEST(WalkerTest, NoPathAtAllAndTwoOfOneNameAreErrors) {
  // Goal: these are found before anything is sent.
  TemporaryDirectory dir;
  dir.write("a/x", "");
  dir.write("b/x", "");
  testkit::expect_error(ErrorKind::local_file, "missing: no such file or directory",
                        [&] { walk({dir / "missing"}); });
  testkit::expect_error(ErrorKind::usage, "two of the paths would both become x", [&] {
    walk({dir / "a/x", dir / "b/x"});
  });
}

}  // namespace
}  // namespace adoc
