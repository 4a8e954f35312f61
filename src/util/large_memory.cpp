#include "util/large_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <span>

#include "util/guarded.hpp"
#include "util/large_memory_hold.hpp"
#include "util/sanitized.hpp"

namespace adoc {

namespace {

/// A huge page, and what is divided into pieces of kLargeBytes: a bit of a number for each.
constexpr std::size_t kMostPieces = 64;
constexpr std::size_t kChunkBytes = kMostPieces * kLargeBytes;
static_assert(kChunkBytes == 2 << 20);

/// Empty chunks that stay for what comes next: what is under way between two stages.
constexpr std::size_t kMostEmpty = 2;

/// Enough for 1 GiB. What does not fit shares its chunk with nobody.
constexpr std::size_t kMostChunks = 512;

std::atomic<std::size_t> in_use{0};

void unmap(void* place, std::size_t bytes) noexcept {
  if (bytes != 0) ::munmap(place, bytes);
}

/// Whole chunks, each of which begins at a huge page.
std::byte* map(std::size_t chunks) noexcept {
  constexpr std::size_t kPageBytes = 4'096;
  if (chunks >= std::numeric_limits<std::size_t>::max() / kChunkBytes) return nullptr;
  const std::size_t bytes = chunks * kChunkBytes;
  const std::size_t mapped = bytes + kChunkBytes - kPageBytes;
  void* const place =
      ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return nullptr;
  const std::size_t over = reinterpret_cast<std::uintptr_t>(place) % kChunkBytes;
  const std::size_t before = over == 0 ? 0 : kChunkBytes - over;
  std::byte* const begin = static_cast<std::byte*>(place) + before;
  unmap(place, before);
  unmap(begin + bytes, mapped - before - bytes);
  // Where there are none it is small pages that come.
  static_cast<void>(::madvise(begin, bytes, MADV_HUGEPAGE));
  return begin;
}

/// Chunks and which of their pieces are taken, in the order of being mapped.
class Chunks {
 public:
  [[nodiscard]] void* take(std::size_t pieces) noexcept {
    const std::uint64_t run = run_of(pieces);
    for (Chunk& chunk : std::span(chunks_).first(count_)) {
      // Bit i of this: pieces i to i + `pieces` - 1 are free.
      std::uint64_t begins = ~chunk.taken;
      for (std::size_t have = 1; have < pieces;) {
        const std::size_t step = std::min(have, pieces - have);
        begins &= begins >> step;
        have += step;
      }
      if (begins == 0) continue;
      const auto first = static_cast<std::size_t>(std::countr_zero(begins));
      if (chunk.taken == 0) --empty_;
      chunk.taken |= run << first;
      return chunk.begin + first * kLargeBytes;
    }
    return nullptr;
  }

  /// A new one, with its first pieces taken. Of too many it is not remembered.
  void add(std::byte* begin, std::size_t pieces) noexcept {
    if (count_ != chunks_.size()) chunks_[count_++] = {.begin = begin, .taken = run_of(pieces)};
  }

  /// The chunk, if it is to be unmapped.
  [[nodiscard]] std::byte* free(std::byte* place, std::size_t pieces) noexcept {
    const auto all = std::span(chunks_).first(count_);
    const auto chunk = std::ranges::find_if(all, [place](const Chunk& candidate) {
      return place >= candidate.begin && place < candidate.begin + kChunkBytes;
    });
    if (chunk == all.end()) return place;
    std::byte* const begin = chunk->begin;
    chunk->taken &= ~(run_of(pieces) << (static_cast<std::size_t>(place - begin) / kLargeBytes));
    if (chunk->taken != 0 || empty_ < kMostEmpty) {
      if (chunk->taken == 0) ++empty_;
      return nullptr;
    }
    std::copy(chunk + 1, all.end(), chunk);
    --count_;
    return begin;
  }

 private:
  struct Chunk {
    std::byte* begin = nullptr;
    std::uint64_t taken = 0;
  };

  static std::uint64_t run_of(std::size_t pieces) noexcept {
    return ~std::uint64_t{0} >> (kMostPieces - pieces);
  }

  std::array<Chunk, kMostChunks> chunks_{};
  std::size_t count_ = 0;
  std::size_t empty_ = 0;
};

/// Never destroyed: the last buffers go when the program does. Its own place cannot be missing.
Guarded<Chunks>& chunks() noexcept {
  alignas(Guarded<Chunks>) static std::array<std::byte, sizeof(Guarded<Chunks>)> place;
  static auto* const kChunks = new (place.data()) Guarded<Chunks>();
  return *kChunks;
}

std::optional<Guarded<Chunks>::Lent<Chunks>>& held_chunks() {
  static auto* const kHeld = new std::optional<Guarded<Chunks>::Lent<Chunks>>();
  return *kHeld;
}

/// What is large is whole chunks of its own, and pieces of one that others share behind them.
struct Shape {
  explicit Shape(std::size_t bytes) noexcept
      : chunks(bytes / kChunkBytes),
        pieces((bytes % kChunkBytes + kLargeBytes - 1) / kLargeBytes) {}

  std::size_t chunks;
  std::size_t pieces;
};

/// A sanitizer knows where a piece of malloc's ends, and nothing of ours.
bool is_malloc(std::size_t bytes) noexcept { return kSanitized || bytes < kLargeBytes; }

void* allocate_large(std::size_t bytes) noexcept {
  const Shape shape(bytes);
  if (shape.chunks == 0)
    if (void* const place = chunks().lock()->take(shape.pieces)) return place;
  std::byte* const place = map(shape.chunks + (shape.pieces != 0 ? 1 : 0));
  if (place != nullptr && shape.pieces != 0)
    chunks().lock()->add(place + shape.chunks * kChunkBytes, shape.pieces);
  return place;
}

void free_large(void* place, std::size_t bytes) noexcept {
  const Shape shape(bytes);
  unmap(place, shape.chunks * kChunkBytes);
  if (shape.pieces == 0) return;
  std::byte* const shared = static_cast<std::byte*>(place) + shape.chunks * kChunkBytes;
  if (std::byte* const chunk = chunks().lock()->free(shared, shape.pieces))
    unmap(chunk, kChunkBytes);
}

void* allocate(std::size_t bytes) noexcept {
  void* place = nullptr;
  if (!is_malloc(bytes)) {
    place = allocate_large(bytes);
  } else if (bytes <= std::numeric_limits<std::size_t>::max() - kCacheLineBytes) {
    const std::size_t lines = bytes / kCacheLineBytes + 1;
    place = std::aligned_alloc(kCacheLineBytes, lines * kCacheLineBytes);
  }
  if (place != nullptr) in_use += bytes;
  return place;
}

}  // namespace

void* allocate_memory(std::size_t bytes) {
  if (void* const place = allocate(bytes)) return place;
  throw std::bad_alloc();
}

void free_memory(void* place, std::size_t bytes) noexcept {
  if (place == nullptr) return;
  in_use -= bytes;
  if (is_malloc(bytes)) return std::free(place);
  free_large(place, bytes);
}

void hold_large_memory() { held_chunks().emplace(chunks().lock()); }

void release_large_memory() noexcept { held_chunks().reset(); }

std::size_t memory_in_use() noexcept { return in_use; }

// The size is in the cache line before.
void* allocate_for_library(void* /*unused*/, std::size_t bytes) noexcept {
  if (bytes > std::numeric_limits<std::size_t>::max() - kCacheLineBytes) return nullptr;
  const std::size_t whole = bytes + kCacheLineBytes;
  auto* const place = static_cast<std::byte*>(allocate(whole));
  if (place == nullptr) return nullptr;
  std::memcpy(place, &whole, sizeof whole);
  return place + kCacheLineBytes;
}

void free_for_library(void* /*unused*/, void* place) noexcept {
  if (place == nullptr) return;
  auto* const begin = static_cast<std::byte*>(place) - kCacheLineBytes;
  std::size_t whole = 0;
  std::memcpy(&whole, begin, sizeof whole);
  free_memory(begin, whole);
}

}  // namespace adoc
