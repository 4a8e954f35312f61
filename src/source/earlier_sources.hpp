#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/filter.hpp"
#include "source/source_root.hpp"

namespace adoc {

/// The sources that were walked before, for the question whether one of them has a name already:
/// the first that has it wins. They are asked, not remembered, so that memory does not depend on
/// their size. Used by one thread.
class EarlierSources {
 public:
  struct Source {
    std::string path;       ///< as the user named it
    std::string name{};     ///< on the other side; empty: its contents go to the top
    SourceRootPtr root{};   ///< of a directory
    struct stat status {};  ///< of the source itself
  };

  /// Indices of the sources that may have something in a directory of the other side.
  using Indices = std::vector<std::size_t>;

  struct First {
    std::string path;       ///< in the user's terms
    struct stat status {};  ///< of what is there
    Indices directories;    ///< sources, of those asked, that have a directory of this name to walk
  };

  /// Both outlive this.
  EarlierSources(const Filter& filter, bool one_file_system)
      : filter_(filter), one_file_system_(one_file_system) {}

  void add(Source source) { sources_.push_back(std::move(source)); }
  /// Those that may have a name that a source of this name has, too.
  [[nodiscard]] Indices that_may_have(std::string_view name) const;
  /// What the first of `asked` has under the name, if one of them has and sends it.
  [[nodiscard]] std::optional<First> find(const std::string& name, const Indices& asked) const;

 private:
  [[nodiscard]] bool look(const Source& source, const std::string& name, struct stat& status) const;

  const Filter& filter_;
  bool one_file_system_;
  std::vector<Source> sources_;
};

}  // namespace adoc
