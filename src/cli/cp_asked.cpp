#include "cli/cp_asked.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "source/filter.hpp"
#include "source/filter_pattern.hpp"
#include "source/listed_names.hpp"
#include "source/walker.hpp"

namespace adoc::cli {

namespace {

/// The names of a list, and the directories on their way.
class ListedOnly {
 public:
  explicit ListedOnly(const std::vector<std::string>& list) {
    for (const ListedName& name : sorted_names(list)) {
      names_.insert(name.path);
      if (name.contents) contents_.insert(name.path);
      for (std::size_t slash = name.path.rfind('/'); slash != std::string::npos && slash != 0;
           slash = name.path.rfind('/', slash - 1))
        names_.insert(name.path.substr(0, slash));
    }
  }

  [[nodiscard]] bool operator()(const std::string& name) const {
    if (names_.contains(name)) return true;
    const std::size_t slash = name.rfind('/');
    return contents_.contains(slash == std::string::npos ? "" : name.substr(0, slash));
  }

 private:
  std::set<std::string> names_;
  std::set<std::string> contents_;
};

/// Below the paths, or patterns, that were asked for, under their own names.
class FirstComponents {
 public:
  explicit FirstComponents(const std::vector<std::string>& patterns) {
    for (const std::string& pattern : patterns) {
      const std::string name = destination_name(without_final_slashes(pattern));
      // Nobody here knows what is in a directory, or what a home is called.
      const bool is_unknown =
          name.empty() || (pattern.starts_with('~') && pattern.find('/') == std::string::npos);
      any_ = any_ || is_unknown;
      if (!is_unknown) asked_.push_back({name, FilterPattern(name)});
    }
  }

  [[nodiscard]] bool operator()(const std::string& name) const {
    const std::string first = name.substr(0, name.find('/'));
    const std::string framed = "/" + first + "/";
    return any_ || std::ranges::any_of(asked_, [&](const Pattern& one) {
             return one.text == first || one.pattern.matches(framed, true);
           });
  }

 private:
  struct Pattern {
    std::string text;
    FilterPattern pattern;
  };
  std::vector<Pattern> asked_;
  bool any_ = false;
};

/// What the filter looks at: names as they are at the source, where they can be known.
class FilteredBySource {
 public:
  struct Setup {
    const std::vector<FilterRule>& rules;
    const std::vector<std::string>& paths;
    const std::string& name;
    bool from_list;
  };
  explicit FilteredBySource(const Setup& setup)
      : filter_(setup.rules), from_list_(setup.from_list), renamed_bytes_(setup.name.size()) {
    if (!setup.name.empty()) own_name_ = destination_name(without_final_slashes(setup.paths[0]));
    is_known_ = own_name_.find_first_of("*?[\\") == std::string::npos;
  }

  [[nodiscard]] bool operator()(const std::string& name, bool is_directory) const {
    if (!is_known_) return true;
    std::string there = renamed_bytes_ == 0 ? name : own_name_ + name.substr(renamed_bytes_);
    if (there.starts_with('/')) there.erase(0, 1);
    if (there.empty()) return true;
    // Directories on the way to a name of a list are sent, whatever the filter says of them.
    if (from_list_) return is_directory || filter_.includes(there, false);
    for (std::size_t slash = there.find('/'); slash != std::string::npos;
         slash = there.find('/', slash + 1))
      if (!filter_.includes(std::string_view(there).substr(0, slash), true)) return false;
    return filter_.includes(there, is_directory);
  }

 private:
  Filter filter_;
  bool from_list_;
  std::size_t renamed_bytes_;
  std::string own_name_;
  bool is_known_ = true;
};

}  // namespace

Asked asked_for(const CpCommand& command, const std::vector<std::string>& paths,
                const Destination& destination) {
  const SendOptions& send = command.send;
  const std::string& name = destination.name;
  Asked asked{.directories = command.recursive || send.listed.has_value(),
              .links = !send.copy_links,
              .overwrite_existing = send.overwrite_existing,
              .force = send.force,
              .dry_run = send.dry_run,
              .keep = send.keep};
  std::function<bool(const std::string&)> is_asked;
  if (send.listed)
    is_asked = ListedOnly(*send.listed);
  else if (!name.empty())
    is_asked = [name](const std::string& any) { return any.substr(0, any.find('/')) == name; };
  else
    is_asked = FirstComponents(paths);
  const FilteredBySource is_included({.rules = send.filters,
                                      .paths = paths,
                                      .name = send.listed ? std::string() : name,
                                      .from_list = send.listed.has_value()});
  asked.names = [is_asked, is_included, destination](const std::string& any, bool is_directory) {
    if (!destination.missing_directory.empty() && any == destination.name && !is_directory)
      refuse_missing_directory(destination.missing_directory, ErrorKind::local_file);
    return is_asked(any) && is_included(any, is_directory);
  };
  return asked;
}

}  // namespace adoc::cli
