#pragma once

namespace adoc::cli {

/// adoc-cp --far: the side of a copy that ssh has started. Talks to the other by standard input and
/// output; gives the exit code.
[[nodiscard]] int run_far_side();

}  // namespace adoc::cli
