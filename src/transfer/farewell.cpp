#include "transfer/farewell.hpp"

#include <new>

#include "transfer/peer_error.hpp"
#include "wire/frame.hpp"
#include "wire/hello.hpp"
#include "wire/outcome.hpp"

namespace adoc {

namespace {

/// Made before memory has run out.
const Bytes kNoMemory =
    encode_frame(ErrorFrame{static_cast<std::uint8_t>(ErrorKind::internal), kOutOfMemory});
const Bytes kHello = Hello{.role = Role::receiver}.encode();

/// Nothing is told to a peer that is gone.
void write_last(Stream& stream, ByteSpan words) noexcept {
  try {
    stream.write_all(words);
  } catch (...) {
  }
}

}  // namespace

std::exception_ptr in_words(const std::exception_ptr& failure, const ErrorWords& words) noexcept {
  if (!words) return failure;
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    if (error.hint() == Hint::none) return failure;
    try {
      return std::make_exception_ptr(Error(error.kind(), words(error)));
    } catch (...) {
      return failure;
    }
  } catch (...) {
    return failure;
  }
}

Bytes last_words(const std::exception_ptr& failure) {
  const auto frame = [](ErrorKind kind, const char* message) {
    return encode_frame(ErrorFrame{static_cast<std::uint8_t>(kind), message});
  };
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return frame(error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return frame(ErrorKind::internal, error.what());
  }
}

ByteSpan words_of_no_memory() noexcept { return kNoMemory; }

void say_why(Stream& stream, const std::exception_ptr& failure,
             std::chrono::milliseconds patience) noexcept {
  try {
    write_last(stream, last_words(failure));
  } catch (...) {
    write_last(stream, kNoMemory);
  }
  if (patience.count() != 0) stream.linger(patience);
}

void turn_away(Stream& stream, const std::exception_ptr& failure,
               std::chrono::milliseconds patience) noexcept {
  write_last(stream, kHello);
  say_why(stream, failure, patience);
}

}  // namespace adoc
