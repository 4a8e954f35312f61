#pragma once

#include <cstddef>
#include <span>

#include "util/bytes.hpp"
#include "util/guarded.hpp"
#include "util/wakeup.hpp"

namespace adoc {

/// Standard input of a transfer, which can be read only once. As long as the receiver is not known
/// to wait for another connection when one is lost, what was read is kept here, so that a session
/// that is lost can be followed by one that begins anew; and no more is read than can be kept.
class StandardInput {
 public:
  /// As much as goes over a path in its first round trips.
  static constexpr std::size_t kMostKept = 1 << 20;

  /// Throws Error(internal) when no descriptor is left.
  StandardInput() = default;

  /// A session begins: read() starts again from the first byte, if all that was read is kept. Not
  /// during read().
  void begin() noexcept;
  /// From now on nothing is kept in this session: the receiver waits for another connection, or it
  /// does not know how to. Any thread.
  void let_go() noexcept;
  /// Whether something was read that cannot be given again. Any thread.
  [[nodiscard]] bool is_gone() const noexcept { return state_.lock()->is_gone; }

  /// Waits for some and fills `into` as long as bytes keep coming: a writer that pauses ends it,
  /// too. 0 only at the end. One thread at a time. Throws Error(interrupted) when `stopped` is set
  /// meanwhile, and Error(local_file), in words that follow its name.
  [[nodiscard]] std::size_t read(std::span<std::byte> into, const Wakeup& stopped);

 private:
  struct State {
    bool keeps = true;
    bool is_gone = false;
    Bytes kept{};
  };
  [[nodiscard]] std::size_t room(const Wakeup& stopped) const;

  Guarded<State> state_;
  Wakeup let_go_;
  // Of the thread that reads.
  std::size_t given_again_ = 0;  ///< of what is kept
  bool at_end_ = false;
};

}  // namespace adoc
