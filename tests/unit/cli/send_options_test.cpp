#include "cli/send_options.hpp"

#include <gtest/gtest.h>

#include "cli/habits.hpp"
#include "cli/words.hpp"
#include "codec/ladder.hpp"
#include "support/expect_error.hpp"
#include "unit/cli/arguments.hpp"

namespace adoc::cli {
namespace {

SendCommand parse_send(std::vector<std::string> words) {
  const testkit::ArgumentList arguments(std::move(words));
  return parse_send_command(arguments.count(), arguments.pointers());
}

/// With a PATH and a HOST behind the options.
SendCommand parse_options(std::vector<std::string> options) {
  options.insert(options.end(), {"file", "host"});
  return parse_send(std::move(options));
}

void expect_send_error(std::string_view fragment, std::vector<std::string> words) {
  testkit::expect_error(ErrorKind::usage, fragment, [&] {
    try {
      parse_send(std::move(words));
    } catch (const Error& error) {
      throw Error(error.kind(), words_of(error));
    }
  });
}

TEST(SendOptionsTest, TheLastOperandIsThePeerAndTheOthersArePaths) {
  // Goal: PATH... HOST[:PORT] is taken apart, with the default port.
  const SendCommand command = parse_send({"a", "b c", "host:5000"});
  EXPECT_EQ(command.send.paths, (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ(command.send.peer, (Endpoint{"host", 5000}));
  EXPECT_EQ(parse_send({"a", "host"}).send.peer, (Endpoint{"host", 4400}));
  EXPECT_EQ(parse_send({"a", "[::1]:1"}).send.peer, (Endpoint{"::1", 1}));
}

TEST(SendOptionsTest, WithoutOptionsTheDefaultsOfTheLibraryHold) {
  // Goal: the program adds no defaults of its own.
  const SendCommand command = parse_options({});
  const PipelineOptions defaults;
  EXPECT_EQ(command.send.pipeline.policy, defaults.policy);
  EXPECT_EQ(command.send.pipeline.ladder, defaults.ladder);
  EXPECT_EQ(command.send.pipeline.level, std::nullopt);
  EXPECT_EQ(command.send.pipeline.block_bytes, defaults.block_bytes);
  EXPECT_TRUE(command.send.overwrite_existing);
  EXPECT_FALSE(command.send.dry_run);
  EXPECT_FALSE(command.output.json);
  EXPECT_EQ(command.output.log_level, spdlog::level::info);
}

TEST(SendOptionsTest, NamesThatLookLikeListsOrOptionsArriveWhole) {
  // Goal: brackets and commas mean nothing, and -- ends the options.
  EXPECT_EQ(parse_send({"[a,b]", "host"}).send.paths, (std::vector<std::string>{"[a,b]"}));
  const SendCommand command = parse_send({"--json", "--", "--json", "-x", "host"});
  EXPECT_EQ(command.send.paths, (std::vector<std::string>{"--json", "-x"}));
  EXPECT_TRUE(command.output.json);
  EXPECT_EQ(parse_send({"\xff\n", "host"}).send.paths, (std::vector<std::string>{"\xff\n"}));
}

TEST(SendOptionsTest, OptionsMayFollowOperands) {
  // Goal: as with rsync, the order of options and operands does not matter.
  const SendCommand command = parse_send({"a", "--checksum", "host", "-n"});
  EXPECT_TRUE(command.send.compare_contents);
  EXPECT_TRUE(command.send.dry_run);
  EXPECT_EQ(command.send.peer.host, "host");
}

TEST(SendOptionsTest, ALevelAloneMeansOneLevelThroughout) {
  // Goal: --level implies --policy fixed and contradicts --policy adoc.
  const SendCommand command = parse_options({"--level", "3"});
  EXPECT_EQ(command.send.pipeline.policy, PolicyKind::fixed);
  EXPECT_EQ(command.send.pipeline.level, 3);
  EXPECT_EQ(parse_options({"--policy=fixed", "--level=0"}).send.pipeline.level, 0);
  expect_send_error("--level", {"--policy", "adoc", "--level", "3", "file", "host"});
  expect_send_error("--level", {"--policy", "fixed", "file", "host"});
  expect_send_error("--min-level", {"--level", "3", "--min-level", "2", "file", "host"});
  EXPECT_EQ(parse_options({"--min-level", "1", "--max-level", "4"}).send.pipeline.max_level, 4);
}

TEST(SendOptionsTest, SizesTakeSuffixesAndZeroMeansTheDefault) {
  // Goal: K is 1024; 0 leaves what the library chose.
  const PipelineOptions pipeline =
      parse_options({"--block-size", "64K", "--packet-size=4096", "--fifo-packets", "1k"})
          .send.pipeline;
  EXPECT_EQ(pipeline.block_bytes, 65'536U);
  EXPECT_EQ(pipeline.packet_bytes, 4'096U);
  EXPECT_EQ(pipeline.fifo_capacity(), 1'024U);
  EXPECT_EQ(parse_options({"--block-size", "0"}).send.pipeline.block_bytes,
            PipelineOptions().block_bytes);
}

TEST(SendOptionsTest, FiltersKeepTheirOrderAcrossBothOptions) {
  // Goal: the first rule that matches decides, so the order of the command line must survive.
  const SendCommand command = parse_options(
      {"--exclude", "*.o", "--include=keep/[a,b]", "--exclude", "-x", "--include", "*", "-n"});
  ASSERT_EQ(command.send.filters.size(), 4U);
  const auto expect_rule = [&](std::size_t i, bool include, const char* pattern) {
    EXPECT_EQ(command.send.filters[i].include, include) << i;
    EXPECT_EQ(command.send.filters[i].pattern, pattern) << i;
  };
  expect_rule(0, false, "*.o");
  expect_rule(1, true, "keep/[a,b]");
  expect_rule(2, false, "-x");
  expect_rule(3, true, "*");
  EXPECT_EQ(parse_options({"--exclude", "-n=3"}).send.filters.at(0).pattern, "-n=3");
  // The word behind an empty pattern is none.
  const SendCommand empty = parse_options({"--exclude="});
  ASSERT_EQ(empty.send.filters.size(), 1U);
  EXPECT_EQ(empty.send.filters[0].pattern, "");
  EXPECT_EQ(empty.send.paths, std::vector<std::string>{"file"});
}

TEST(SendOptionsTest, ATypeOfNumbersIsTheirSize) {
  const auto item_bytes = [](const char* dtype) {
    return parse_options({"--dtype", dtype}).send.pipeline.item_bytes;
  };
  EXPECT_EQ(parse_options({}).send.pipeline.item_bytes, 0U);
  EXPECT_EQ(item_bytes("uint8"), 1U);
  EXPECT_EQ(item_bytes("bfloat16"), 2U);
  EXPECT_EQ(item_bytes("float32"), 4U);
  EXPECT_EQ(item_bytes("int64"), 8U);
  EXPECT_EQ(item_bytes("complex128"), 8U);
  expect_send_error("--dtype: 'float128'", {"--dtype", "float128", "file", "host"});
}

TEST(SendOptionsTest, WhatMayBeLostIsOfNumbersOfAType) {
  // Goal: nothing without the option, and with it only what is clear; that it needs no filters.
  EXPECT_FALSE(parse_options({"--dtype", "float32"}).lossy.has_value());
  const SendCommand command =
      parse_options({"--lossy", "abs:1e-3", "--dtype", "complex64", "--no-filters"});
  ASSERT_TRUE(command.lossy.has_value());
  EXPECT_EQ(*command.lossy, (Lossy{ItemType::complex64, Lossy::Mode::absolute, 0.001}));
  EXPECT_EQ(command.send.pipeline.item_bytes, 0U);
  EXPECT_EQ(parse_options({"--lossy", "lsb:8", "--dtype", "float32"}).send.pipeline.item_bytes, 4U);
  EXPECT_EQ(parse_options({"--lossy=snr:40", "--dtype=float64"}).lossy->mode, Lossy::Mode::snr);
  EXPECT_EQ(parse_options({"--lossy=rel:0.5", "--dtype=int8"}).lossy->mode, Lossy::Mode::relative);
  expect_send_error("is to be said", {"--lossy", "abs:1", "file", "host"});
  for (const char* bad : {"abs", "abs:", "abs:x", "abs:1x", "abs: 1", "abs:-1", "abs:0", "abs:inf",
                          "lsb:0", "lsb:24", "lsb:1.5", "rel:1", "snr:0", "snr:1e9", "ABS:1", ""})
    expect_send_error("--lossy", {"--dtype", "float32", "--lossy", bad, "file", "host"});
}

TEST(SendOptionsTest, ARepeatedOptionCountsAsItsLast) {
  // Goal: an alias with options can be overridden by what is typed behind it.
  EXPECT_EQ(parse_options({"--ladder", "zlib", "--ladder", "lz4"}).send.pipeline.ladder,
            LadderKind::lz4);
  EXPECT_FALSE(parse_options({"--overwrite", "--no-overwrite"}).send.overwrite_existing);
  EXPECT_TRUE(parse_options({"--no-overwrite", "--overwrite"}).send.overwrite_existing);
}

TEST(SendOptionsTest, StandardInputNeedsANameAndANameNeedsStandardInput) {
  // Goal: "-" and --name come together, once.
  EXPECT_EQ(parse_send({"--name", "all.tar", "-", "host"}).send.stdin_name, "all.tar");
  expect_send_error("--name", {"-", "host"});
  EXPECT_EQ(parse_send({"--name", "x", "file", "host"}).send.name, "x");
  expect_send_error("--name", {"--name", "x", "file", "other", "host"});
  expect_send_error("only once", {"--name", "x", "-", "-", "host"});
}

TEST(SendOptionsTest, WhatCannotBeMeantIsAUsageError) {
  // Goal: each message names the culprit.
  expect_send_error("--frobnicate", {"--frobnicate", "file", "host"});
  expect_send_error("-Z", {"-Z", "file", "host"});
  expect_send_error("PATH", {});
  expect_send_error("'file'", {"file"});
  expect_send_error("host:x", {"file", "host:x"});
  expect_send_error("host:70000", {"file", "host:70000"});
  expect_send_error("port 0", {"file", "host:0"});
  expect_send_error("--block-size: '12X'", {"--block-size", "12X", "file", "host"});
  expect_send_error("--level: '-1'", {"--level", "-1", "file", "host"});
  expect_send_error("--policy: 'best'", {"--policy", "best", "file", "host"});
  expect_send_error("--progress: 'sometimes'", {"--progress", "sometimes", "file", "host"});
  expect_send_error("--quiet", {"-q", "-v", "file", "host"});
  expect_send_error("--trace needs a value", {"file", "host", "--trace"});
  expect_send_error("--trace: its value is empty", {"--trace=", "file", "host"});
  expect_send_error("--trace: its value is empty", {"--trace", "", "file", "host"});
  expect_send_error("ladder", {"--ladder", "brotli", "--list-levels"});
}

TEST(SendOptionsTest, QuietVerboseAndLogLevelChooseTheLog) {
  // Goal: -q and -v are short for levels, --log-level has the last word.
  EXPECT_EQ(parse_options({"-q"}).output.log_level, spdlog::level::err);
  EXPECT_EQ(parse_options({"-q"}).output.progress, ProgressMode::never);
  EXPECT_EQ(parse_options({"-v"}).output.log_level, spdlog::level::debug);
  EXPECT_EQ(parse_options({"-v", "--log-level", "off"}).output.log_level, spdlog::level::off);
  EXPECT_EQ(parse_options({"-q", "--progress", "always"}).output.progress, ProgressMode::always);
}

TEST(SendOptionsTest, HelpVersionAndLevelsNeedNoOperands) {
  // Goal: questions about the program are answered without PATH and HOST.
  EXPECT_NE(parse_send({"--help-all"}).print.value_or("").find("--fifo-packets"),
            std::string::npos);
  EXPECT_EQ(parse_send({"--version"}).print.value_or("").rfind("adoc-send ", 0), 0U);
  EXPECT_EQ(
      parse_send({"--list-levels", "--ladder", "zlib"}).print.value_or("").rfind(" 0  raw\n", 0),
      0U);
  EXPECT_EQ(parse_options({}).print, std::nullopt);
}

TEST(SendOptionsTest, ListLevelsWithAPathMeasuresIt) {
  // Goal: one PATH and no HOST after --list-levels is data to measure, and nothing else is.
  const SendCommand command = parse_send({"--list-levels", "--exclude", "*.o", "dir"});
  EXPECT_TRUE(command.measures_levels);
  EXPECT_EQ(command.print, std::nullopt);
  EXPECT_EQ(command.send.paths, std::vector<std::string>{"dir"});
  EXPECT_EQ(command.send.filters.size(), 1U);
  EXPECT_FALSE(parse_send({"--list-levels"}).measures_levels);
  expect_send_error("no HOST", {"--list-levels", "file", "host"});
  expect_send_error("standard input", {"--list-levels", "-"});
  expect_send_error("ladder", {"--ladder", "brotli", "--list-levels", "file"});
}

TEST(SendOptionsTest, AFileTakesThePlaceOfTheHost) {
  // Goal: --to-file FILE PATH..., at a level that is usual or that suits the link that was named.
  const SendCommand usual = parse_send({"--to-file", "x.adoc", "a", "b"});
  EXPECT_EQ(usual.send.paths, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(usual.send.to_file, "x.adoc");
  EXPECT_FALSE(usual.send.replace_file);
  EXPECT_EQ(usual.later_rate, 0U);
  const Ladder ladder = Ladder::of(LadderKind::automatic);
  ASSERT_EQ(usual.send.pipeline.min_level, usual.send.pipeline.max_level);
  EXPECT_EQ(ladder[*usual.send.pipeline.min_level], (Rung{CodecId::zstd, 3}));
  EXPECT_EQ(usual.send.pipeline.policy, PolicyKind::automatic);

  const SendCommand named = parse_send({"--force", "--for", "10mbit", "--to-file", "x", "a"});
  EXPECT_EQ(named.later_rate, 1'250'000U);
  EXPECT_EQ(named.send.pipeline.later_rate, 1'250'000U);
  EXPECT_EQ(named.send.pipeline.max_level, std::nullopt);
  EXPECT_TRUE(named.send.replace_file);
  EXPECT_FALSE(named.send.force) << "it is about the file, and not about what is in it";

  EXPECT_EQ(parse_send({"--to-file", "x", "--level", "9", "a"}).send.pipeline.level, 9);
  EXPECT_EQ(parse_send({"--to-file", "x", "--max-level", "2", "a"}).send.pipeline.min_level, 2);
}

TEST(SendOptionsTest, NoHabitIsAnOption) {
  // Goal: what has an answer because it is not there is not there.
  for (const Habit& habit : send_habits())
    for (const std::string_view option : habit.options)
      expect_send_error(habit.answer, {std::string(option), "file", "host"});
}

TEST(SendOptionsTest, AFlagTakesNoValue) {
  // Goal: --json=no is not --json.
  expect_send_error("--json takes no value", {"--json=no", "file", "host"});
  expect_send_error("-q takes no value", {"-q=1", "file", "host"});
}

}  // namespace
}  // namespace adoc::cli
