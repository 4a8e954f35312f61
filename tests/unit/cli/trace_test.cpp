#include "cli/trace.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "cli/trace_reader.hpp"
#include "support/expect_error.hpp"
#include "support/read_file.hpp"

namespace adoc::cli {
namespace {

Decision example_decision() {
  return {.time_seconds = 0.25,
          .block = 7,
          .raw_bytes = 204'800,
          .wire_bytes = 90'000,
          .level = 3,
          .codec = "zlib",
          .fifo_packets = 12,
          .drain_bytes_per_second = 1'250'000.4,
          .reason = "FIFO grew",
          .entropy_bits = 5.25,
          .seen = {.arrived_bytes = 70'000, .link_price = 0.5, .source_seconds = 0.125}};
}

class TraceTest : public testing::Test {
 protected:
  void TearDown() override { std::remove(path_.c_str()); }

  std::string contents() const { return testkit::read_file(path_).value_or(""); }

  const std::string path_ = testing::TempDir() + "trace_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
};

// The first nine are promised to those that read them by their places.
constexpr const char* kHeader =
    "time_s,block,raw_bytes,wire_bytes,level,codec,fifo_packets,drain_bytes_per_s,reason,"
    "entropy_bits,random,arrived_bytes,queued_bytes,link_price,streams,sending_s,"
    "sending_processor_s,held_back_s,receive_window_s,send_buffer_s,round_trip_s,"
    "retransmitted_bytes,source_s,answer_s,walking_s,commit_s,making_s,making_processor_s,"
    "finishing_s,receiver_s,receiver_stalled_s,decompressing_s,writing_s,written_bytes,filter\n";
constexpr const char* kRow =
    "0.250000,7,204800,90000,3,zlib,12,1250000,FIFO grew,5.25,0,70000,0,0.500000,1,0.000000,"
    "0.000000,0.000000,0.000000,0.000000,0.000000,0,0.125000,0.000000,0.000000,0.000000,0.000000,"
    "0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0,none\n";

TEST_F(TraceTest, EachDecisionIsARowAtOnce) {
  // Goal: the promised header, and rows that are in the file before the transfer ends.
  TraceWriter trace(path_);
  EXPECT_EQ(contents(), kHeader);
  trace.write(example_decision());
  EXPECT_EQ(contents(), std::string(kHeader) + kRow);
  trace.finish();
}

TEST_F(TraceTest, AReasonWithACommaIsQuoted) {
  // Goal: the file stays CSV whatever a policy says.
  Decision decision = example_decision();
  decision.reason = "grew, \"fast\"";
  EXPECT_TRUE(to_csv(decision).starts_with(
      "0.250000,7,204800,90000,3,zlib,12,1250000,\"grew, \"\"fast\"\"\",5.25,"));
}

class TraceReaderTest : public TraceTest {
 protected:
  void write(const std::string& text) const { std::ofstream(path_) << text; }
  void expect_damaged(const std::string& fragment, const std::string& text) const {
    write(text);
    testkit::expect_error(ErrorKind::local_file, fragment,
                          [this] { static_cast<void>(read_trace(path_)); });
  }
};

TEST_F(TraceReaderTest, WhatWasWrittenIsRead) {
  // Goal: reader and writer agree on each column, a quoted one too.
  Decision decision = example_decision();
  decision.reason = "grew, \"fast\"";
  TraceWriter trace(path_);
  trace.write(decision);
  decision.level = 4;
  decision.block = 8;
  decision.time_seconds = 0.5;
  decision.seen.written_bytes = 12;
  trace.write(decision);
  trace.finish();
  const Series series = read_trace(path_);
  EXPECT_EQ(series.all().blocks, 2U);
  EXPECT_EQ(series.all().raw_bytes, 409'600U);
  EXPECT_EQ(series.levels()[4].wire_bytes, 90'000U);
  EXPECT_EQ(series.classes()[2].blocks, 2U);
  EXPECT_EQ(series.last().arrived_bytes, 70'000U);
  EXPECT_EQ(series.last().written_bytes, 12U);
  EXPECT_DOUBLE_EQ(series.last().source_seconds, 0.125);
  EXPECT_DOUBLE_EQ(series.last().time_seconds, 0.5);
  ASSERT_EQ(series.changes(), 1U);
  for (const Series::Bin& bin : series.bins()) {
    if (!bin.change) continue;
    EXPECT_EQ(bin.change->reason, "grew, \"fast\"");
    EXPECT_EQ(bin.change->from, 3);
    EXPECT_EQ(bin.change->to, 4);
  }
}

TEST_F(TraceReaderTest, ADamagedTraceIsAnErrorWithItsLine) {
  // Goal: whatever is wrong is told with the line, and nothing of it is taken for a figure.
  const std::string header = kHeader;
  const std::string row = kRow;
  expect_damaged("line 1", "");
  expect_damaged("line 1", "time_s,block\n");
  expect_damaged("line 2: it is cut off", header + row.substr(0, 30));
  expect_damaged("line 3: 1 columns in the place of 35", header + row + "\n");
  expect_damaged("line 3: time_s is x,", header + row + "x" + row.substr(8));
  expect_damaged("line 2: time_s is nan", header + "nan" + row.substr(8));
  expect_damaged("line 2: time_s is -1", header + "-1" + row.substr(8));
  expect_damaged("line 2: a quote is not closed", header + "\"" + row);
  expect_damaged("line 2: it is too long", header + std::string(20'000, '1') + "\n");
  std::string zero = header + row;
  zero[zero.size() - 3] = '\0';
  expect_damaged("line 2: there is a zero byte in it", zero);
  std::string level = row;
  level.replace(level.find(",3,"), 3, ",1000,");
  expect_damaged("line 2: there is no level 1000", header + level);
  testkit::expect_error(ErrorKind::local_file, "/nowhere/trace",
                        [] { static_cast<void>(read_trace("/nowhere/trace")); });
}

TEST_F(TraceReaderTest, ColumnsOfALaterVersionAreLeftAlone) {
  // Goal: what stands behind the columns that are known does no harm.
  std::string header = kHeader, row = kRow;
  header.insert(header.size() - 1, ",more");
  row.insert(row.size() - 1, ",word");
  write(header + row);
  EXPECT_EQ(read_trace(path_).all().blocks, 1U);
}

TEST_F(TraceTest, AFileThatCannotBeWrittenIsALocalError) {
  // Goal: a full disk and a missing directory are told with the path, before any transfer.
  testkit::expect_error(ErrorKind::local_file, "/dev/full", [] { TraceWriter trace("/dev/full"); });
  testkit::expect_error(ErrorKind::local_file, "/nowhere/trace.csv",
                        [] { TraceWriter trace("/nowhere/trace.csv"); });
}

}  // namespace
}  // namespace adoc::cli
