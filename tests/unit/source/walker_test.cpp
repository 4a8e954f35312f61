#include "source/walker.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <set>

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
  EXPECT_EQ(all, (std::vector<std::string>{"t/a/deep/two", "t/a/deep", "t/a/one", "t/a",
                                           "t/b/three", "t/b", "t/empty", "t"}));
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
      EXPECT_EQ(found.source.path, file);
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

/// Each name with "", "/" or "@" behind it, by its kind, or its failure.
std::map<std::string, std::string> walk_all(Walker::Setup setup) {
  Walker walker(std::move(setup));
  std::map<std::string, std::string> all;
  while (const auto found = walker.next()) {
    const char* const kinds[] = {"", "file", "directory", "link"};
    EXPECT_TRUE(all.emplace(found->entry.name.str(),
                            found->failure.empty() ? kinds[static_cast<int>(found->entry.kind)]
                                                   : found->failure)
                    .second);
    if (!found->failure.empty() || found->entry.kind != EntryKind::file) continue;
    const Fd file = found->source.open();
    struct stat status {};
    EXPECT_TRUE(file && ::fstat(file.get(), &status) == 0 &&
                found->source.is_listed(file.get(), status))
        << found->source.path;
  }
  return all;
}

TEST(WalkerTest, WhatIsBehindLinksIsSentWhenThatIsAskedFor) {
  // Goal: files, directories, dangling links and loops, in trees, contents and by name.
  TemporaryDirectory dir;
  dir.write("elsewhere/deep/x", "x");
  dir.write("t/own", "");
  fs::create_symlink("../elsewhere/deep/x", dir / "t/file");
  fs::create_symlink("../elsewhere", dir / "t/tree");
  fs::create_symlink("no/where", dir / "t/dangling");
  fs::create_symlink("round", dir / "t/round");
  fs::create_symlink("../..", dir / "elsewhere/deep/up");
  fs::create_symlink("t", dir / "named");
  const std::string loop = "a symbolic link leads back to a directory that it lies in";
  std::map<std::string, std::string> below{
      {"own", "file"},
      {"file", "file"},
      {"tree", "directory"},
      {"tree/deep", "directory"},
      {"tree/deep/x", "file"},
      {"tree/deep/up", "directory"},
      {"tree/deep/up/elsewhere", loop},
      {"tree/deep/up/t", loop},
      {"tree/deep/up/named", loop},
      {"dangling", "it is a symbolic link to what is not there"},
      {"round", "cannot follow the symbolic link: too many levels of symbolic links"}};
  EXPECT_EQ(walk_all({.paths = {dir / "t/"}, .copy_links = true}), below);
  std::map<std::string, std::string> named{{"named", "directory"}};
  for (const auto& [name, what] : below) named.emplace("named/" + name, what);
  EXPECT_EQ(walk_all({.paths = {dir / "named"}, .copy_links = true}), named);
  EXPECT_EQ(
      walk_all({.paths = {dir / "t/file", dir / "t/dangling"}, .copy_links = true}),
      (std::map<std::string, std::string>{{"file", "file"}, {"dangling", below.at("dangling")}}));
  // A filter means what is behind the link.
  EXPECT_EQ(walk_all({.paths = {dir / "t"},
                      .filter = Filter({{.pattern = "*/*/"}, {.pattern = "[dr]*"}}),
                      .copy_links = true}),
            (std::map<std::string, std::string>{
                {"t", "directory"}, {"t/own", "file"}, {"t/file", "file"}}));
}

TEST(WalkerTest, LinksAreFollowedAlsoWhereNoDescriptorIsHeld) {
  // Goal: more sources than are kept open, and deeper than levels are.
  TemporaryDirectory dir;
  std::string deep = "away";
  for (int i = 0; i < 40; ++i) deep += "/d";
  dir.write(deep + "/x", "x");
  Walker::Setup setup;
  setup.copy_links = true;
  for (int i = 0; i < 12; ++i) {
    const std::string name = "s" + std::to_string(i);
    fs::create_directory(dir / name);
    fs::create_symlink("../away", dir / (name + "/in"));
    setup.paths.push_back(dir / name);
  }
  const auto all = walk_all(setup);
  EXPECT_EQ(all.size(), 12U * 43U);
  EXPECT_EQ(all.at("s11/in" + deep.substr(4) + "/x"), "file");
}

TEST(WalkerTest, TheOnlySourceMayGetAnotherName) {
  // Goal: a file, a tree, and contents, which lie below it then. Filters know the names here.
  TemporaryDirectory dir;
  dir.write("t/a", "");
  dir.write("t/d/b", "");
  const std::map<std::string, std::string> tree{{"new/name", "directory"},
                                                {"new/name/a", "file"},
                                                {"new/name/d", "directory"},
                                                {"new/name/d/b", "file"}};
  for (const char* path : {"t", "t/", "t/."})
    EXPECT_EQ(walk_all({.paths = {dir / path}, .name = "new/name"}), tree) << path;
  EXPECT_EQ(walk_all({.paths = {dir / "t/a"}, .name = "new"}),
            (std::map<std::string, std::string>{{"new", "file"}}));
  const std::map<std::string, std::string> filtered{{"new", "directory"}, {"new/a", "file"}};
  EXPECT_EQ(
      walk_all({.paths = {dir / "t"}, .filter = Filter({{.pattern = "/t/d"}}), .name = "new"}),
      filtered);
  EXPECT_EQ(walk_all({.paths = {dir / "t/"}, .filter = Filter({{.pattern = "/d"}}), .name = "new"}),
            filtered);
}

TEST(WalkerTest, ADirectoryIsAFailureWhereNoneIsToBeSent) {
  // Goal: each by itself, by name and as contents, while the other sources go on.
  TemporaryDirectory dir;
  dir.write("t/a", "");
  const std::string good = dir.write("good", "");
  const std::string refused = "it is a directory (-r is not given)";
  EXPECT_EQ(walk_all({.paths = {dir / "t", good}, .recursive = false}),
            (std::map<std::string, std::string>{{"t", refused}, {"good", "file"}}));
  EXPECT_EQ(walk_all({.paths = {dir / "t/", good}, .recursive = false}),
            (std::map<std::string, std::string>{{"t", refused}, {"good", "file"}}));
}

TEST(WalkerTest, AnExcludedDirectoryIsNotEntered) {
  // Goal: filters cut off whole trees.
  TemporaryDirectory dir;
  dir.write("t/skip/x", "");
  dir.write("t/keep/skip.o", "");
  EXPECT_EQ(names(walk({dir / "t"}, {{false, "skip/"}, {false, "*.o"}})),
            (std::vector<std::string>{"t/keep", "t"}));
}

TEST(WalkerTest, NoPathAtAllIsAnError) {
  // Goal: it is found before anything is sent.
  TemporaryDirectory dir;
  testkit::expect_error(ErrorKind::local_file, "missing: no such file or directory",
                        [&] { walk({dir / "missing"}); });
}

TEST(WalkerTest, DeepAndWideTreesComeWhole) {
  // Goal: directories that gave their descriptors back are read on where they were, once each and
  // in order, also with more names than are kept meanwhile.
  TemporaryDirectory dir;
  std::string deep;
  std::set<std::string> expected;
  for (int level = 0; level < 40; ++level) {
    deep += (level == 0 ? "" : "/") + std::string("d");
    expected.insert(deep);
    for (int i = 0; i < (level % 10 == 0 ? 1000 : 20); ++i) {
      // Some come before the directory that is entered in between, some after it.
      const std::string name = (i % 2 == 0 ? "/a" : "/z") + std::string(100, 'n');
      expected.insert(deep + name + std::to_string(i));
      dir.write(deep + name + std::to_string(i), "");
    }
  }
  const auto all = names(walk({dir / "d"}));
  EXPECT_EQ(all.size(), expected.size());
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()), expected);
  std::map<std::string, std::vector<std::string>> by_directory;
  for (const std::string& name : all)
    by_directory[name.substr(0, name.rfind('/') + 1)].push_back(name);
  for (const auto& [directory, in_it] : by_directory)
    EXPECT_TRUE(std::ranges::is_sorted(in_it)) << directory;
}

TEST(WalkerTest, ADirectoryWithMoreNamesThanAreSortedComesWhole) {
  // Goal: also where it is left and entered again, and its descriptor given back, in between.
  TemporaryDirectory dir;
  std::string below;
  for (int level = 0; level < 20; ++level) below += "/d";
  std::multiset<std::string> expected;
  for (int i = 0; i < 5000; ++i) {
    std::string name = "t/" + std::string(240, 'n') + std::to_string(i);
    dir.write(name, "");
    expected.insert(std::move(name));
  }
  for (const char* start : {"t/a", "t/n", "t/z"}) fs::create_directories(dir / (start + below));
  std::multiset<std::string> all;
  for (const std::string& name : names(walk({dir / "t"})))
    if (name.starts_with("t/nn")) all.insert(name);
  EXPECT_EQ(all.size(), 5000U);
  EXPECT_TRUE(all == expected);
}

TEST(WalkerTest, AStopIsSeenAndNothingIsLostByIt) {
  // Goal: in the middle of hashing a file, and the walk goes on with that file when it is asked.
  TemporaryDirectory dir;
  for (const char* name : {"t/a", "t/b", "t/c"}) dir.write(name, "contents");
  std::stop_source stop;
  Walker walker({.paths = {dir / "t", dir / "t/a"},
                 .hash_contents = true,
                 .reached = [&](WalkStep step, const std::string& path) {
                   if (step == WalkStep::looked_at && path.size() > (dir / "t").size())
                     stop.request_stop();
                 }});
  std::vector<std::string> all;
  std::size_t stops = 0;
  for (bool ended = false; !ended;) {
    try {
      const auto found = walker.next(stop.get_token());
      ended = !found;
      if (found) all.push_back(found->entry.name.str());
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::interrupted);
      ++stops;
      // Once for each file: the second time the stop that it asks for is not ours.
      const auto found = walker.next({});
      ASSERT_TRUE(found);
      EXPECT_TRUE(found->entry.hash);
      all.push_back(found->entry.name.str());
      stop = {};
    }
  }
  EXPECT_EQ(stops, 4U);
  std::ranges::sort(all);
  EXPECT_EQ(all, (std::vector<std::string>{"a", "t", "t/a", "t/b", "t/c"}));
}

TEST(WalkerTest, AStopIsSeenWhereNothingIsGiven) {
  // Goal: a directory of which nothing is sent may have millions of names.
  TemporaryDirectory dir;
  for (const char* name : {"a/x", "b/x", "b/1", "b/2"}) dir.write(name, "");
  std::stop_source stop;
  Walker walker({.paths = {dir / "a/", dir / "b/"},
                 .filter = Filter({{false, "[0-9]"}}),
                 .left_out = [&](const std::string&, const std::string&) { stop.request_stop(); }});
  EXPECT_TRUE(walker.next(stop.get_token()));
  testkit::expect_error(ErrorKind::interrupted, "interrupted",
                        [&] { static_cast<void>(walker.next(stop.get_token())); });
}

TEST(WalkerTest, AReceiversOwnDirectoryIsLeftOut) {
  // Goal: at the top and below, with a message and without a failure; a user's of that name is sent
  // where it can be.
  TemporaryDirectory dir;
  const std::string part = "/.adoc-0123456789abcdef.part";
  for (const std::string path : {"inbox/.adoc", "t/inbox/.ADOC"}) dir.write(path + part, "x");
  dir.write("inbox/file", "");
  dir.write("t/mine/.adoc/notes", "");
  fs::create_directories(dir / "t/empty/.adoc");
  std::vector<std::string> left_out;
  const auto walk_all = [&](const std::string& path) {
    Walker walker({.paths = {dir / path}, .left_out = [&](const std::string& what, const auto&) {
                     left_out.push_back(what);
                   }});
    std::set<std::string> all;
    while (const auto found = walker.next()) {
      EXPECT_EQ(found->failure, "");
      all.insert(found->entry.name.str());
    }
    return all;
  };
  EXPECT_EQ(walk_all("inbox/"), (std::set<std::string>{"file"}));
  EXPECT_EQ(left_out, (std::vector<std::string>{dir / "inbox/.adoc"}));
  EXPECT_EQ(walk_all("inbox"), (std::set<std::string>{"inbox", "inbox/file"}));
  EXPECT_EQ(left_out.size(), 2U);
  EXPECT_EQ(walk_all("t"), (std::set<std::string>{"t", "t/inbox", "t/empty", "t/mine",
                                                  "t/mine/.adoc", "t/mine/.adoc/notes"}));
  EXPECT_EQ(left_out.size(), 4U);
  // Under this name nothing arrives.
  const auto mine = walk({dir / "t/mine/"});
  ASSERT_EQ(mine.size(), 1U);
  EXPECT_NE(mine[0].failure, "");
}

TEST(WalkerTest, FilesThatAreMadeUpAsTheyAreReadHaveNoKnownSize) {
  // Goal: the size that the system gives for /proc and /sys is not believed, that of an empty file
  // is.
  TemporaryDirectory dir;
  const auto size = [](const std::string& path) {
    const auto all = walk({path});
    EXPECT_EQ(all.size(), 1U);
    EXPECT_EQ(all.at(0).failure, "");
    return all.at(0).entry.size;
  };
  EXPECT_EQ(size("/proc/version"), kUnknownSize);
  if (fs::exists("/sys/kernel/mm/transparent_hugepage/enabled")) {
    EXPECT_EQ(size("/sys/kernel/mm/transparent_hugepage/enabled"), kUnknownSize);
  }
  EXPECT_EQ(size(dir.write("empty", "")), 0U);
}

}  // namespace
}  // namespace adoc
