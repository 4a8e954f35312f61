#pragma once

#include <functional>

#include "codec/codec.hpp"

namespace adoc {

/// Runs `work` in a thread of its own and waits for it; `meanwhile` is called every few
/// milliseconds. Returns the processor time of that thread, and throws what `work` throws.
///
/// If `meanwhile` throws, that is passed on at once: a library's call cannot be interrupted, and
/// nobody is to wait seconds for it. The work then goes on alone, so it must own all that it
/// touches, and until it is through no other work begins: what is left alone takes no more memory
/// than what nobody left. Without `meanwhile`, or where there is no thread to be had, the caller's
/// thread does the work itself.
double run_apart(std::function<void()> work, const Meanwhile& meanwhile);

}  // namespace adoc
