#include "util/buffer.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <limits>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "util/sanitized.hpp"

namespace adoc {
namespace {

bool begins_at_cache_line(const void* place) {
  return reinterpret_cast<std::uintptr_t>(place) % kCacheLineBytes == 0;
}

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

/// Every so many bytes and the last: some in each page.
constexpr std::size_t kStep = 1'009;

void fill(Buffer& buffer, int value) {
  for (std::size_t i = 0; i < buffer.size(); i += kStep) buffer.data()[i] = std::byte(value);
  if (!buffer.empty()) buffer.data()[buffer.size() - 1] = std::byte(value);
}

bool is_filled(const Buffer& buffer, int value) {
  for (std::size_t i = 0; i < buffer.size(); i += kStep)
    if (buffer.data()[i] != std::byte(value)) return false;
  return buffer.empty() || buffer.data()[buffer.size() - 1] == std::byte(value);
}

TEST(BufferTest, BeginsAtACacheLineWhateverItsSize) {
  for (const std::size_t bytes : {1U, 64U, 1'000U, 32U << 10, 100'000U, 1U << 20, 3U << 20}) {
    Buffer buffer(bytes);
    EXPECT_TRUE(begins_at_cache_line(buffer.data())) << bytes;
    buffer.resize(2 * bytes);
    EXPECT_TRUE(begins_at_cache_line(buffer.data())) << bytes;
  }
}

TEST(BufferTest, KeepsItsBytesWhenItGrowsAndNothingWhenItIsMovedFrom) {
  // Goal: also from malloc's memory to pieces of a chunk, and from there to a mapping of its own.
  const Bytes part(10'007, std::byte{7});
  Buffer buffer;
  for (int i = 0; i < 300; ++i) buffer.append(part);
  EXPECT_EQ(buffer.size(), 300 * part.size());
  EXPECT_TRUE(is_filled(buffer, 7));
  Buffer other(std::move(buffer));
  EXPECT_TRUE(buffer.empty());  // NOLINT(bugprone-use-after-move): that is the promise
  EXPECT_EQ(buffer.capacity(), 0U);
  buffer = std::move(other);
  EXPECT_TRUE(is_filled(buffer, 7));
  EXPECT_EQ(other.capacity(), 0U);  // NOLINT(bugprone-use-after-move)
}

TEST(BufferTest, WhatIsTooMuchIsAnErrorAndLeavesTheBufferAsItWas) {
  Buffer buffer(100'000);
  fill(buffer, 3);
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const std::size_t less : {0U, 1U, 63U, 64U, 1U << 20}) {
    // A sanitizer ends the program when malloc is asked for as much.
    if (kSanitized && less > 63) break;
    EXPECT_THROW(buffer.reserve(most - less), std::bad_alloc) << less;
  }
  EXPECT_EQ(buffer.size(), 100'000U);
  EXPECT_TRUE(is_filled(buffer, 3));
}

TEST(BufferTest, NoTwoShareAByteAndAllAreGivenBack) {
  // Goal: pieces of all sizes, made and freed in any order by several threads, and counted.
  const std::size_t before = memory_in_use();
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([thread] {
        std::vector<Buffer> held(16);
        std::uint32_t random = 12'345U + static_cast<std::uint32_t>(thread);
        for (int i = 0; i < 600; ++i) {
          random = random * 1'664'525 + 1'013'904'223;
          const std::size_t slot = (random >> 8) % held.size();
          const int mark = thread * 16 + static_cast<int>(slot);
          ASSERT_TRUE(is_filled(held[slot], mark));
          held[slot] = Buffer(1 + (random >> 12) % (kSanitized ? 100'000 : 1'500'000));
          fill(held[slot], mark);
        }
        for (std::size_t slot = 0; slot < held.size(); ++slot)
          EXPECT_TRUE(is_filled(held[slot], thread * 16 + static_cast<int>(slot)));
      });
  }
  EXPECT_EQ(memory_in_use(), before);
}

TEST(BufferTest, ToBeMadeAnewCostsNoPageFaults) {
  // Goal: buffers that come and go, as those between two stages do, do not go back to the system
  // each time. Whether there are huge pages or not.
  if (kSanitized) GTEST_SKIP() << "it has an allocator of its own";
  const auto use = [] {
    std::vector<Buffer> held;
    for (int i = 0; i < 8; ++i) fill(held.emplace_back(256 << 10), i);
  };
  use();
  const long before = page_faults();
  for (int i = 0; i < 50; ++i) use();
  // Each time anew they would be 512 small pages, or one huge one.
  EXPECT_LT(page_faults() - before, 50);
}

TEST(BufferTest, ALibraryGetsItsMemoryBackWithoutASize) {
  const std::size_t before = memory_in_use();
  for (const std::size_t bytes : {0U, 1U, 40'000U, 3U << 20}) {
    void* const place = allocate_for_library(nullptr, bytes);
    ASSERT_NE(place, nullptr);
    EXPECT_TRUE(begins_at_cache_line(place));
    EXPECT_GE(memory_in_use(), before + bytes);
    free_for_library(nullptr, place);
  }
  free_for_library(nullptr, nullptr);
  EXPECT_EQ(allocate_for_library(nullptr, std::numeric_limits<std::size_t>::max()), nullptr);
  EXPECT_EQ(memory_in_use(), before);
}

}  // namespace
}  // namespace adoc
