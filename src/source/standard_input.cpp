#include "source/standard_input.hpp"

#include <poll.h>

#include <algorithm>
#include <limits>

#include "adoc/error.hpp"
#include "source/input_file.hpp"

namespace adoc {

void StandardInput::begin() noexcept {
  const auto state = state_.lock();
  if (state->is_gone) return;
  state->keeps = true;
  given_again_ = 0;
  let_go_.reset();
}

void StandardInput::let_go() noexcept {
  {
    const auto state = state_.lock();
    state->keeps = false;
    // What has not been given again yet is still to be read from here.
    if (!state->kept.empty()) state->is_gone = true;
  }
  let_go_.set();
}

/// How much may be read; waits until some may.
std::size_t StandardInput::room(const Wakeup& stopped) const {
  while (true) {
    {
      const auto state = state_.lock();
      if (!state->keeps) return std::numeric_limits<std::size_t>::max();
      if (state->kept.size() < kMostKept) return kMostKept - state->kept.size();
    }
    if (stopped.wait_for(let_go_.fd(), POLLIN) == Wakeup::Result::woken)
      throw Error(ErrorKind::interrupted, "interrupted");
  }
}

std::size_t StandardInput::read(std::span<std::byte> into, const Wakeup& stopped) {
  {
    const auto state = state_.lock();
    const std::size_t again = std::min(into.size(), state->kept.size() - given_again_);
    if (again != 0) {
      std::copy_n(state->kept.begin() + static_cast<std::ptrdiff_t>(given_again_), again,
                  into.begin());
      given_again_ += again;
      return again;
    }
    if (!state->keeps && !state->kept.empty()) {
      state->kept = {};
      given_again_ = 0;
    }
  }
  if (at_end_) return 0;
  into = into.first(std::min(into.size(), room(stopped)));
  const std::size_t got = InputFile::read_standard_input(into, stopped);
  at_end_ = got == 0;
  const auto state = state_.lock();
  if (!state->keeps) {
    state->is_gone = state->is_gone || got != 0;
    return got;
  }
  state->kept.insert(state->kept.end(), into.begin(),
                     into.begin() + static_cast<std::ptrdiff_t>(got));
  given_again_ = state->kept.size();
  return got;
}

}  // namespace adoc
