#include "cli/recv_options.hpp"

#include <gtest/gtest.h>

#include "cli/habits.hpp"
#include "support/expect_error.hpp"
#include "unit/cli/arguments.hpp"

namespace adoc::cli {
namespace {

RecvCommand parse_recv(std::vector<std::string> words) {
  const testkit::ArgumentList arguments(std::move(words));
  return parse_recv_command(arguments.count(), arguments.pointers());
}

void expect_recv_error(std::string_view fragment, std::vector<std::string> words) {
  testkit::expect_error(ErrorKind::usage, fragment, [&] { parse_recv(std::move(words)); });
}

TEST(RecvOptionsTest, WithAKeyAllAddressesAreListenedOn) {
  // Goal: whoever has the key gets in from anywhere, and nobody else does.
  const RecvCommand command = parse_recv({"--out", "inbox"});
  EXPECT_EQ(command.receive.out_directory, "inbox");
  EXPECT_EQ(command.receive.listen, (Endpoint{"*", 4400}));
  EXPECT_FALSE(command.receive.insecure);
  EXPECT_FALSE(command.receive.once);
}

TEST(RecvOptionsTest, InsecureListensOnLoopbackUnlessAnotherAddressIsGiven) {
  // Goal: --insecure alone does not open this machine to a network.
  EXPECT_EQ(parse_recv({"--out", "d", "--insecure"}).receive.listen, (Endpoint{"127.0.0.1", 4400}));
  EXPECT_TRUE(parse_recv({"--out", "d", "--insecure"}).receive.insecure);
  EXPECT_EQ(parse_recv({"--out", "d", "--insecure", "--listen", "10.0.0.1"}).receive.listen,
            (Endpoint{"10.0.0.1", 4400}));
}

TEST(RecvOptionsTest, AddressOrPortMayBeLeftOut) {
  // Goal: ADDR, :PORT and ADDR:PORT are all understood.
  EXPECT_EQ(parse_recv({"--out", "d", "--listen", ":5000"}).receive.listen, (Endpoint{"*", 5000}));
  EXPECT_EQ(parse_recv({"--out", "d", "--insecure", "--listen", ":5000"}).receive.listen,
            (Endpoint{"127.0.0.1", 5000}));
  EXPECT_EQ(parse_recv({"--out", "d", "--listen", "5000"}).receive.listen, (Endpoint{"*", 5000}));
  EXPECT_EQ(parse_recv({"--out", "d", "--listen", "127.0.0.1:0"}).receive.listen,
            (Endpoint{"127.0.0.1", 0}));
}

TEST(RecvOptionsTest, ANewKeyNeedsNoDirectory) {
  // Goal: --new-key alone is a command of its own, and with --out it is not.
  EXPECT_TRUE(parse_recv({"--new-key"}).only_key);
  EXPECT_EQ(parse_recv({"--new-key", "--key-file", "f"}).key.file, "f");
  EXPECT_FALSE(parse_recv({"--new-key", "--out", "d"}).only_key);
  EXPECT_TRUE(parse_recv({"--new-key", "--out", "d"}).key.make_new);
}

TEST(RecvOptionsTest, NoKeyAndAKeyContradictEachOther) {
  // Goal: nobody believes to be safe who is not.
  expect_recv_error("--key-file", {"--out", "d", "--insecure", "--key-file", "f"});
  expect_recv_error("--new-key", {"--out", "d", "--insecure", "--new-key"});
}

TEST(RecvOptionsTest, WhatCannotBeMeantIsAUsageError) {
  // Goal: each message names the culprit.
  expect_recv_error("--out", {});
  expect_recv_error("--out", {"--out", ""});
  expect_recv_error("'stray'", {"--out", "d", "stray"});
  expect_recv_error("--nope", {"--out", "d", "--nope"});
  expect_recv_error("127.0.0.1:x", {"--out", "d", "--listen", "127.0.0.1:x"});
  expect_recv_error("--fifo-packets: 'many'", {"--out", "d", "--fifo-packets", "many"});
}

TEST(RecvOptionsTest, TheOtherOptionsAreTaken) {
  // Goal: nothing on the command line is lost.
  const RecvCommand command =
      parse_recv({"--once", "--json", "--fifo-packets", "2", "-v", "--progress=never", "--out=d"});
  EXPECT_TRUE(command.receive.once);
  EXPECT_TRUE(command.output.json);
  EXPECT_EQ(command.receive.fifo_packets, 2U);
  EXPECT_EQ(command.output.log_level, spdlog::level::debug);
  EXPECT_EQ(command.output.progress, ProgressMode::never);
  EXPECT_NE(parse_recv({"-h"}).print.value_or("").find("--listen"), std::string::npos);
}

TEST(RecvOptionsTest, NoHabitIsAnOption) {
  // Goal: what has an answer because it is not there is not there.
  for (const Habit& habit : recv_habits())
    for (const std::string_view option : habit.options)
      expect_recv_error(habit.answer, {std::string(option), "--out", "d"});
}

TEST(RecvOptionsTest, AFlagTakesNoValue) {
  // Goal: --json=no is not --json.
  expect_recv_error("--json takes no value", {"--json=no", "--out", "d"});
  expect_recv_error("-q takes no value", {"-q=1", "--out", "d"});
}

}  // namespace
}  // namespace adoc::cli
