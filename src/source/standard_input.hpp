#pragma once

#include <cstddef>
#include <span>

#include "util/bytes.hpp"
#include "util/guarded.hpp"
#include "util/wakeup.hpp"

namespace adoc {

/// Standard input of a transfer. What it gives first is kept, so that a session that is lost before
/// its connections last can be followed by another one. Until that is known no more is read than
/// can be kept.
class StandardInput {
 public:
  /// As much as goes over a path in its first round trips.
  static constexpr std::size_t kMostKept = 1 << 20;

  /// Throws Error(internal) when no descriptor is left.
  StandardInput() = default;

  /// A session begins: from the start again, if all that was read is kept. Not during read().
  void begin() noexcept;
  /// What was read, and what is read from now on in this session, need not be given again, or
  /// cannot be. Any thread.
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
