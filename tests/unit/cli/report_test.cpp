#include "cli/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/exit_code.hpp"
#include "cli/json.hpp"
#include "cli/lossy_values.hpp"
#include "cli/units.hpp"

namespace adoc::cli {
namespace {

Statistics example() {
  return {.files = 16,
          .bytes = 52'600'000,
          .wire_bytes = 21'900'000,
          .seconds = 4.2,
          .levels = {3, 0, 7},
          .streams = 1,
          .retries = 0,
          .skipped = 3,
          .resumed_bytes = 5,
          .committed = 12,
          .failed = 1,
          .errors = {"cannot read a\xff"}};
}

TEST(ReportTest, TheLineSaysWhatAPersonAsks) {
  // Goal: count, sizes, ratio, time and rate, and the exceptions only when there are any.
  Statistics statistics = example();
  EXPECT_EQ(figures_line(statistics),
            "12 files, 52.6 MB as 21.9 MB (2.40x) in 4.2 s, 12.5 MB/s, 5 B resumed, 3 skipped, "
            "1 failed");
  statistics.committed = 1;
  statistics.skipped = statistics.failed = statistics.resumed_bytes = 0;
  EXPECT_EQ(figures_line(statistics), "1 file, 52.6 MB as 21.9 MB (2.40x) in 4.2 s, 12.5 MB/s");
  EXPECT_EQ(figures_line(Statistics()), "0 files, 0 B");
}

TEST(ReportTest, TheJsonObjectHasThePromisedKeysInOrder) {
  // Goal: scripts rely on exactly these keys.
  const auto object = nlohmann::ordered_json::parse(to_json(example()));
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"files", "directories", "links", "bytes", "wire_bytes",
                                            "seconds", "ratio", "bytes_per_s", "levels", "streams",
                                            "retries", "skipped", "resumed_bytes", "committed",
                                            "in_parts", "errors"}));
  EXPECT_EQ(object["files"], 16);
  EXPECT_EQ(object["committed"], 12);
  EXPECT_EQ(object["skipped"], 3);
  EXPECT_EQ(object["resumed_bytes"], 5);
  EXPECT_EQ(object["levels"].dump(), R"({"0":3,"2":7})");
  EXPECT_DOUBLE_EQ(object["ratio"].get<double>(), 52.6 / 21.9);
  EXPECT_DOUBLE_EQ(object["bytes_per_s"].get<double>(), 52.6e6 / 4.2);
}

TEST(ReportTest, WhatWasLostIsToldWhereSomethingWasToBe) {
  // Goal: both forms, and null for what is infinite.
  EXPECT_EQ(lossy_line({}), "");
  LossyTotals totals{.how = Lossy{ItemType::float32, Lossy::Mode::absolute, 0.001}};
  EXPECT_EQ(lossy_line(totals), "lossy abs:0.001 of float32: no file was sent so");
  totals.files = 1;
  totals.figures = {.numbers = 4};
  EXPECT_EQ(lossy_line(totals), "lossy abs:0.001 of float32: 1 file, nothing lost");
  EXPECT_TRUE(nlohmann::json::parse(to_json(example(), totals))["lossy"]["snr_db"].is_null());
  totals.figures = {.numbers = 4, .max_error = 0.5, .error_squares = 1, .squares = 1'000};
  EXPECT_EQ(lossy_line(totals),
            "lossy abs:0.001 of float32: 1 file, largest error 0.5, RMS error 0.5, SNR 30.0 dB");
  EXPECT_EQ(nlohmann::ordered_json::parse(to_json(example(), totals))["lossy"].dump(),
            R"({"mode":"abs:0.001","dtype":"float32","files":1,"numbers":4,"max_error":0.5,)"
            R"("rms_error":0.5,"snr_db":30.0})");
}

TEST(ReportTest, JsonIsOneLineOfValidUtf8WhateverTheNames) {
  // Goal: a hostile name cannot break the reader of the last line.
  Statistics statistics = example();
  statistics.errors = {"a\nb\xff\"\x1b"};
  const std::string text = to_json(statistics);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(text)["errors"][0], "a\nb\xef\xbf\xbd\"\x1b");
}

TEST(ReportTest, JsonOfATransferWithoutAnythingDividesByNothing) {
  // Goal: no NaN, which is not JSON.
  const auto object = nlohmann::json::parse(to_json(Statistics()));
  EXPECT_EQ(object["ratio"], 0);
  EXPECT_EQ(object["bytes_per_s"], 0);
  EXPECT_EQ(object["levels"].dump(), "{}");
  EXPECT_EQ(object["errors"].dump(), "[]");
}

TEST(ReportTest, EveryKindOfErrorHasItsExitCode) {
  // Goal: the table of the man page.
  EXPECT_EQ(exit_code(ErrorKind::usage), 2);
  EXPECT_EQ(exit_code(ErrorKind::connect), 3);
  EXPECT_EQ(exit_code(ErrorKind::refused), 4);
  EXPECT_EQ(exit_code(ErrorKind::corrupt), 5);
  EXPECT_EQ(exit_code(ErrorKind::local_file), 6);
  EXPECT_EQ(exit_code(ErrorKind::remote_file), 7);
  EXPECT_EQ(exit_code(ErrorKind::interrupted), 130);
  EXPECT_EQ(exit_code(ErrorKind::internal), 70);
  EXPECT_EQ(exit_code(example()), 1);
  Statistics vanished = example();
  vanished.vanished = vanished.failed;
  EXPECT_EQ(exit_code(vanished), 24);
  ++vanished.failed;
  EXPECT_EQ(exit_code(vanished), 1);
  EXPECT_EQ(exit_code(Statistics()), 0);
}

TEST(UnitsTest, SizesHaveThreeDigits) {
  // Goal: no jump in width where a unit ends.
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1000), "1.00 kB");
  EXPECT_EQ(format_bytes(9994), "9.99 kB");
  EXPECT_EQ(format_bytes(9996), "10.0 kB");
  EXPECT_EQ(format_bytes(99'960), "100 kB");
  EXPECT_EQ(format_bytes(999'600), "1.00 MB");
  EXPECT_EQ(format_bytes(52.6e6), "52.6 MB");
  EXPECT_EQ(format_bytes(1.8e19), "18.0 EB");
}

TEST(UnitsTest, TimesAreReadable) {
  // Goal: milliseconds of a small file and hours of a large one.
  EXPECT_EQ(format_seconds(0.0042), "0.004 s");
  EXPECT_EQ(format_seconds(0.25), "0.25 s");
  EXPECT_EQ(format_seconds(4.21), "4.2 s");
  EXPECT_EQ(format_seconds(125), "2:05");
  EXPECT_EQ(format_seconds(3725), "1:02:05");
  EXPECT_EQ(format_remaining(4), "0:04");
  EXPECT_EQ(format_remaining(-1), "-:--");
  EXPECT_EQ(format_remaining(1e12), "-:--");
}

}  // namespace
}  // namespace adoc::cli
