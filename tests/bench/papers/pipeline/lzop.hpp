#pragma once

#include <memory>

#include "bench/papers/pipeline/codecs.hpp"

namespace papers {

/// LZO, whose licence keeps it out of a program of this one, by the program lzop: a chunk goes
/// there and comes back through files in memory, so that each call has the start and the end of a
/// process in it. Nothing where lzop is not installed. Throws std::runtime_error for what lzop
/// refuses.
[[nodiscard]] std::unique_ptr<ChunkCodec> make_lzop();

}  // namespace papers
