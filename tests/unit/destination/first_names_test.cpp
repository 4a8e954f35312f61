// Names that a file system takes for one: what is remembered of them.

#include "destination/first_names.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "support/expect_error.hpp"
#include "support/temporary_directory.hpp"

namespace {
bool folds = false;
}

// In the place of the library's: the directory takes names for one while `folds` is set.
extern "C" int fstatat(int directory, const char* name, struct stat* status, int flags) noexcept {
  std::string meant = name;
  if (folds) std::ranges::transform(meant, meant.begin(), [](char c) { return std::tolower(c); });
  return static_cast<int>(::syscall(SYS_newfstatat, directory, meant.c_str(), status, flags));
}

namespace adoc {
namespace {

TEST(FirstNamesTest, LongNamesAreForgottenInTime) {
  // Goal: what is remembered of names takes some megabytes at most, however long they are; those
  // that came last are remembered.
  const testkit::TemporaryDirectory dir;
  const auto parent =
      std::make_shared<const Fd>(::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::string way;
  while (way.size() < 3'800) way += std::string(200, 'd') + "/";
  const auto name = [&](char first, int number) {
    return SafeName::check(way + first + std::to_string(number));
  };
  constexpr int kNames = 6'000;
  folds = true;
  FirstNames names;
  for (int i = 0; i < kNames; ++i) {
    dir.write("n" + std::to_string(i), "");
    names.note(name('n', i), parent);
  }
  EXPECT_NO_THROW(names.expect_own(name('N', 0), parent));
  testkit::expect_error(ErrorKind::local_file, "takes the two names for one",
                        [&] { names.expect_own(name('N', kNames - 1), parent); });
  names.expect_own(name('n', kNames - 1), parent);
  folds = false;
}

}  // namespace
}  // namespace adoc
