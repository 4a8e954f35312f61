#include "source/sample.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "adoc/error.hpp"

namespace adoc {
namespace {

namespace fs = std::filesystem;

class SampleTest : public testing::Test {
 protected:
  SampleTest() : top_(fs::temp_directory_path() / ("adoc-sample-" + std::to_string(::getpid()))) {
    fs::create_directories(top_);
  }
  ~SampleTest() override { fs::remove_all(top_); }

  std::string write(const std::string& name, std::size_t bytes, char fill) {
    const fs::path path = top_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << std::string(bytes, fill);
    return path.string();
  }

  [[nodiscard]] Sample read(const std::string& path, std::size_t most) const {
    return read_sample({.path = path, .most_bytes = most});
  }

  static long count(const Sample& sample, char fill) {
    return std::ranges::count(sample.bytes, static_cast<std::byte>(fill));
  }

  fs::path top_;
};

TEST_F(SampleTest, SmallFileIsTakenWhole) {
  // Goal: what is smaller than the limit is measured to the last byte.
  const Sample sample = read(write("file", 1'000, 'x'), 2'000);
  EXPECT_EQ(sample.bytes.size(), 1'000U);
  EXPECT_EQ(sample.of_bytes, 1'000U);
  EXPECT_EQ(sample.of_files, 1U);
}

TEST_F(SampleTest, FilesOfATreeAreTakenInProportion) {
  // Goal: a sample of a tree is spread over all its files, large ones more than small ones.
  write("a", 3 << 20, 'a');
  write("sub/b", 12 << 20, 'b');
  write("sub/deep/c", 3 << 20, 'c');
  write("empty", 0, 'e');
  const Sample sample = read(top_.string(), 6 << 20);
  EXPECT_EQ(sample.bytes.size(), 6U << 20);
  EXPECT_EQ(sample.of_bytes, 18U << 20);
  EXPECT_EQ(sample.of_files, 3U);
  EXPECT_GT(count(sample, 'b'), 3 << 20);
  EXPECT_GT(count(sample, 'a') + count(sample, 'c'), 1 << 20);
}

TEST_F(SampleTest, ExcludedFilesAreNotMeasured) {
  // Goal: what would not be sent does not count.
  write("in", 1'000, 'i');
  write("out.o", 1'000, 'o');
  const Sample sample = read_sample({.path = top_.string(),
                                     .filters = {{.include = false, .pattern = "*.o"}},
                                     .most_bytes = 1 << 20});
  EXPECT_EQ(count(sample, 'i'), 1'000);
  EXPECT_EQ(count(sample, 'o'), 0);
}

TEST_F(SampleTest, LinkToAFileMeansTheFile) {
  // Goal: here it is the contents that are meant, not the link.
  write("file", 1'000, 'x');
  fs::create_symlink("file", top_ / "link");
  EXPECT_EQ(read((top_ / "link").string(), 2'000).bytes.size(), 1'000U);
}

TEST_F(SampleTest, NothingToMeasureIsALocalError) {
  // Goal: a missing, an empty and an unreadable path are told apart, each by name.
  const auto message_of = [this](const std::string& path) -> std::string {
    try {
      static_cast<void>(read(path, 1'000));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::local_file);
      return error.what();
    }
    return "no error";
  };
  const std::string missing = (top_ / "missing").string();
  EXPECT_NE(message_of(missing).find(missing + ": no such file"), std::string::npos);
  const std::string empty = write("empty", 0, 'e');
  EXPECT_NE(message_of(empty).find(empty + ": there is not a byte in it"), std::string::npos);
  EXPECT_NE(message_of("/dev/null").find("nothing in it can be read"), std::string::npos);
}

}  // namespace
}  // namespace adoc
