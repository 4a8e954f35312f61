#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "util/bytes.hpp"
#include "wire/frame.hpp"
#include "wire/hello.hpp"
#include "wire/streams.hpp"

namespace adoc {

/// What a sender has said before it is served, kept for who serves it: its hello and its first
/// frames, but not its keep-alives, of which there may be any number.
class Overheard {
 public:
  /// The most that is kept.
  static constexpr std::size_t kMostBytes = 16 << 10;

  /// The next that it says, at most room(). Throws what Hello::decode() does, nothing else: about
  /// frames it is for the session to complain.
  void add(ByteSpan bytes);
  [[nodiscard]] std::size_t room() const noexcept { return kMostBytes - kept_.size(); }

  [[nodiscard]] const std::optional<Hello>& hello() const noexcept { return hello_; }
  /// Whether there is anything but the hello and keep-alives.
  [[nodiscard]] bool has_begun() const noexcept { return has_begun_; }

  /// Whether it begins with a join, as far as that is here.
  [[nodiscard]] bool is_joining() const noexcept {
    return hello_ && kept_.size() > kHelloBytes &&
           kept_[kHelloBytes] == static_cast<std::byte>(FrameType::join);
  }
  /// All of it. Throws Error(corrupt) when that is none.
  [[nodiscard]] std::optional<Join> join() const;
  /// What came behind that.
  [[nodiscard]] ByteSpan behind_join() const noexcept {
    return ByteSpan(kept_).subspan(kHelloBytes + kJoinBytes);
  }

  /// Of keep-alives.
  [[nodiscard]] std::uint64_t dropped_bytes() const noexcept { return dropped_bytes_; }
  /// All of it, with the hello.
  [[nodiscard]] Bytes take() && noexcept { return std::move(kept_); }

 private:
  static constexpr std::size_t kJoinBytes = kFrameHeaderBytes + kTokenBytes + kCheckBytes;

  void pass_frames();
  void drop_keep_alives();

  Bytes kept_;
  std::optional<Hello> hello_;
  std::uint64_t dropped_bytes_ = 0;
  std::size_t frame_ = 0;  ///< where the next one begins, maybe behind what is here
  bool has_begun_ = false;
  bool is_in_keep_alive_ = false;  ///< all that follows is nothing, or the start of one
};

}  // namespace adoc
