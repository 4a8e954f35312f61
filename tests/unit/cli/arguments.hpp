#pragma once

#include <string>
#include <vector>

namespace adoc::testkit {

/// What main() gets, for a program called with these words.
class ArgumentList {
 public:
  explicit ArgumentList(std::vector<std::string> words) : words_(std::move(words)) {
    words_.insert(words_.begin(), "program");
    for (const std::string& word : words_) pointers_.push_back(word.c_str());
    pointers_.push_back(nullptr);
  }

  [[nodiscard]] int count() const { return static_cast<int>(words_.size()); }
  [[nodiscard]] const char* const* pointers() const { return pointers_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<const char*> pointers_;
};

}  // namespace adoc::testkit
