#include "cli/heap.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "util/sanitized.hpp"

namespace adoc::cli {
namespace {

constexpr std::size_t kBytes = 4 << 20;

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

/// Whether there are any to ask for. A sanitizer has its own malloc, which does not.
bool expects_huge_pages() {
  void* const place =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return false;
  const bool lends = madvise(place, kBytes, MADV_HUGEPAGE) == 0;
  munmap(place, kBytes);
  return lends && !kSanitized;
}

bool buffer_is_in_huge_pages() {
  const std::vector<char> buffer(kBytes, 'x');
  EXPECT_EQ(buffer.back(), 'x');
  return is_in_huge_pages(buffer.data() + kBytes / 2);
}

TEST(HeapTest, WhereMemoryIsLimitedNoneIsTakenAhead) {
  // Goal: a program that has just enough room for its threads (ulimit -v, -d) has it still.
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit before{};
    ASSERT_EQ(getrlimit(resource, &before), 0);
    const rlimit limited{.rlim_cur = RLIM_INFINITY - 1, .rlim_max = before.rlim_max};
    ASSERT_EQ(setrlimit(resource, &limited), 0);
    prepare_heap();
    EXPECT_FALSE(buffer_is_in_huge_pages()) << resource;
    ASSERT_EQ(setrlimit(resource, &before), 0);
  }
}

TEST(HeapTest, BuffersOfAnyThreadAreInHugePages) {
  // Goal: what threads make buffers of, and what they give back and make anew, too; and where there
  // are no huge pages they get theirs all the same.
  prepare_heap();
  EXPECT_EQ(buffer_is_in_huge_pages(), expects_huge_pages());
  for (int i = 0; i < 3; ++i) {
    bool is = false;
    std::thread([&] { is = buffer_is_in_huge_pages(); }).join();
    EXPECT_EQ(is, expects_huge_pages()) << i;
  }
}

}  // namespace
}  // namespace adoc::cli
