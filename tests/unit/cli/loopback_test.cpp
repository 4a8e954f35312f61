#include "cli/loopback.hpp"

#include <gtest/gtest.h>

namespace adoc::cli {
namespace {

TEST(LoopbackTest, OnlyWhatStaysOnThisMachineIsLoopback) {
  // Goal: the warning about plain text is silent exactly where there is no network.
  for (const char* const host : {"127.0.0.1", "127.8.9.10", "::1", "localhost"}) {
    EXPECT_TRUE(is_loopback(host)) << host;
  }
  for (const char* const host : {"10.0.0.5", "0.0.0.0", "::", "fe80::1", "127.example.com", ""}) {
    EXPECT_FALSE(is_loopback(host)) << host;
  }
}

}  // namespace
}  // namespace adoc::cli
