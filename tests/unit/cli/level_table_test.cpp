#include "cli/level_table.hpp"

#include <gtest/gtest.h>

#include <string>

namespace adoc::cli {
namespace {

TEST(LevelTableTest, HasARowForEachLevelAndEachLink) {
  LevelFigures figures{.files = 3, .bytes = 5'000'000, .sample_bytes = 4'000'000, .threads = 2};
  figures.levels = {{.rung = "raw",
                     .block_bytes = 512 << 10,
                     .compress_bytes_per_second = 2e10,
                     .ratio = 1,
                     .decompress_bytes_per_second = 2e10},
                    {.rung = "zlib 3",
                     .block_bytes = 204'800,
                     .compress_bytes_per_second = 5e7,
                     .ratio = 2.5,
                     .decompress_bytes_per_second = 3e8}};
  figures.links = {{.link_bytes_per_second = 1.25e6, .level = 1, .raw_bytes_per_second = 3e6},
                   {.link_bytes_per_second = 1.25e9, .level = 0, .raw_bytes_per_second = 1e9}};
  const std::string table = level_table("file", figures);
  const auto row = [&table](const std::string& start) {
    const auto begin = table.find(start);
    return begin == std::string::npos ? "no " + start
                                      : table.substr(begin, table.find('\n', begin) - begin);
  };
  EXPECT_NE(row("file: ").find("in 3 files"), std::string::npos) << table;
  EXPECT_NE(row("    1  zlib 3").find("200K"), std::string::npos) << table;
  EXPECT_NE(row("    1  zlib 3").find("2.50x"), std::string::npos) << table;
  EXPECT_NE(row("10 Mbit/s").find("zlib 3"), std::string::npos) << table;
  EXPECT_NE(row("10 Gbit/s").find("raw"), std::string::npos) << table;
}

}  // namespace
}  // namespace adoc::cli
