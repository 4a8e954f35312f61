#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "adoc/error.hpp"

namespace adoc::testkit {

/// Runs `action`, which must throw an Error of this kind whose message holds `fragment`.
template <typename Action>
void expect_error(ErrorKind kind, std::string_view fragment, Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_NE(std::string_view(error.what()).find(fragment), std::string_view::npos)
        << "\"" << error.what() << "\" does not say \"" << fragment << "\"";
    return;
  }
  ADD_FAILURE() << "nothing was thrown, expected: " << fragment;
}

template <typename Action>
void expect_corrupt(std::string_view fragment, Action&& action) {
  expect_error(ErrorKind::corrupt, fragment, std::forward<Action>(action));
}

}  // namespace adoc::testkit
