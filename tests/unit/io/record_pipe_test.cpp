// Goal: what goes to a far side before it has said that it is one does no harm anywhere else.

#include "io/record_pipe.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "support/expect_error.hpp"
#include "util/fd.hpp"

namespace adoc {
namespace {

using testkit::expect_error;

FarRequest asked_for(std::string path) {
  return {.program = "1.2.3", .key = "a key", .arguments = {"--", std::move(path)}};
}

class RecordPipeTest : public ::testing::Test {
 protected:
  RecordPipeTest() { begin_anew(); }
  void begin_anew() {
    std::array<int, 2> pair{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
    here_ = Fd(pair[0]);
    there_ = Fd(pair[1]);
  }
  [[nodiscard]] static RecordPipe over(const Fd& socket) {
    return RecordPipe({.in = socket.get(), .out = socket.get(), .peer = "the other"});
  }

  Fd here_;
  Fd there_;
};

TEST_F(RecordPipeTest, WhatMayReachAShellHasNoByteThatMeansAnythingToIt) {
  // Goal: names that are commands, of each length, since lengths are on the wire, too.
  for (std::size_t length = 0; length < 300; ++length) {
    const Bytes said = RecordPipe::in_letters(
        asked_for("\n;$(reboot)`reboot`&|\x03\x1b" + std::string(length, ';')));
    EXPECT_TRUE(std::ranges::all_of(said, [](std::byte byte) {
      const char letter = static_cast<char>(byte);
      return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
             (letter >= '0' && letter <= '9') || letter == '+' || letter == '/' || letter == '=';
    }));
  }
}

TEST_F(RecordPipeTest, WhatIsSaidInLettersIsHeardAndNotAByteMore) {
  RecordPipe here = over(here_);
  RecordPipe there = over(there_);
  for (std::size_t length = 0; length < 10; ++length) {
    const FarRequest request = asked_for(std::string(length, '\n'));
    here.write(RecordPipe::in_letters(request));
    here.write(RecordPipe::in_letters(FarGo{.name = "x", .only_channel = true}));
    const std::array behind{std::byte{1}, std::byte{2}};
    here.write(behind);
    EXPECT_EQ(there.hear_in_letters<FarRequest>().arguments, request.arguments);
    EXPECT_EQ(there.hear_in_letters<FarGo>().name, "x");
    std::array<std::byte, 2> rest{};
    there.read_exactly(rest);
    EXPECT_EQ(rest, behind);
  }
}

TEST_F(RecordPipeTest, WhatIsNotInLettersIsAnError) {
  // Goal: at the beginning, later on, and another frame than what is heard for.
  const Bytes request = RecordPipe::in_letters(asked_for("a path"));
  for (const std::size_t at : {std::size_t{1}, request.size() - 6}) {
    Bytes broken = request;
    broken[at] = std::byte{'*'};
    over(here_).write(broken);
    expect_error(ErrorKind::corrupt, "not in letters",
                 [&] { static_cast<void>(over(there_).hear_in_letters<FarRequest>()); });
    begin_anew();
  }
  over(here_).write(RecordPipe::in_letters(FarGo{}));
  expect_error(ErrorKind::corrupt, "instead of",
               [&] { static_cast<void>(over(there_).hear_in_letters<FarRequest>()); });
}

}  // namespace
}  // namespace adoc
