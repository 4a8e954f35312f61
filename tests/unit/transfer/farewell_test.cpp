#include "transfer/farewell.hpp"

#include <gtest/gtest.h>

#include <new>

#include "adoc/error.hpp"
#include "wire/frame.hpp"
#include "wire/outcome.hpp"

namespace adoc {
namespace {

std::string said(const std::exception_ptr& failure, const ErrorWords& words) {
  const Bytes frame = last_words(in_words(failure, words));
  return ErrorFrame::decode(
             open_record(FrameType::error, ByteSpan(frame).subspan(kFrameHeaderBytes)))
      .message;
}

TEST(FarewellTest, ThePeerReadsTheCallersWordsForAHint) {
  // Goal: who reads it has no member of options, but the options of a program.
  const ErrorWords words = [](const Error& error) { return error.with(" (--timeout)"); };
  const auto silent = std::make_exception_ptr(
      Error(ErrorKind::connect, "nothing heard for 2 s", Hint::look_at_timeout, ": it is gone"));
  EXPECT_EQ(said(silent, words), "nothing heard for 2 s (--timeout): it is gone");
  EXPECT_EQ(said(silent, {}), "nothing heard for 2 s: it is gone");
  const auto plain = std::make_exception_ptr(Error(ErrorKind::connect, "it is gone"));
  EXPECT_EQ(in_words(plain, words), plain);
  const auto other = std::make_exception_ptr(std::bad_alloc());
  EXPECT_EQ(in_words(other, words), other) << "memory may have run out";
}

TEST(FarewellTest, WordsThatFailLeaveTheErrorAsItIs) {
  // Goal: the peer hears of the failure, and the thread that tells it does not end.
  const auto silent =
      std::make_exception_ptr(Error(ErrorKind::connect, "nothing heard", Hint::look_at_timeout));
  EXPECT_EQ(in_words(silent, [](const Error&) -> std::string { throw std::bad_alloc(); }), silent);
}

}  // namespace
}  // namespace adoc
