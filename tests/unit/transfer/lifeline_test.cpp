#include "transfer/lifeline.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "adoc/error.hpp"
#include "support/temporary_directory.hpp"
#include "util/atomic_file.hpp"

namespace adoc {
namespace {

/// In a process of its own (a death test): the limit and what a signal does are the process's.
[[noreturn]] void write_beyond_the_limit(const std::string& directory) {
  const rlimit limit{1'000, 1'000};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(1);
  Lifeline lifeline([](const std::exception_ptr&) {});
  lifeline
      .start([&] {
        auto file = AtomicFile::create(std::make_shared<const Fd>(
            ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
        for (int i = 0; i < 3; ++i) file.write(600U * static_cast<unsigned>(i), Bytes(600));
      })
      .join();
  try {
    if (lifeline.failure()) std::rethrow_exception(lifeline.failure());
  } catch (const Error& error) {
    const bool told = std::string(error.what()).find("too large") != std::string::npos;
    ::_exit(error.kind() == ErrorKind::local_file && told ? 42 : 2);
  }
  ::_exit(3);
}

TEST(LifelineDeathTest, AFileAboveTheLimitIsAFailureAndNotTheEnd) {
  // Goal: also in a program that has done nothing about SIGXFSZ.
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const testkit::TemporaryDirectory directory;
  EXPECT_EXIT(write_beyond_the_limit(directory.path()), testing::ExitedWithCode(42), "");
}

}  // namespace
}  // namespace adoc
