#include "cli/cp_options.hpp"

#include <gtest/gtest.h>

#include "adoc/error.hpp"

namespace adoc::cli {
namespace {

CpCommand parse(std::vector<const char*> words) {
  words.insert(words.begin(), "adoc-cp");
  return parse_cp_command(static_cast<int>(words.size()), words.data());
}

TEST(CpOptionsTest, TheLastOperandIsTheDestination) {
  // Goal: SRC... DST, wherever the options are.
  const CpCommand command = parse({"-r", "a", "host:b", "-p", "there:c"});
  ASSERT_EQ(command.sources.size(), 2U);
  EXPECT_EQ(command.sources[1].host, "host");
  EXPECT_EQ(command.destination.host, "there");
  EXPECT_TRUE(command.recursive);
  EXPECT_TRUE(command.preserve);
  EXPECT_THROW(static_cast<void>(parse({"a"})), Error);
  EXPECT_THROW(static_cast<void>(parse({})), Error);
}

TEST(CpOptionsTest, SshGetsItsOptions) {
  // Goal: those of scp that are ssh's reach it as they are.
  const CpCommand command = parse({"-P", "2222", "-i", "key", "-o", "A=b", "-J", "gate", "-4", "-B",
                                   "-F", "config", "a", "h:b"});
  EXPECT_EQ(command.ssh.port, "2222");
  EXPECT_EQ(command.ssh.arguments,
            (std::vector<std::string>{"-F", "config", "-i", "key", "-J", "gate", "-o", "A=b", "-4",
                                      "-oBatchMode=yes"}));
}

TEST(CpOptionsTest, WhatIsSwallowedByAnOptionIsFoundOut) {
  // Goal: a word that was meant for something else is no port, and no option of SFTP.
  for (const char* const port : {"file", "0", "65536", "-1", "99999999999999999999"})
    EXPECT_THROW(static_cast<void>(parse({"-P", port, "a", "h:b"})), Error) << port;
  EXPECT_EQ(parse({"-P", "ssh", "a", "h:b"}).ssh.port, "ssh");
  EXPECT_THROW(static_cast<void>(parse({"-aHXA", "a", "h:b"})), Error);
  EXPECT_EQ(parse({"-X", "nrequests=9", "-Xbuffer=8192", "a", "h:b"}).sources.size(), 1U);
}

TEST(CpOptionsTest, TheFarSideUnderstandsWhatItIsTold) {
  // Goal: what concerns the copy, and nothing of ssh or of the terminal, comes back from the words
  // for the far side; what names files was read here.
  const CpCommand command =
      parse({"-r", "-p", "-l", "800", "--exclude", "-x y", "--include=*.c", "--no-overwrite",
             "--level", "3", "-q", "-P", "22", "--links", "a", "h:b"});
  std::vector<std::string> words = command.far_words;
  words.insert(words.end(), {"--", "-path", "h:not-a-host"});
  const CpCommand far_side = parse_far_words(words);
  EXPECT_TRUE(far_side.recursive);
  EXPECT_TRUE(far_side.preserve);
  EXPECT_FALSE(far_side.send.copy_links);
  EXPECT_FALSE(far_side.send.overwrite_existing);
  EXPECT_EQ(far_side.send.bandwidth_limit, 100'000U);
  EXPECT_EQ(far_side.send.pipeline.level, 3);
  ASSERT_EQ(far_side.send.filters.size(), 2U);
  EXPECT_EQ(far_side.send.filters[0].pattern, "-x y");
  EXPECT_TRUE(far_side.send.filters[1].include);
  ASSERT_EQ(far_side.sources.size(), 2U);
  EXPECT_EQ(far_side.sources[0].path, "-path");
  EXPECT_EQ(far_side.sources[1].path, "h:not-a-host");
  EXPECT_TRUE(far_side.ssh.port.empty());
  EXPECT_EQ(far_side.output.log_level, spdlog::level::err);
}

}  // namespace
}  // namespace adoc::cli
