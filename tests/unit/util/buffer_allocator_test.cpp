#include "util/buffer_allocator.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "util/bytes.hpp"

namespace adoc {
namespace {

std::uintptr_t beyond_cache_line(const Bytes& bytes) {
  return reinterpret_cast<std::uintptr_t>(bytes.data()) % 64;
}

TEST(BufferAllocatorTest, WhatIsLargeBeginsAtACacheLine) {
  // Goal: also what malloc maps for itself, 16 bytes into a page, and what has grown to that.
  Bytes grown;
  for (const std::size_t size : {32U << 10, 128U << 10, 256U << 10, 1U << 20, 5U << 20}) {
    EXPECT_EQ(beyond_cache_line(Bytes(size)), 0) << size;
    grown.resize(size, std::byte{7});
    EXPECT_EQ(beyond_cache_line(grown), 0) << size;
  }
  EXPECT_EQ(grown[0], std::byte{7});
  EXPECT_EQ(grown.back(), std::byte{7});
}

TEST(BufferAllocatorTest, GrowsFromSmallToLargeAndIsMoved) {
  Bytes bytes;
  for (int i = 0; i < 200'000; ++i) bytes.push_back(static_cast<std::byte>(i));
  const Bytes moved = std::move(bytes);
  Bytes copied = moved;
  copied.shrink_to_fit();
  EXPECT_EQ(copied, moved);
  for (std::size_t i = 0; i < moved.size(); ++i) ASSERT_EQ(moved[i], static_cast<std::byte>(i));
}

}  // namespace
}  // namespace adoc
