// The hash of a whole file of which only parts are sent.

#include "source/part_hasher.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/expect_error.hpp"
#include "support/made_up_frames.hpp"
#include "support/temporary_directory.hpp"
#include "util/hash_file.hpp"

namespace adoc {
namespace {

class PartHasherTest : public testing::Test {
 protected:
  /// The file as it would be listed, with these data runs.
  [[nodiscard]] Entry listed(std::optional<Extents> data = {}) const {
    struct stat status {};
    EXPECT_EQ(::stat(path_.c_str(), &status), 0);
    Entry entry = testkit::file_entry("f", static_cast<std::uint64_t>(status.st_size));
    entry.mtime_seconds = status.st_mtim.tv_sec;
    entry.mtime_nanoseconds = static_cast<std::uint32_t>(status.st_mtim.tv_nsec);
    entry.data = std::move(data);
    return entry;
  }
  [[nodiscard]] SourceFile source() const {
    struct stat status {};
    EXPECT_EQ(::stat(path_.c_str(), &status), 0);
    return {.path = path_, .identity = identity_of(status)};
  }
  [[nodiscard]] static ContentHash hash_of(const std::string& path) {
    const Fd file(::open(path.c_str(), O_RDONLY));
    return hash_file(file.get());
  }
  [[nodiscard]] static std::string some_bytes(std::size_t count) {
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(i * i / 777);
    return bytes;
  }
  /// With these runs of it sent.
  [[nodiscard]] ContentHash hash(const Entry& entry, const std::vector<Extent>& sent) {
    InputFile file(source(), entry);
    PartHasher hasher(file.contents(), entry, stop_.get_token());
    for (const Extent& run : sent) {
      Bytes bytes(run.length);
      EXPECT_EQ(file.contents().read(run.offset, bytes, {}), bytes.size());
      hasher.add(run.offset, bytes);
    }
    return hasher.digest();
  }

  testkit::TemporaryDirectory dir_;
  std::string path_ = dir_.write("f", some_bytes(3 << 20));
  std::stop_source stop_;
};

TEST_F(PartHasherTest, IsTheHashOfTheFileWhateverIsSent) {
  // Goal: the beginning, the end, the middle, several runs, all and nothing.
  const Entry entry = listed();
  const ContentHash whole = hash_of(path_);
  for (const std::vector<Extent>& sent : {std::vector<Extent>{},
                                          {{0, 5}},
                                          {{0, 3 << 20}},
                                          {{(3 << 20) - 1, 1}},
                                          {{100, 1 << 20}, {2 << 20, 70'000}},
                                          {{1 << 20, 1 << 20}, {2 << 20, 1 << 20}}})
    EXPECT_EQ(hash(entry, sent), whole);
}

TEST_F(PartHasherTest, HolesAreZerosAndAreNotRead) {
  // Goal: what is listed as a hole is hashed as one, before, between and behind what is sent.
  std::string contents = some_bytes(3 << 20);
  contents.replace(0, 4'096, 4'096, '\0');
  contents.replace(1 << 20, 1 << 20, 1 << 20, '\0');
  contents.replace((3 << 20) - 9, 9, 9, '\0');
  dir_.write("g", contents);
  const ContentHash whole = hash_of(dir_ / "g");
  const Entry entry = listed(Extents{{4'096, (1 << 20) - 4'096}, {2 << 20, (1 << 20) - 9}});
  EXPECT_EQ(hash(entry, {}), whole);
  EXPECT_EQ(hash(entry, {{5'000, 5'000}}), whole);
  EXPECT_EQ(hash(entry, {{(2 << 20) + 5, 5'000}}), whole);
}

TEST_F(PartHasherTest, AStopOrTheEndOfTheFileEndsIt) {
  // Goal: whoever stops the sender does not wait for gigabytes to be read; a file that became
  // shorter is that entry's failure.
  Entry entry = listed();
  InputFile file(source(), entry);
  ASSERT_EQ(::truncate(path_.c_str(), 1'000'000), 0);
  testkit::expect_error(ErrorKind::local_file, "became shorter", [&] {
    static_cast<void>(PartHasher(file.contents(), entry, stop_.get_token()).digest());
  });
  stop_.request_stop();
  testkit::expect_error(ErrorKind::interrupted, "interrupted", [&] {
    static_cast<void>(PartHasher(file.contents(), entry, stop_.get_token()).digest());
  });
}

}  // namespace
}  // namespace adoc
