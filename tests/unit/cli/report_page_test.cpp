#include "cli/report_page.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "cli/html.hpp"
#include "cli/report_file.hpp"
#include "cli/slots.hpp"
#include "support/expect_error.hpp"
#include "support/read_file.hpp"

namespace adoc::cli {
namespace {

/// A transfer of blocks of 1 MB, halved, one each 10 ms, at level 3 and then 7.
Series series_of(std::uint64_t blocks) {
  Series series;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const double time = 0.01 * static_cast<double>(i + 1);
    series.add(Decision{.time_seconds = time,
                        .block = i,
                        .raw_bytes = 1'000'000,
                        .wire_bytes = 500'000,
                        .level = 2 * i < blocks ? 3 : 7,
                        .codec = "zstd",
                        .reason = "<least> & \"cost\"",
                        .entropy_bits = 5,
                        .seen = {.arrived_bytes = 500'000 * (i + 1),
                                 .queued_bytes = 4'000,
                                 .link_price = 0.75,
                                 .sending_seconds = time}});
  }
  return series;
}

bool has(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

TEST(SlotsTest, RatesAreThoseOfTheTransfer) {
  // Goal: what is drawn adds up to what was sent, whatever the number of slots.
  for (const std::uint64_t blocks : {10U, 100U, 5'000U}) {
    const Series series = series_of(blocks);
    const std::vector<Slot> slots = slots_of(series, 0);
    double raw = 0, wire = 0;
    for (const Slot& slot : slots) {
      raw += slot.raw_bytes_per_second * (slot.end - slot.begin);
      wire += slot.wire_bytes_per_second * (slot.end - slot.begin);
      EXPECT_NEAR(slot.limits.of(Limit::link), 1, 1e-6);
    }
    EXPECT_NEAR(raw, 1e6 * static_cast<double>(blocks), 1);
    EXPECT_NEAR(wire, 5e5 * static_cast<double>(blocks), 1);
    const auto first = std::ranges::find_if(slots, [](const Slot& s) { return !!s.level; });
    EXPECT_EQ(first->level, 3);
    EXPECT_EQ(slots.back().level.value_or(-1), 7);
  }
}

TEST(SlotsTest, TheTimeAfterTheLastBlockIsDrawnToo) {
  // Goal: a flush that takes as long again as the rest is seen.
  Series series = series_of(100);
  Observation end = series.last();
  end.time_seconds = 2;
  end.finishing_seconds = 1;
  series.add(end);
  const std::vector<Slot> slots = slots_of(series, 2);
  EXPECT_EQ(slots.back().end, 2);
  EXPECT_EQ(slots.back().limits.largest(), Limit::disk);
  EXPECT_EQ(slots.front().limits.largest(), Limit::link);
}

TEST(SeriesTest, SumsSurviveAnyLengthOfTime) {
  // Goal: however far times are apart, and in whatever order they come, no block is lost.
  Series series;
  for (const double time : {0.001, 5e8, 3.0, 0.5, 1e14, 7.0})
    series.add(Decision{
        .time_seconds = time, .raw_bytes = 10, .level = 1, .codec = "zlib", .reason = "fixed"});
  std::uint64_t raw = 0, blocks = 0;
  for (const Series::Bin& bin : series.bins()) raw += bin.raw_bytes, blocks += bin.blocks;
  EXPECT_EQ(raw, 60U);
  EXPECT_EQ(blocks, 6U);
  EXPECT_EQ(series.last().time_seconds, 1e14);
}

TEST(ReportPageTest, ThePageSaysWhatWasSent) {
  // Goal: totals, levels, classes and changes stand in the page as figures.
  const Series series = series_of(100);
  const std::string page = report_page({.title = "t", .about = "", .series = series});
  EXPECT_TRUE(has(page, R"(data-bytes="100000000" data-wire-bytes="50000000")"));
  EXPECT_TRUE(has(page, R"(data-level="3" data-blocks="50" data-raw="50000000")"));
  EXPECT_TRUE(has(page, R"(data-level="7" data-blocks="50")"));
  EXPECT_TRUE(has(page, R"(data-class="2" data-blocks="100")"));
  EXPECT_TRUE(has(page, R"(data-from="3" data-to="7" data-changes="1")"));
  EXPECT_TRUE(has(page, "The link, which carried"));
}

TEST(ReportPageTest, NamesAndReasonsAreNoMarkup) {
  // Goal: what others chose, a file's name above all, cannot become part of the page.
  const Series series = series_of(10);
  const std::string page = report_page({.title = "</title><script>alert(1)</script>'\"&\x1b[2J\xff",
                                        .about = "<b>",
                                        .series = series});
  EXPECT_FALSE(has(page, "<script>alert"));
  EXPECT_TRUE(has(page, "&lt;script&gt;alert(1)"));
  EXPECT_FALSE(has(page, "<least>"));
  EXPECT_TRUE(has(page, "&lt;least&gt; &amp; &quot;cost&quot;"));
  EXPECT_FALSE(has(page, "\x1b"));
}

TEST(ReportPageTest, ALongTransferHasNoLargerPage) {
  // Goal: a million blocks are drawn in as much as some thousand.
  const auto bytes = [](std::uint64_t blocks) {
    const Series series = series_of(blocks);
    return report_page({.title = "t", .about = "", .series = series}).size();
  };
  EXPECT_LT(bytes(1'000'000), bytes(3'000) * 5 / 4);
  EXPECT_LT(bytes(1'000'000), 200'000U);
}

TEST(ReportPageTest, OfNothingThereIsAPageToo) {
  // Goal: where all was there already, the page says so.
  const Series series;
  const std::string page = report_page({.title = "t", .about = "", .series = series});
  EXPECT_TRUE(has(page, "no contents had to cross"));
  EXPECT_TRUE(has(page, "</html>"));
}

TEST(HtmlTest, RoundNumbers) {
  // Goal: an axis ends at a number that people read.
  EXPECT_EQ(round_up(0), 1);
  EXPECT_DOUBLE_EQ(round_up(1), 1);
  EXPECT_DOUBLE_EQ(round_up(1.2e6), 1.5e6);
  EXPECT_DOUBLE_EQ(round_up(8.1), 10);
}

class ReportFileTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = testing::TempDir() + "report_file_" +
                 testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(directory_), {}));
  }
  std::string directory_;
};

TEST_F(ReportFileTest, AppearsWholeInThePlaceOfAnother) {
  // Goal: nothing lies there before it is written, an old one stays until then and gives its mode,
  // and a link leads to what is replaced.
  const std::string path = directory_ + "/page.html";
  {
    ReportFile file(path);
    EXPECT_EQ(files(), 0U);
    file.write("one");
  }
  EXPECT_EQ(testkit::read_file(path), "one");
  ::chmod(path.c_str(), 0640);
  std::filesystem::create_symlink("page.html", directory_ + "/link");
  ReportFile file(directory_ + "/link");
  EXPECT_EQ(testkit::read_file(path), "one");
  file.write("two");
  EXPECT_EQ(testkit::read_file(path), "two");
  EXPECT_TRUE(std::filesystem::is_symlink(directory_ + "/link"));
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
  EXPECT_EQ(files(), 2U);
}

TEST_F(ReportFileTest, WhatCannotBeWrittenIsKnownAtOnce) {
  // Goal: a missing directory, and a directory itself, are told with the path before any transfer.
  testkit::expect_error(ErrorKind::local_file, "/nowhere/page.html",
                        [] { ReportFile file("/nowhere/page.html"); });
  testkit::expect_error(ErrorKind::local_file, directory_, [this] { ReportFile file(directory_); });
  testkit::expect_error(ErrorKind::local_file, "/dev/full",
                        [] { ReportFile("/dev/full").write("text"); });
}

}  // namespace
}  // namespace adoc::cli
