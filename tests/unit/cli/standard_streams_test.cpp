#include "cli/standard_streams.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <future>
#include <string>

#include "util/fd.hpp"

namespace adoc::cli {
namespace {

TEST(StandardStreamsTest, WhatDoesNotWaitByItselfIsWaitedFor) {
  // Goal: a pipe that whoever shares it has made one that does not wait takes all that is said.
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
  const Fd in(ends[0]);
  Fd out(ends[1]);
  std::string all;
  while (::write(out.get(), "full", 4) == 4) all += "full";
  ASSERT_EQ(errno, EAGAIN);
  std::string text;
  for (int i = 0; text.size() < 1'000'000; ++i) text += std::to_string(i);
  all += text;
  auto writing = std::async(std::launch::async, [&] {
    const int error = write_all(out.get(), text);
    out.reset();
    return error;
  });
  ASSERT_EQ(::fcntl(in.get(), F_SETFL, 0), 0);
  std::string came;
  std::array<char, 10'000> piece{};
  for (ssize_t got = 0; (got = ::read(in.get(), piece.data(), piece.size())) > 0;)
    came.append(piece.data(), static_cast<std::size_t>(got));
  EXPECT_EQ(writing.get(), 0);
  EXPECT_TRUE(came == all) << came.size() << " bytes of " << all.size();
}

}  // namespace
}  // namespace adoc::cli
