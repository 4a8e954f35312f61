#include "cli/heap.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "util/sanitized.hpp"

namespace adoc::cli {
namespace {

/// Whether huge pages were asked for where this lies: "hg" among the flags of its mapping.
bool is_in_huge_pages(const void* place) {
  std::ifstream maps("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::istringstream range(line);
    if (range >> std::hex >> begin >> dash >> end && dash == '-')
      here = begin <= reinterpret_cast<std::uintptr_t>(place) &&
             reinterpret_cast<std::uintptr_t>(place) < end;
    if (here && line.starts_with("VmFlags:")) return line.find(" hg") != std::string::npos;
  }
  return false;
}

TEST(HeapTest, BuffersOfAnyThreadAreInHugePages) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has its own malloc";
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"))
    GTEST_SKIP() << "this kernel has no huge pages to lend";
  // Goal: what threads make buffers of, and what they give back and make anew, too.
  prepare_heap();
  constexpr std::size_t kBytes = 4 << 20;
  const auto buffer_is_in_huge_pages = [] {
    const auto buffer = std::make_unique<char[]>(kBytes);
    return is_in_huge_pages(buffer.get() + kBytes / 2);
  };
  EXPECT_TRUE(buffer_is_in_huge_pages());
  for (int i = 0; i < 3; ++i) {
    bool is = false;
    std::thread([&] { is = buffer_is_in_huge_pages(); }).join();
    EXPECT_TRUE(is) << i;
  }
}

}  // namespace
}  // namespace adoc::cli
