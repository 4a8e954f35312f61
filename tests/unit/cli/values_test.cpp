#include "cli/values.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/expect_error.hpp"

namespace adoc::cli {
namespace {

TEST(ValuesTest, ASizeIsWhatItIsToRsync) {
  // Goal: bare suffixes and KiB are powers of 1024, KB and the like powers of 1000.
  for (const auto& [text, meant] :
       std::initializer_list<std::pair<const char*, std::size_t>>{{"1B", 1},
                                                                  {"10KB", 10'000},
                                                                  {"10kB", 10'000},
                                                                  {"10KiB", 10'240},
                                                                  {"10kib", 10'240},
                                                                  {"10MB", 10'000'000},
                                                                  {"10MiB", 10'485'760},
                                                                  {"1.5M", 1'572'864},
                                                                  {"1.5MB", 1'500'000},
                                                                  {"0.29KB", 290},
                                                                  {"1.000K", 1'024},
                                                                  {"0.001K", 1},
                                                                  {"2GB", 2'000'000'000},
                                                                  {"1.5T", 1'649'267'441'664},
                                                                  {"3tb", 3'000'000'000'000},
                                                                  {"1P", std::size_t{1} << 50},
                                                                  {"1PiB", std::size_t{1} << 50},
                                                                  {"8.0", 8}})
    EXPECT_EQ(parse_size("--x", text), meant) << text;
  EXPECT_EQ(parse_size("--x", "0"), 0U);
  EXPECT_EQ(parse_size("--x", "204800"), 204'800U);
  EXPECT_EQ(parse_size("--x", "200K"), 204'800U);
  EXPECT_EQ(parse_size("--x", "3m"), 3U << 20);
  EXPECT_EQ(parse_size("--x", "1G"), 1U << 30);
}

TEST(ValuesTest, AnythingElseIsNoSize) {
  // Goal: no sign, blank, part of a byte, unknown unit or overflow slips through.
  for (const char* const text : {"",
                                 "K",
                                 "-1",
                                 "+1",
                                 "1.5",
                                 ".5M",
                                 "1.M",
                                 "1.5.5M",
                                 "1.5e3M",
                                 "1e3",
                                 " 1",
                                 "1 ",
                                 "1 K",
                                 "1BK",
                                 "1KK",
                                 "1IB",
                                 "1KiBi",
                                 "1E",
                                 "0x10",
                                 "99999999999999999999",
                                 "17179869184G",
                                 "18446744073709551615B"}) {
    testkit::expect_error(ErrorKind::usage, "--x: '" + std::string(text) + "'",
                          [&] { static_cast<void>(parse_size("--x", text)); });
  }
}

TEST(ValuesTest, TheRateOfALinkIsInBitsOrBytes) {
  // Goal: what people say of a link is what is meant, in bytes a second.
  for (const auto& [text, meant] : std::map<std::string, std::uint64_t>{{"10mbit", 1'250'000},
                                                                        {"10Mbit/s", 1'250'000},
                                                                        {"1.5Gbit", 187'500'000},
                                                                        {"56kbit", 7'000},
                                                                        {"1M", 1 << 20},
                                                                        {"1MB/s", 1'000'000},
                                                                        {"2000", 2'000}})
    EXPECT_EQ(parse_link_rate("--x", text), meant) << text;
  for (const char* const text :
       {"", "bit", "mbit", "-1mbit", "10 mbit", "10mbits", "1", "0", "8kbit"})
    testkit::expect_error(ErrorKind::usage, "--x: '" + std::string(text) + "'",
                          [&] { static_cast<void>(parse_link_rate("--x", text)); });
}

TEST(ValuesTest, ADurationIsInSecondsUnlessItSaysOtherwise) {
  // Goal: what people write for a time, and nothing that only looks like it.
  using std::chrono::milliseconds;
  for (const auto& [text, meant] :
       {std::pair("0", 0), std::pair("30", 30'000), std::pair("30s", 30'000),
        std::pair("2.5", 2'500), std::pair("500ms", 500), std::pair("0.5m", 30'000),
        std::pair("2h", 7'200'000)})
    EXPECT_EQ(parse_duration("--x", text), milliseconds(meant)) << text;
  for (const char* const text : {"", "s", "-1", "+1", " 1", "1 ", "1 s", "1d", "1sec", "inf", "nan",
                                 "1e3", "0x10", ".5", "99999999999", "1e999"})
    testkit::expect_error(ErrorKind::usage, "--x: '" + std::string(text) + "' is not a duration",
                          [&] { static_cast<void>(parse_duration("--x", text)); });
}

TEST(ValuesTest, AWholeNumberHasOnlyDigits) {
  // Goal: levels are read exactly or not at all.
  EXPECT_EQ(parse_whole_number("--x", "19"), 19);
  for (const char* const text : {"", "-1", "1K", "x", "1.0", "99999999999"}) {
    testkit::expect_error(ErrorKind::usage, "is not a whole number from 0 to 2147483647",
                          [&] { static_cast<void>(parse_whole_number("--x", text)); });
  }
  EXPECT_EQ(parse_whole_number("--x", "1", 1), 1);
  for (const char* const text : {"0", "-5"})
    testkit::expect_error(ErrorKind::usage, "is not a whole number from 1 to 2147483647",
                          [&] { static_cast<void>(parse_whole_number("--x", text, 1)); });
}

TEST(ValuesTest, AWrongChoiceListsTheRightOnes) {
  // Goal: the message is enough to correct the command.
  EXPECT_EQ(parse_choice<int>("--x", "two", {{"one", 1}, {"two", 2}}), 2);
  testkit::expect_error(ErrorKind::usage, "'ONE' is none of one, two", [] {
    static_cast<void>(parse_choice<int>("--x", "ONE", {{"one", 1}, {"two", 2}}));
  });
}

}  // namespace
}  // namespace adoc::cli
