#include "util/processor_quota.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/temporary_directory.hpp"

namespace adoc {
namespace {

class ProcessorQuotaTest : public testing::Test {
 protected:
  void write_old(const std::string& group, const std::string& quota) const {
    root_.write("sys/fs/cgroup/cpu" + group + "/cpu.cfs_quota_us", quota + "\n");
    root_.write("sys/fs/cgroup/cpu" + group + "/cpu.cfs_period_us", "20000\n");
  }
  [[nodiscard]] std::optional<double> quota() const { return processor_quota(root_.path()); }

  const testkit::TemporaryDirectory root_;
};

TEST_F(ProcessorQuotaTest, WhereNobodyTellsThereIsNone) {
  EXPECT_EQ(quota(), std::nullopt);
  root_.write("proc/self/cgroup", "0::/\n");
  EXPECT_EQ(quota(), std::nullopt);
  root_.write("proc/self/cgroup", "no such thing");
  EXPECT_EQ(quota(), std::nullopt);
}

TEST_F(ProcessorQuotaTest, TheLeastOfAGroupAndOfThoseAboveItCounts) {
  root_.write("proc/self/cgroup", "0::/pods/one\n");
  root_.write("sys/fs/cgroup/pods/one/cpu.max", "150000 100000\n");
  EXPECT_EQ(quota(), 1.5);
  root_.write("sys/fs/cgroup/pods/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), 1.5);
  root_.write("sys/fs/cgroup/pods/cpu.max", "25000 100000\n");
  EXPECT_EQ(quota(), 0.25);
}

TEST_F(ProcessorQuotaTest, OfTheOldVersionTheGroupForProcessorsCounts) {
  root_.write("proc/self/cgroup", "4:memory:/a\n3:cpu,cpuacct:/b\n2:cpuset:/a\n");
  write_old("/a", "5000");
  EXPECT_EQ(quota(), std::nullopt);
  write_old("/b", "40000");
  EXPECT_EQ(quota(), 2);
  write_old("/b", "-1");
  EXPECT_EQ(quota(), std::nullopt);
}

TEST_F(ProcessorQuotaTest, AContainerSeesItsOwnGroupAsTheTopmostOne) {
  root_.write("proc/self/cgroup", "1:cpu:/docker/0123\n0::/\n");
  write_old("", "10000");
  EXPECT_EQ(quota(), 0.5);
}

TEST_F(ProcessorQuotaTest, WhatIsNoQuotaIsNotBelieved) {
  root_.write("proc/self/cgroup", "0::/\n");
  for (const char* const text :
       {"", "0 100000", "100000 0", "-1 100000", "100000", "nan 1", "x y"}) {
    root_.write("sys/fs/cgroup/cpu.max", text);
    EXPECT_EQ(quota(), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace adoc
