#include "transfer/path_metrics_store.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "support/temporary_directory.hpp"

namespace adoc {
namespace {

namespace fs = std::filesystem;

const Ladder kLadder = Ladder::named("auto");

class PathMetricsStoreTest : public testing::Test {
 protected:
  [[nodiscard]] fs::path directory() const { return fs::path(root_.path()) / "cache/adoc/links"; }
  [[nodiscard]] PathMetricsStore store() const { return PathMetricsStore(directory().string()); }
  static PathMetrics rate(double log_rate) { return {.log_rate = log_rate}; }
  static mode_t mode(const fs::path& path) {
    struct stat is {};
    ::stat(path.c_str(), &is);
    return is.st_mode & 07777;
  }

  testkit::TemporaryDirectory root_;
};

TEST_F(PathMetricsStoreTest, KeepsOneOfEachLinkForItsUserAlone) {
  store().keep("a-b", rate(1), kLadder);
  store().keep("a-c", rate(2), kLadder);
  store().keep("a-b", rate(3), kLadder);
  EXPECT_EQ(store().find("a-b", kLadder), rate(3));
  EXPECT_EQ(store().find("a-c", kLadder), rate(2));
  EXPECT_EQ(store().find("a-d", kLadder), std::nullopt);
  EXPECT_EQ(mode(directory()), 0700U);
  EXPECT_EQ(mode(directory() / "a-b"), 0600U);
}

TEST_F(PathMetricsStoreTest, NoDirectoryKeepsNothing) {
  const PathMetricsStore none("");
  none.keep("a-b", rate(1), kLadder);
  EXPECT_EQ(none.find("a-b", kLadder), std::nullopt);
}

TEST_F(PathMetricsStoreTest, WhatCannotBeReadOrWrittenIsNotKnown) {
  fs::create_directories(directory() / "a-b");
  store().keep("a-b", rate(1), kLadder);
  EXPECT_EQ(store().find("a-b", kLadder), std::nullopt);
  std::ofstream(directory() / "a-c") << "something else";
  EXPECT_EQ(store().find("a-c", kLadder), std::nullopt);
  store().keep("a-c", rate(2), kLadder);
  EXPECT_EQ(store().find("a-c", kLadder), rate(2));
  const PathMetricsStore elsewhere("/dev/null/links");
  elsewhere.keep("a-b", rate(1), kLadder);
  EXPECT_EQ(elsewhere.find("a-b", kLadder), std::nullopt);
}

TEST_F(PathMetricsStoreTest, ANameThatLeadsElsewhereIsNone) {
  for (const char* name : {"", ".", "..", "../x", "a/b", "/tmp/x"}) {
    store().keep(name, rate(1), kLadder);
    EXPECT_EQ(store().find(name, kLadder), std::nullopt) << name;
  }
  EXPECT_FALSE(fs::exists(fs::path(root_.path()) / "cache/adoc/x"));
}

TEST_F(PathMetricsStoreTest, WhatIsOldIsForgotten) {
  store().keep("a-b", rate(1), kLadder);
  fs::last_write_time(directory() / "a-b",
                      fs::file_time_type::clock::now() - std::chrono::hours(31 * 24));
  EXPECT_EQ(store().find("a-b", kLadder), std::nullopt);
}

TEST_F(PathMetricsStoreTest, OfTooManyLinksTheOldestGo) {
  for (int i = 0; i < 300; ++i) {
    const std::string link = "a-" + std::to_string(i);
    store().keep(link, rate(1), kLadder);
    fs::last_write_time(directory() / link,
                        fs::file_time_type::clock::now() - std::chrono::minutes(1'000 - i));
  }
  store().keep("a-last", rate(2), kLadder);
  EXPECT_EQ(store().find("a-last", kLadder), rate(2));
  EXPECT_EQ(store().find("a-299", kLadder), rate(1));
  EXPECT_EQ(store().find("a-0", kLadder), std::nullopt);
  const auto files = std::distance(fs::directory_iterator(directory()), fs::directory_iterator());
  EXPECT_EQ(files, 256);
}

}  // namespace
}  // namespace adoc
