#include "cli/progress.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/columns.hpp"
#include "cli/progress_text.hpp"

namespace adoc::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

ProgressView half_done() {
  return {.progress = {.raw_bytes = 26'300'000,
                       .wire_bytes = 10'000'000,
                       .total_bytes = 52'600'000,
                       .total_known = true,
                       .entries_done = 1,
                       .level = 6},
          .raw_bytes_per_second = 12.5e6,
          .wire_bytes_per_second = 5.2e6};
}

TEST(ProgressTextTest, TheBarShowsEverythingWhenThereIsRoom) {
  // Goal: percentage, bar, sizes, rate, time left, ratio, level and wire rate.
  EXPECT_EQ(progress_bar(half_done(), 119),
            " 50% [===================>                  ]  26.3 MB / 52.6 MB  12.5 MB/s"
            "  ETA 0:02  2.63x  level 6   wire 5.20 MB/s");
}

ProgressView half_of_a_tree() {
  ProgressView view = half_done();
  view.progress.files_done = 3;
  view.progress.files_found = 12;
  view.progress.all_found = true;
  view.progress.resumed_bytes = 1'500'000;
  view.file = "some/where/h\xc3\xb6her/report.tar";
  return view;
}

TEST(ProgressTextTest, NoWidthIsExceeded) {
  // Goal: the line never wraps, however narrow the terminal is and whatever the file is called.
  ProgressView wide = half_of_a_tree();
  wide.file = "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e.txt";
  ProgressView flushing = half_of_a_tree();
  flushing.progress.flushing = true;
  ProgressView over = half_of_a_tree();
  over.seconds = 4.2;
  for (std::size_t width = 0; width < 200; ++width)
    for (const ProgressView& view : {half_done(), half_of_a_tree(), wide, flushing, over})
      EXPECT_LE(columns_of(progress_bar(view, width)), width);
  EXPECT_NE(progress_bar(half_done(), 79).find("ETA 0:02"), std::string::npos);
  EXPECT_NE(progress_bar(half_done(), 30).find("50%"), std::string::npos);
}

TEST(ProgressTextTest, ATreeShowsFilesAndTheNameOfOne) {
  // Goal: files done of all, the end of the file's name, and what was there from before.
  EXPECT_EQ(progress_bar(half_of_a_tree(), 99),
            " 50% [====>   ]  26.3 MB / 52.6 MB  12.5 MB/s  ETA 0:02  3 of 12 files"
            "  .../where/h\xc3\xb6her/report.tar");
  EXPECT_NE(progress_bar(half_of_a_tree(), 150).find("  resuming at 1.50 MB  2.63x  level 6 "),
            std::string::npos);
  EXPECT_EQ(
      progress_sentence(half_of_a_tree()),
      "50%, 26.3 MB of 52.6 MB, 12.5 MB/s, 5.20 MB/s on the wire (2.63x), level 6, "
      "0:02 left, 3 of 12 files, resuming at 1.50 MB, now 'some/where/h\xc3\xb6her/report.tar'");
}

TEST(ProgressTextTest, WhileTheOtherSideFlushesThereIsNoTimeLeft) {
  // Goal: nobody wonders why it does not end at 100 %; what stays says how long all of it took.
  ProgressView view = half_of_a_tree();
  view.progress.raw_bytes = view.progress.total_bytes;
  view.progress.flushing = true;
  EXPECT_EQ(progress_bar(view, 60), "100% [=============]  flushing  52.6 MB / 52.6 MB  12.5 MB/s");
  EXPECT_EQ(progress_bar(view, 150).find("ETA"), std::string::npos);
  EXPECT_NE(progress_sentence(view).find(", flushing"), std::string::npos);
  view.progress.flushing = false;
  view.seconds = 4.2;
  EXPECT_EQ(progress_bar(view, 60), "100% [=============]  52.6 MB / 52.6 MB  12.5 MB/s  in 4.2 s");
}

TEST(ProgressTextTest, WithoutATotalThereIsNoPercentage) {
  // Goal: standard input and a tree that is still being listed show no invented end.
  ProgressView view = half_done();
  view.progress.total_known = false;
  const std::string bar = progress_bar(view, 119);
  EXPECT_EQ(bar.find('%'), std::string::npos);
  EXPECT_EQ(bar.find("ETA"), std::string::npos);
  EXPECT_NE(bar.find("26.3 MB"), std::string::npos);
  EXPECT_EQ(progress_sentence(view), "26.3 MB, 12.5 MB/s, 5.20 MB/s on the wire (2.63x), level 6");
}

TEST(ProgressTextTest, WhoWaitsSeesWhereItIs) {
  // Goal: the place in the queue instead of figures that stand still.
  ProgressView view = half_done();
  view.progress.queue_position = 3;
  view.progress.transfers_ahead = 32;
  EXPECT_EQ(progress_bar(view, 119), "waiting for its turn: 2 before it, 32 transfers under way");
  EXPECT_EQ(progress_sentence(view), progress_bar(view, 119));
  EXPECT_EQ(progress_bar(view, 7), "waiting");
  view.progress.queue_position = 1;
  view.progress.transfers_ahead = 1;
  EXPECT_EQ(progress_sentence(view), "waiting for its turn: the next one, 1 transfer under way");
}

TEST(ProgressTextTest, OnlyTheEndIsHundredPercent) {
  // Goal: 99.9 % is not rounded up, and a source that grew does not pass 100 %.
  ProgressView view = half_done();
  view.progress.raw_bytes = view.progress.total_bytes - 1;
  EXPECT_EQ(progress_sentence(view).rfind("99%, ", 0), 0U);
  view.progress.raw_bytes = view.progress.total_bytes * 2;
  EXPECT_EQ(progress_sentence(view).rfind("100%, ", 0), 0U);
  EXPECT_NE(progress_sentence(view).find("0:00 left"), std::string::npos);
}

TEST(ProgressTextTest, WhatIsWaitedForComesFirst) {
  // Goal: nobody looks at figures that stand still without being told why, nor at noughts.
  ProgressView view = half_done();
  view.progress.reconnecting = 3;
  view.waiting_for = "connecting to 10.0.0.5:4400";
  const std::string bar = progress_bar(view, 100);
  EXPECT_LT(bar.find("connecting to 10.0.0.5:4400  connecting again, attempt 3"), bar.find("MB"));
  EXPECT_NE(
      progress_sentence(view).find(", connecting to 10.0.0.5:4400, connecting again, attempt 3"),
      std::string::npos);
  view.progress = {};
  EXPECT_EQ(progress_bar(view, 100), view.waiting_for);
  EXPECT_EQ(progress_bar(view, 10), "connecting");
  EXPECT_EQ(progress_sentence(view), view.waiting_for);
}

TEST(RateMeterTest, TheRateIsThatOfTheLastSeconds) {
  // Goal: a link that changes shows within the window, not in an average since the beginning.
  RateMeter meter;
  const RateMeter::Clock::time_point start{};
  std::uint64_t bytes = 0;
  for (int tick = 0; tick <= 200; ++tick) {
    meter.add({.raw_bytes = bytes, .wire_bytes = bytes / 2}, start + tick * milliseconds(100));
    bytes += tick < 100 ? 100'000 : 900'000;
  }
  EXPECT_DOUBLE_EQ(meter.raw_bytes_per_second(), 9e6);
  EXPECT_DOUBLE_EQ(meter.wire_bytes_per_second(), 4.5e6);
}

TEST(RateMeterTest, FiguresThatFallBeginAgain) {
  // Goal: a transfer that ends takes its bytes out of the sum without a rate of 2^64.
  RateMeter meter;
  const RateMeter::Clock::time_point start{};
  EXPECT_EQ(meter.raw_bytes_per_second(), 0);
  meter.add({.raw_bytes = 1'000, .wire_bytes = 500}, start);
  meter.add({.raw_bytes = 10, .wire_bytes = 5}, start + seconds(1));
  EXPECT_EQ(meter.raw_bytes_per_second(), 0);
  meter.add({.raw_bytes = 110, .wire_bytes = 55}, start + seconds(2));
  EXPECT_DOUBLE_EQ(meter.raw_bytes_per_second(), 100);
}

/// What is written to a pipe until its other end is closed.
class StatusLineTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::pipe(fds_), 0); }
  void TearDown() override { ::close(fds_[0]); }

  std::string written() {
    ::close(fds_[1]);
    std::string all;
    char buffer[4096];
    for (ssize_t n = 0; (n = ::read(fds_[0], buffer, sizeof buffer)) > 0;) {
      all.append(buffer, static_cast<std::size_t>(n));
    }
    return all;
  }

  int fds_[2] = {-1, -1};
};

TEST_F(StatusLineTest, ALogLineGoesAboveWhatIsDrawn) {
  // Goal: messages do not tear the bar, and the bar comes back below them.
  StatusLine status(fds_[1]);
  status.print_above("first\n");
  status.draw("50%");
  status.print_above("second\n");
  status.step_aside([this] { ASSERT_EQ(::write(fds_[1], "other\n", 6), 6); });
  status.erase();
  status.erase();
  EXPECT_EQ(written(), "first\n\r\033[J50%\r\r\033[Jsecond\n50%\r\r\033[Jother\n50%\r\r\033[J");
}

TEST_F(StatusLineTest, WhatIsKeptIsALineLikeOthers) {
  // Goal: what was drawn last stays above what is written next, and once.
  StatusLine status(fds_[1]);
  status.keep();
  status.draw("99%");
  status.keep();
  status.erase();
  status.print_above("sent\n");
  EXPECT_EQ(written(), "\r\033[J99%\r\r\033[J99%\nsent\n");
}

TEST_F(StatusLineTest, NothingIsDrawnIntoAPipe) {
  // Goal: --progress auto leaves a log file free of control sequences.
  StatusLine status(fds_[1]);
  EXPECT_FALSE(status.can_draw());
  int asked = 0;
  {
    const ProgressTicker ticker(ProgressMode::automatic, status, [&asked] {
      ++asked;
      return std::optional(ProgressTicker::Moment());
    });
    std::this_thread::sleep_for(milliseconds(250));
  }
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(written(), "");
}

TEST_F(StatusLineTest, TheTickerEndsAtOnce) {
  // Goal: a short transfer does not wait for its progress.
  StatusLine status(fds_[1]);
  const auto before = RateMeter::Clock::now();
  for (int i = 0; i < 20; ++i) {
    const ProgressTicker ticker(ProgressMode::always, status, [] { return std::nullopt; });
  }
  EXPECT_LT(RateMeter::Clock::now() - before, seconds(1));
  EXPECT_EQ(written(), "");
}

}  // namespace
}  // namespace adoc::cli
