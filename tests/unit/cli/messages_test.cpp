#include "cli/messages.hpp"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "cli/status_line.hpp"

namespace adoc::cli {
namespace {

TEST(MessagesTest, AFailedEntryIsNamedOnce) {
  // Goal: the path is added only where the message lacks it.
  EXPECT_EQ(entry_message("a/b", "cannot read a/b: no"), "cannot read a/b: no");
  EXPECT_EQ(entry_message("a/b", "no room"), "a/b: no room");
  EXPECT_EQ(entry_message("a\nb", "cannot read 'a\\nb': no"), "cannot read 'a\\nb': no");
  EXPECT_EQ(entry_message("a\nb", "no room"), "'a\\nb': no room");
}

TEST(MessagesTest, NoMessageDrivesTheTerminal) {
  // Goal: whatever is logged comes out as one printable line behind the program's name.
  testing::internal::CaptureStderr();
  const auto status = start_log("adoc-test");
  spdlog::error("no {}", "a\x1b[2J\n\xff");
  spdlog::debug("not at this level");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "adoc-test: no a\\033[2J\\n\\377\n");
}

}  // namespace
}  // namespace adoc::cli
