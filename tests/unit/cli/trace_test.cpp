#include "cli/trace.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

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
          .reason = "FIFO grew"};
}

class TraceTest : public testing::Test {
 protected:
  void TearDown() override { std::remove(path_.c_str()); }

  std::string contents() const { return testkit::read_file(path_).value_or(""); }

  const std::string path_ = testing::TempDir() + "trace_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
};

constexpr const char* kHeader =
    "time_s,block,raw_bytes,wire_bytes,level,codec,fifo_packets,drain_bytes_per_s,reason\n";
constexpr const char* kRow = "0.250000,7,204800,90000,3,zlib,12,1250000,FIFO grew\n";

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
  EXPECT_EQ(to_csv(decision), "0.250000,7,204800,90000,3,zlib,12,1250000,\"grew, \"\"fast\"\"\"");
}

TEST_F(TraceTest, AFileThatCannotBeWrittenIsALocalError) {
  // Goal: a full disk and a missing directory are told with the path, before any transfer.
  testkit::expect_error(ErrorKind::local_file, "/dev/full", [] { TraceWriter trace("/dev/full"); });
  testkit::expect_error(ErrorKind::local_file, "/nowhere/trace.csv",
                        [] { TraceWriter trace("/nowhere/trace.csv"); });
}

}  // namespace
}  // namespace adoc::cli
