#include "cli/signals.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>

#include "cli/status_line.hpp"

namespace adoc::cli {
namespace {

/// Runs in a process of its own (a death test): signals and masks belong to the whole process.
[[noreturn]] void exit_when_stopped(int signal, int times) {
  const StopOnSignals signals;
  for (int i = 0; i < times; ++i) {
    ::kill(::getpid(), signal);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (!signals.token().stop_requested() && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
  }
  if (times == 1) ::_exit(signals.token().stop_requested() ? 42 : 1);
  std::this_thread::sleep_for(std::chrono::seconds(5));
  ::_exit(2);
}

class SignalsDeathTest : public testing::Test {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(SignalsDeathTest, TheFirstSignalAsksToStop) {
  // Goal: each of the signals becomes a stop request instead of the end of the process.
  EXPECT_EXIT(exit_when_stopped(SIGINT, 1), testing::ExitedWithCode(42), "");
  EXPECT_EXIT(exit_when_stopped(SIGTERM, 1), testing::ExitedWithCode(42), "");
  EXPECT_EXIT(exit_when_stopped(SIGHUP, 1), testing::ExitedWithCode(42), "");
}

TEST_F(SignalsDeathTest, TheSecondSignalEndsAtOnce) {
  // Goal: a person who presses Ctrl-C twice does not wait.
  EXPECT_EXIT(exit_when_stopped(SIGINT, 2), testing::ExitedWithCode(130), "");
}

TEST_F(SignalsDeathTest, WhatDoesNotEndIsEnded) {
  // Goal: a thread that computes for seconds and looks at nothing holds nobody up.
  EXPECT_EXIT(
      {
        const auto log = start_log("program");
        const StopOnSignals signals;
        ::kill(::getpid(), SIGTERM);
        std::this_thread::sleep_for(std::chrono::seconds(20));
        ::_exit(46);
      },
      testing::ExitedWithCode(130), "program: interrupted\n");
  EXPECT_EXIT(
      {
        const auto log = start_log("program");
        const StopOnSignals signals("it is cut off");
        ::kill(::getpid(), SIGTERM);
        std::this_thread::sleep_for(std::chrono::seconds(20));
        ::_exit(46);
      },
      testing::ExitedWithCode(130), "program: interrupted; it is cut off\n");
}

TEST_F(SignalsDeathTest, BeforeAnythingIsBegunASignalEndsAtOnce) {
  // Goal: the exit status is the same before there is something to stop; so it is where a script
  // has started the program in the background, which ignores SIGINT; what nohup ignores stays
  // ignored.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    EXPECT_EXIT(
        {
          end_at_once_on_signals();
          ::raise(signal);
        },
        testing::ExitedWithCode(130), "");
  EXPECT_EXIT(
      {
        ::signal(SIGINT, SIG_IGN);
        end_at_once_on_signals();
        ::raise(SIGINT);
      },
      testing::ExitedWithCode(130), "");
  EXPECT_EXIT(
      {
        ::signal(SIGHUP, SIG_IGN);
        end_at_once_on_signals();
        ::raise(SIGHUP);
        ::_exit(45);
      },
      testing::ExitedWithCode(45), "");
}

TEST_F(SignalsDeathTest, WhatNohupIgnoresStaysIgnored) {
  // Goal: closing the terminal does not end a transfer started with nohup.
  EXPECT_EXIT(
      {
        ::signal(SIGHUP, SIG_IGN);
        const StopOnSignals signals;
        ::kill(::getpid(), SIGHUP);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        ::_exit(signals.token().stop_requested() ? 1 : 43);
      },
      testing::ExitedWithCode(43), "");
}

TEST_F(SignalsDeathTest, ALostPipeIsNoSignal) {
  // Goal: writing to a connection that is gone is an error of the write.
  EXPECT_EXIT(
      {
        const StopOnSignals signals;
        ::raise(SIGPIPE);
        ::_exit(44);
      },
      testing::ExitedWithCode(44), "");
}

}  // namespace
}  // namespace adoc::cli
