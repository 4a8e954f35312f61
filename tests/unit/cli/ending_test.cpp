#include "cli/ending.hpp"

#include <gtest/gtest.h>

namespace adoc::cli {
namespace {

/// Of a transfer in which so many entries came to a good end.
Statistics figures(std::uint64_t committed, std::uint64_t skipped) {
  Statistics figures;
  figures.files = committed + skipped;
  figures.bytes = 1;
  figures.committed = committed;
  figures.skipped = skipped;
  return figures;
}

const Error kStopped(ErrorKind::interrupted, "interrupted");
const Error kLost(ErrorKind::connect, "the connection is lost");

SendOptions options_for(std::vector<std::string> paths) {
  return {.paths = std::move(paths), .peer = {.host = "no.such.name.here"}};
}

std::string said(const Error& why, const Statistics& statistics, const SendOptions& options) {
  return with_what_is_there(why, statistics, options).what();
}

TEST(EndingTest, WhoStopsATransferIsToldWhatIsThereAndHowItGoesOn) {
  // Goal: nobody wonders whether to start over.
  const Statistics some = figures(2, 1);
  EXPECT_EQ(said(kStopped, some, options_for({"tree"})),
            "interrupted; 3 entries are complete there, what had arrived of large ones is kept, "
            "and the same command goes on from there");
  EXPECT_EQ(with_what_is_there(kStopped, some, options_for({"tree"})).kind(),
            ErrorKind::interrupted);
  EXPECT_NE(said(kLost, some, options_for({"tree"})).find("; 3 entries are complete there"),
            std::string::npos);
}

TEST(EndingTest, OnlyWhatIsTrueIsSaid) {
  // Goal: nothing is promised of standard input, a dry run, or what was not to be kept.
  const Statistics one = figures(1, 0);
  EXPECT_EQ(said(kStopped, one, options_for({"a", "-"})),
            "interrupted; 1 entry is complete there, what came from standard input has to be sent "
            "again");
  SendOptions anew = options_for({"a"});
  anew.resume = false;
  EXPECT_EQ(said(kStopped, one, anew),
            "interrupted; 1 entry is complete there, the same command sends what is missing");
  SendOptions dry = options_for({"a"});
  dry.dry_run = true;
  EXPECT_EQ(said(kStopped, one, dry), "interrupted");
  EXPECT_EQ(said(kStopped, {}, options_for({"a"})), "interrupted");
  const Error other(ErrorKind::corrupt, "the data is damaged");
  EXPECT_EQ(said(other, one, options_for({"a"})), "the data is damaged");
  const Error told(ErrorKind::connect, "lost (the same command goes on where it was)");
  EXPECT_EQ(said(told, one, options_for({"a"})), told.what());
}

TEST(EndingTest, AHostThatIsAFileHereIsPointedOut) {
  // Goal: `adoc-send a b` for a copy of a to b fails with the reason.
  SendOptions here = options_for({"a"});
  here.peer.host = "/";
  EXPECT_NE(said(kLost, {}, here).find("the last word is HOST"), std::string::npos);
}

}  // namespace
}  // namespace adoc::cli
