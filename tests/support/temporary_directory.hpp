#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>

#include "support/read_file.hpp"

namespace adoc::testkit {

/// A directory that tests fill and look at.
class Directory {
 public:
  explicit Directory(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Writes a file and makes the directories on its way; gives its path.
  std::string write(const std::string& name, const std::string& contents) const {
    const std::filesystem::path path = *this / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << contents;
    return path.string();
  }

  /// The same without what a receiver keeps to go on with.
  [[nodiscard]] std::set<std::string> final_names() const {
    std::set<std::string> found = names();
    std::erase_if(found, [](const std::string& name) {
      return name == ".adoc" || name.starts_with(".adoc/");
    });
    return found;
  }

  /// Everything below, as relative paths; links are listed and not followed.
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& item : std::filesystem::recursive_directory_iterator(path_))
      found.insert(item.path().lexically_relative(path_).string());
    return found;
  }

 private:
  std::string path_;
};

/// One of a single test, gone at its end.
class TemporaryDirectory : public Directory {
 public:
  TemporaryDirectory() : Directory(make()) {}
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path(), ignored);
  }

 private:
  static std::string make() {
    std::string pattern = (std::filesystem::temp_directory_path() / "adoc-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << "no temporary directory";
    return pattern;
  }
};

/// All of a file; a failure of the test when it cannot be read.
[[nodiscard]] inline std::string contents_of(const std::string& path) {
  auto contents = read_file(path);
  if (!contents) ADD_FAILURE() << "cannot read " << path;
  return std::move(contents).value_or("");
}

}  // namespace adoc::testkit
