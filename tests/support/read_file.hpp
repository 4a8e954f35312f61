#pragma once

#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace adoc::testkit {

/// All of a file, or nothing when it cannot be opened. Not byte by byte: that is most of what an
/// instrumented test does otherwise.
[[nodiscard]] inline std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream contents;
  contents << file.rdbuf();
  return std::move(contents).str();
}

}  // namespace adoc::testkit
