#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "util/sanitized.hpp"

namespace {

std::uintptr_t beyond_cache_line(const void* place) {
  return reinterpret_cast<std::uintptr_t>(place) % 64;
}

TEST(OperatorNewTest, WhatIsLargeBeginsAtACacheLine) {
  // Goal: also what malloc maps for itself, 16 bytes into a page, and what has grown to that.
  std::vector<std::byte> grown;
  for (const std::size_t size : {32U << 10, 100'000U, 256U << 10, 1U << 20, 64U << 20}) {
    const std::vector<std::byte> made(size);
    EXPECT_EQ(beyond_cache_line(made.data()), 0) << size;
    grown.resize(size);
    EXPECT_EQ(beyond_cache_line(grown.data()), 0) << size;
    const auto array = std::make_unique<std::byte[]>(size);
    EXPECT_EQ(beyond_cache_line(array.get()), 0) << size;
  }
}

TEST(OperatorNewTest, WhatIsTooMuchIsAnError) {
  // Goal: as without it, and no more is written than there is room for.
  // A sanitizer ends the program when malloc is asked for as much.
  volatile std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const std::size_t less : {0U, 1U, 62U, 63U, 64U, 1U << 20}) {
    if (adoc::kSanitized && less > 62) break;
    EXPECT_THROW(::operator delete(::operator new(most - less)), std::bad_alloc) << less;
  }
  for (const std::size_t size : {0U, 1U, 32'767U, 32'768U, 32'769U, 1'000'001U}) {
    std::string bytes(size, 'x');
    EXPECT_EQ(bytes.find_first_not_of('x'), std::string::npos);
  }
}

}  // namespace
