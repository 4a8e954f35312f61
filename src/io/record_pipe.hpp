#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

#include "util/bytes.hpp"
#include "util/wakeup.hpp"
#include "wire/far_side.hpp"
#include "wire/frame.hpp"

namespace adoc {

/// One frame after the other over the pipes to another process, and not a byte more than a frame
/// is read: what follows the last one belongs to somebody else. Used by one thread.
class RecordPipe {
 public:
  struct Setup {
    int in = -1;   ///< not owned
    int out = -1;  ///< not owned
    std::string peer{};
    std::stop_token stop{};
    std::chrono::milliseconds timeout{0};  ///< of each wait; 0: none
    /// There is none until the other process has said anything: somebody may be typing a password.
    bool waits_for_login = false;
  };
  /// Throws Error(internal) when there is no descriptor left.
  explicit RecordPipe(Setup setup);

  /// All of it. Throws Error(connect) when nobody reads it any more, and as hear().
  void write(ByteSpan bytes);
  template <typename Record>
  void say(const Record& record) {
    write(encode_frame(record));
  }

  /// A frame for a program that may turn out to be none of ours, such as a shell that takes what it
  /// reads for commands, or a terminal: in Base64 (RFC 4648), whatever names are in it.
  template <typename Record>
  [[nodiscard]] static Bytes in_letters(const Record& record) {
    return letters_of(encode_frame(record));
  }

  /// Reads up to and with kFarMagic; what comes before is what a login shell printed, and is given
  /// back, the first of it. Throws as hear(), and where more comes than a login shell prints.
  std::string expect_magic();

  /// All of it. Throws Error(connect) on the end or after the timeout, Error(interrupted) on a stop
  /// request.
  void read_exactly(std::span<std::byte> into);

  /// Throws as read_exactly(), and Error(corrupt).
  template <typename Record>
  [[nodiscard]] Record hear() {
    return Record::decode(read(Record::kType));
  }
  /// What came of in_letters().
  template <typename Record>
  [[nodiscard]] Record hear_in_letters() {
    return Record::decode(read_letters(Record::kType));
  }

 private:
  [[nodiscard]] static Bytes letters_of(ByteSpan frame);
  [[nodiscard]] ByteSpan read(FrameType type);
  [[nodiscard]] ByteSpan read_letters(FrameType type);
  void wait_for(int fd, short events) const;
  [[noreturn]] void lost() const;

  Setup setup_;
  Wakeup stopped_;
  std::stop_callback<std::function<void()>> on_stop_;
  bool has_spoken_ = false;  ///< the other process
  Bytes frame_;
};

}  // namespace adoc
