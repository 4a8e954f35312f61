#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "source/walker.hpp"
#include "support/temporary_directory.hpp"

namespace adoc {
namespace {

namespace fs = std::filesystem;
using testkit::TemporaryDirectory;

/// What is sent of sources that have names in common.
class EarlierSourcesTest : public testing::Test {
 protected:
  /// name -> path that it is sent from; directories may come more than once.
  std::map<std::string, std::string> walk(const std::vector<std::string>& paths) {
    setup_.paths.clear();
    for (const std::string& path : paths) setup_.paths.push_back(path == "-" ? path : dir_ / path);
    left_out_.clear();
    setup_.left_out = [this](const std::string& path, const std::string& why) {
      left_out_.insert(path.substr(dir_.path().size() + 1));
      why_ = why;
    };
    Walker walker(setup_);
    std::map<std::string, std::string> sent;
    while (const auto found = walker.next()) {
      EXPECT_EQ(found->failure, "") << found->source.path;
      const bool is_new = sent.emplace(found->entry.name.str(), found->source.path).second;
      EXPECT_TRUE(is_new || found->entry.kind == EntryKind::directory) << found->source.path;
      modes_[found->entry.name.str()] = found->entry.mode;
    }
    return sent;
  }

  TemporaryDirectory dir_;
  Walker::Setup setup_;
  std::set<std::string> left_out_;
  std::string why_;
  std::map<std::string, std::uint32_t> modes_;  ///< as they are sent last
};

TEST_F(EarlierSourcesTest, OfTwoFilesThatBecomeOneTheFirstIsSentAndTheSecondIsNamed) {
  // Goal: contents of two directories, at any depth.
  for (const char* name : {"a/README", "b/README", "a/sub/x", "b/sub/x", "b/sub/y", "b/z"})
    dir_.write(name, name);
  const auto sent = walk({"a/", "b/"});
  EXPECT_EQ(sent.at("README"), dir_ / "a/README");
  EXPECT_EQ(sent.at("sub/x"), dir_ / "a/sub/x");
  EXPECT_EQ(sent.at("sub/y"), dir_ / "b/sub/y");
  EXPECT_EQ(sent.at("z"), dir_ / "b/z");
  EXPECT_EQ(left_out_, (std::set<std::string>{"b/README", "b/sub/x"}));
  EXPECT_NE(why_.find("comes first"), std::string::npos);
}

TEST_F(EarlierSourcesTest, DirectoriesOfOneNameBecomeOneWithTheModeOfTheFirst) {
  // Goal: also those that are named, as in rsync.
  dir_.write("x/foo/one", "");
  dir_.write("y/foo/one", "");
  dir_.write("y/foo/two", "");
  dir_.write("z/foo", "a file");
  fs::permissions(dir_ / "x/foo", fs::perms(0751));
  fs::permissions(dir_ / "y/foo", fs::perms(0700));
  const auto sent = walk({"x/foo", "y/foo", "z/foo"});
  EXPECT_EQ(sent.at("foo/one"), dir_ / "x/foo/one");
  EXPECT_EQ(sent.at("foo/two"), dir_ / "y/foo/two");
  EXPECT_EQ(modes_.at("foo"), 0751U);
  EXPECT_EQ(left_out_, (std::set<std::string>{"y/foo/one", "z/foo"}));
}

TEST_F(EarlierSourcesTest, AFileThatIsFirstKeepsADirectoryOut) {
  // Goal: what cannot become one does not; nothing below is sent or named.
  dir_.write("a/name", "");
  dir_.write("b/name/below", "");
  dir_.write("c/name/below", "");
  const auto sent = walk({"a/", "b/name", "c/"});
  EXPECT_EQ(sent.size(), 1U);
  EXPECT_EQ(left_out_, (std::set<std::string>{"b/name", "c/name"}));
}

TEST_F(EarlierSourcesTest, WhatIsNotSentKeepsNothingOut) {
  // Goal: the filter holds for the earlier source, too, and so does -x.
  dir_.write("a/log", "");
  fs::create_directory(dir_ / "b");
  dir_.write("b/log/x", "");
  setup_.filter = Filter({{true, "log/"}, {false, "log"}});
  EXPECT_EQ(walk({"a/", "b/"}).at("log/x"), dir_ / "b/log/x");
  EXPECT_TRUE(left_out_.empty());
}

TEST_F(EarlierSourcesTest, FilesAndStandardInputHaveNamesToo) {
  // Goal: any two kinds of sources.
  dir_.write("a/file", "");
  dir_.write("other/file", "");
  dir_.write("in/put", "");
  setup_.stdin_name = "in/put";
  EXPECT_EQ(walk({"other/file", "a/"}).at("file"), dir_ / "other/file");
  EXPECT_EQ(left_out_, (std::set<std::string>{"a/file"}));
  EXPECT_EQ(walk({"a/", "other/file"}).at("file"), dir_ / "a/file");
  EXPECT_EQ(left_out_, (std::set<std::string>{"other/file"}));
  EXPECT_EQ(walk({"-", "in"}).at("in/put"), "-");
  EXPECT_EQ(left_out_, (std::set<std::string>{"in/put"}));
}

TEST_F(EarlierSourcesTest, WhatIsGivenTwiceIsSentOnceWithoutAWord) {
  // Goal: nothing is lost by it.
  dir_.write("a/x", "");
  dir_.write("a/sub/y", "");
  EXPECT_EQ(walk({"a", "a", "a/", "a/", "a/x"}).size(), 7U);
  EXPECT_TRUE(left_out_.empty());
}

TEST_F(EarlierSourcesTest, TheFirstOfManyWins) {
  // Goal: also among sources that are not kept open.
  std::vector<std::string> paths;
  for (int i = 0; i < 30; ++i) {
    const std::string top = "d" + std::to_string(i);
    dir_.write(top + "/sub/own" + std::to_string(i), "");
    if (i >= 12) dir_.write(top + "/sub/common", "");
    paths.push_back(top + "/");
  }
  const auto sent = walk(paths);
  EXPECT_EQ(sent.size(), 32U);
  EXPECT_EQ(sent.at("sub/common"), dir_ / "d12/sub/common");
  EXPECT_EQ(left_out_.size(), 17U);
}

}  // namespace
}  // namespace adoc
