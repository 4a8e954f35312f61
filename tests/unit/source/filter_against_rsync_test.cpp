#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <map>
#include <regex>

#include "source/walker.hpp"
#include "support/seed.hpp"
#include "support/temporary_directory.hpp"

namespace adoc {
namespace {

using testkit::Rng;
using testkit::TemporaryDirectory;
using testkit::up_to;
using Names = std::set<std::string>;

template <typename T>
const T& one_of(Rng& rng, const std::vector<T>& choices) {
  return choices[up_to(rng, choices.size() - 1)];
}

/// A short name of few different bytes, so that patterns made at random match some.
std::string random_leaf(Rng& rng) {
  static const std::vector<std::string> kParts{
      "a",    "b",        "A", "1", "_", "-", ".", "*", "?", "[",  "]", "!", "\\",
      "\xe4", "\xc3\xa4", " ", ":", "^", "a", "b", "+", "x", "ab", "~", "b"};
  std::string leaf;
  for (auto parts = 1 + up_to(rng, 2); parts > 0; --parts) leaf += one_of(rng, kParts);
  return leaf == "." || leaf == ".." ? "dots" : leaf;
}

/// Writes files and directories, nested ones among them, and gives their names.
std::vector<std::string> grow(Rng& rng, const TemporaryDirectory& tree) {
  std::vector<std::string> directories{""}, names;
  std::set<std::string> taken;
  while (names.size() < 120) {
    const std::string name = one_of(rng, directories) + random_leaf(rng);
    if (!taken.insert(name).second) continue;
    names.push_back(name);
    if (up_to(rng, 2) == 0) {
      std::filesystem::create_directory(tree / name);
      directories.push_back(name + "/");
    } else {
      tree.write(name, "");
    }
  }
  return names;
}

std::string random_class(Rng& rng) {
  static const std::vector<std::string> kMembers{
      "a",         "b",         "a-b",        "A-b",       "0-9",       "-",         "]",
      "\\]",       "[:alpha:]", "[:digit:]",  "[:punct:]", "!",         "^",         "\xe4",
      "z-a",       "/",         "[",          "[:",        "[:upper:]", "[:lower:]", "[:alnum:]",
      "[:space:]", "[:graph:]", ":]",         "[:x]",      "\\a-b",     "a-\\b",     "\x80-\xff",
      "[:print:]", "[:cntrl:]", "[:xdigit:]", "[:blank:]", "[:none:]"};
  // A named class alone, so that each of them is held to many names.
  if (up_to(rng, 2) == 0) {
    const std::string& member = one_of(rng, kMembers);
    if (member.starts_with("[:")) return "[" + member + "]";
  }
  std::string text = one_of(rng, std::vector<std::string>{"[", "[", "[", "[!", "[^"});
  for (auto count = up_to(rng, 3); count > 0; --count) text += one_of(rng, kMembers);
  return text + (up_to(rng, 8) == 0 ? "" : "]");
}

/// A name with pieces of it replaced by wildcards that may match them, or not.
std::string random_pattern(Rng& rng, const std::vector<std::string>& names) {
  const std::string& name = one_of(rng, names);
  std::string pattern;
  const std::uint64_t wildness = up_to(rng, 4);
  for (const char c : name) {
    if (up_to(rng, 10) >= wildness) {
      pattern += c;
      continue;
    }
    switch (up_to(rng, 9)) {
      case 0:
        pattern += '?';
        break;
      case 1:
        pattern += '*';
        break;
      case 2:
        pattern += "**";
        break;
      case 3:
        pattern += random_class(rng);
        break;
      case 4:
        pattern += std::string("\\") + c;
        break;
      case 5:
        pattern += std::string("[") + c + "]";
        break;
      case 6:
        break;
      case 7:
        pattern += std::string("*") + c;
        break;
      case 8:
        pattern += std::string(1, c) + "*";
        break;
      default:
        pattern += '/';
        break;
    }
  }
  if (const auto slash = pattern.rfind('/'); slash != pattern.npos && up_to(rng, 2) == 0)
    pattern = pattern.substr(slash + up_to(rng, 1));
  static const std::vector<std::string> kFronts{"", "",  "",   "",    "",  "",   "",
                                                "", "/", "**", "**/", "*", "*/", "\\"};
  static const std::vector<std::string> kBacks{"",  "",     "",    "",   "",    "",   "",
                                               "/", "/***", "/**", "/*", "***", "\\", "*"};
  pattern = one_of(rng, kFronts) + pattern + one_of(rng, kBacks);
  return pattern.empty() ? "*" : pattern;
}

FilterRule random_rule(Rng& rng, const std::vector<std::string>& names) {
  if (up_to(rng, 60) == 0) return {.include = up_to(rng, 1) == 0, .pattern = "!"};
  static const std::vector<std::string> kPrefixes{"", "", "", "", "", "",   "",   "",
                                                  "", "", "", "", "", "- ", "+ ", "!"};
  std::string pattern = one_of(rng, kPrefixes) + random_pattern(rng, names);
  // Both programs refuse a prefix without a pattern.
  if (pattern == "- " || pattern == "+ ") pattern += "*";
  return {.include = up_to(rng, 3) == 0, .pattern = std::move(pattern)};
}

Names sent_with(const TemporaryDirectory& tree, const std::vector<FilterRule>& rules) {
  Walker walker({.paths = {tree.path() + "/"}, .stdin_name = {}, .filter = Filter(rules)});
  Names names;
  while (const auto found = walker.next()) names.insert(found->entry.name.str());
  return names;
}

/// rsync at work in the background, which lists what it would send.
class ListingRsync {
 public:
  ListingRsync(const TemporaryDirectory& tree, const std::vector<FilterRule>& rules,
               std::string output)
      : output_(std::move(output)) {
    std::vector<std::string> words{"rsync", "--recursive", "--list-only", "--8-bit-output"};
    for (const FilterRule& rule : rules)
      words.push_back((rule.include ? "--include=" : "--exclude=") + rule.pattern);
    words.push_back(tree.path() + "/");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    // Which bytes are letters, and how a time is written, is not to depend on who runs the test.
    std::array<char*, 3> environment{const_cast<char*>("LC_ALL=C"), const_cast<char*>("TZ=UTC"),
                                     nullptr};
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 1, output_.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                       0600);
    ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
    if (::posix_spawnp(&process_, "rsync", &actions, nullptr, argv.data(), environment.data()) != 0)
      process_ = -1;
    ::posix_spawn_file_actions_destroy(&actions);
  }

  /// Call it once.
  Names names() {
    int status = -1;
    ::waitpid(process_, &status, 0);
    const std::string listing = testkit::contents_of(output_);
    EXPECT_EQ(status, 0) << listing;
    Names names;
    std::istringstream lines(listing);
    // "-rw-r--r--              5 2024/02/29 12:00:00 name"
    static const std::regex kLine("^[d-][-rwxst]{9} +[0-9,]+ [0-9/]{10} [0-9:]{8} ");
    for (std::string line; std::getline(lines, line);) {
      std::smatch columns;
      EXPECT_TRUE(std::regex_search(line, columns, kLine)) << line;
      std::string name = columns.suffix();
      if (name != ".") names.insert(std::move(name));
    }
    return names;
  }

 private:
  std::string output_;
  pid_t process_ = -1;
};

std::string shown(const std::vector<FilterRule>& rules) {
  std::string text;
  for (const FilterRule& rule : rules)
    text += (rule.include ? " --include='" : " --exclude='") + rule.pattern + "'";
  return text;
}

TEST(FilterAgainstRsyncTest, TwoThousandRandomRulesLeaveInWhatRsyncLeavesIn) {
  // Goal: filters are "as in rsync" to the letter: whatever the rules are, the same names are sent.
  constexpr std::size_t kRules = 2'000;
  constexpr std::size_t kAtOnce = 16;
  Rng rng = testkit::seeded_rng();
  const TemporaryDirectory tree, outputs;
  const std::vector<std::string> names = grow(rng, tree);
  if (ListingRsync(tree, {}, outputs / "0").names().size() != names.size()) {
    GTEST_FAIL() << "rsync does not list the tree";
  }
  std::size_t sets_with_effect = 0;
  for (std::size_t count = 0; count < kRules && !HasFailure();) {
    std::vector<std::vector<FilterRule>> sets(kAtOnce);
    std::vector<ListingRsync> listings;
    for (std::vector<FilterRule>& rules : sets) {
      for (auto more = 1 + up_to(rng, 7); more > 0; --more)
        rules.push_back(random_rule(rng, names));
      count += rules.size();
      listings.emplace_back(tree, rules, outputs / std::to_string(listings.size()));
    }
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const Names sent = sent_with(tree, sets[i]);
      EXPECT_EQ(sent, listings[i].names()) << shown(sets[i]);
      if (sent.size() < names.size()) ++sets_with_effect;
    }
  }
  // Of about 500; without any, the rules above would not be worth much.
  std::cout << sets_with_effect << " sets of rules leave something out\n";
  EXPECT_GT(sets_with_effect, kRules / 20);
}

}  // namespace
}  // namespace adoc
