#pragma once

#include "codec/ladder.hpp"

namespace adoc::testkit {

/// The levels that the default policy chooses from.
inline const Ladder kAutoLadder = Ladder::named("auto");

}  // namespace adoc::testkit
