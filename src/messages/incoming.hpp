#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "messages/descriptor.hpp"
#include "util/buffer.hpp"
#include "wire/message.hpp"

namespace adoc::messages {

/// What comes from one descriptor. One thread at a time.
///
/// A header and what follows it are read by one system call, the bytes to where the caller wants
/// them. What was read beyond the caller's bytes is kept, and so is a compressed run that is not
/// complete: memory is taken for what has come, never for what was announced.
class Incoming {
 public:
  /// Any bytes in order, without waiting if the descriptor does not: as read().
  class Source {
   public:
    virtual ~Source() = default;
    [[nodiscard]] virtual Count read(std::span<const iovec> parts) = 0;
  };

  /// Up to into.size() bytes, 0 at the end. Fails with EPROTO and EBADMSG, for good, and with
  /// ENOMSG where a mark of a file comes next. Throws std::bad_alloc, after which it can be called
  /// again.
  [[nodiscard]] Count read(Source& source, std::span<std::byte> into);

  /// Waits for a mark and takes it. Fails with ENOMSG where bytes come next, and with 0 at the end
  /// of the stream.
  [[nodiscard]] Count read_mark(Source& source, FileMark& mark);

  /// Whether it is not just between two runs.
  [[nodiscard]] bool carries() const noexcept {
    return failed_ != 0 || header_size_ != 0 || plain_left_ != 0 || packed_ || mark_ ||
           raw_taken_ < raw_.size() || !ahead().empty();
  }

  /// The stream is not what it should be: all that follows fails with this. Returns it, negated.
  Count break_off(int error_number) noexcept { return failed_ = -error_number; }

  /// That read() would give without its source, at least; what it would fail with.
  [[nodiscard]] Count pending() const noexcept;

 private:
  /// 1: the whole header of a frame is here; 0: the stream has ended.
  [[nodiscard]] Count read_header(Source& source, std::span<std::byte> spare, std::size_t& behind);
  void take_ahead_into_header();
  [[nodiscard]] Count read_run(Source& source, std::span<std::byte> into);
  [[nodiscard]] Count read_stored(Source& source);
  [[nodiscard]] Count unpack(std::span<std::byte> into);
  [[nodiscard]] std::size_t take_ahead(std::span<std::byte> into) noexcept;
  void keep_ahead(ByteSpan bytes);
  [[nodiscard]] ByteSpan ahead() const noexcept {
    return ByteSpan(ahead_.data(), ahead_.size()).subspan(ahead_taken_);
  }
  [[nodiscard]] ByteSpan header() const noexcept { return ByteSpan(header_).first(header_size_); }
  [[nodiscard]] Count ended_within() noexcept;

  Count failed_ = 0;
  std::array<std::byte, kMaxMessageHeaderBytes> header_{};
  std::size_t header_size_ = 0;  ///< that has come of the next one
  std::size_t plain_left_ = 0;   ///< of the plain run that is being read
  std::optional<PackedRun> packed_{};
  std::optional<FileMark> mark_{};  ///< comes next
  Buffer stored_;                   ///< of the packed run, as far as it has come
  Buffer raw_;                      ///< of one that the caller has not taken all of
  std::size_t raw_taken_ = 0;
  Buffer ahead_;  ///< read and not looked at
  std::size_t ahead_taken_ = 0;
};

class DescriptorSource final : public Incoming::Source {
 public:
  explicit DescriptorSource(int fd) noexcept : fd_(fd) {}

  Count read(std::span<const iovec> parts) override { return system_read(fd_, parts); }

 private:
  int fd_;
};

}  // namespace adoc::messages
