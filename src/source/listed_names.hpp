#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace adoc {

/// A name of a list, below the directory that the list is of.
struct ListedName {
  std::string path;       ///< components with one slash between them, none of them "." or empty
  bool contents = false;  ///< it ended in a slash: a directory with what is right in it
};

/// The names of a list as rsync takes those of --files-from: "/" in front, "." and doubled slashes
/// do not count. Each once, what is in a directory directly behind it; what stands for the whole
/// directory is left out. Names with ".." stay as they are, for the walk to refuse.
[[nodiscard]] std::vector<ListedName> sorted_names(const std::vector<std::string>& list);

/// Whether `path` lies below the directory `directory`, at any depth.
[[nodiscard]] bool lies_below(const std::string& path, const std::string& directory) noexcept;

}  // namespace adoc
