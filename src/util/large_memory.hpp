#pragma once

#include <cstddef>

namespace adoc {

// Memory for what is large: buffers of blocks, tables of compressors. It begins at a cache line, is
// not filled with anything, and comes in huge pages where the system lends them. Any thread.
//
// A page that is written to for the first time costs a fault, 1 to 2 us in a virtual machine, and
// all of a block that goes raw 60 us; malloc would map each large piece anew. AMD's Zen 3 and 4
// copy four times as slowly into memory that begins 16 bytes into a page, as malloc's does.

/// What is smaller is malloc's, at a cache line, too.
inline constexpr std::size_t kLargeBytes = 32 << 10;
inline constexpr std::size_t kCacheLineBytes = 64;

/// Of any size, 0 too. Throws std::bad_alloc.
[[nodiscard]] void* allocate_memory(std::size_t bytes);
/// With the size that it was allocated with. Nothing for nullptr.
void free_memory(void* place, std::size_t bytes) noexcept;

/// What this program has allocated here and not freed.
[[nodiscard]] std::size_t memory_in_use() noexcept;

/// For a library that frees without telling the size, and expects nullptr for what there is not.
[[nodiscard]] void* allocate_for_library(void* unused, std::size_t bytes) noexcept;
void free_for_library(void* unused, void* place) noexcept;

}  // namespace adoc
