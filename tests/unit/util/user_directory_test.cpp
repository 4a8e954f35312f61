#include "util/user_directory.hpp"

#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>

namespace adoc {
namespace {

/// A variable of the environment that is as before at the end.
class Variable {
 public:
  explicit Variable(const char* name) : name_(name) {
    if (const char* const value = std::getenv(name)) before_ = value;
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (before_) {
      set(before_->c_str());
    } else {
      unset();
    }
  }

  void set(const char* value) const { ::setenv(name_, value, 1); }
  void unset() const { ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(UserDirectoryTest, TheVariableCountsMostThenHomeThenThePasswordDatabase) {
  // Goal: a service without an environment finds the same files as its user's shell.
  const Variable home("HOME"), config("XDG_CONFIG_HOME");
  const auto directory = [] { return user_directory("XDG_CONFIG_HOME", ".config"); };
  home.set("/house");
  config.set("/settings");
  EXPECT_EQ(directory(), "/settings");
  for (const char* const relative : {"", "settings"}) {
    config.set(relative);
    EXPECT_EQ(directory(), "/house/.config");
  }
  config.unset();
  EXPECT_EQ(directory(), "/house/.config");

  const passwd* const entry = ::getpwuid(::getuid());
  const std::string registered =
      entry != nullptr && entry->pw_dir[0] == '/' ? std::string(entry->pw_dir) + "/.config" : "";
  for (const char* const relative : {"", "house"}) {
    home.set(relative);
    EXPECT_EQ(directory(), registered);
  }
  home.unset();
  EXPECT_EQ(directory(), registered);
}

}  // namespace
}  // namespace adoc
