#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

#include "source/directory_reader.hpp"
#include "source/earlier_sources.hpp"
#include "source/source_root.hpp"

namespace adoc {

/// A directory that is being read, and where it is.
struct Level {
  DirectoryReader reader;
  FileIdentity identity{};
  struct stat status {};             ///< that its entry is made of
  EarlierSources::Indices others{};  ///< earlier sources that have this directory, too
  std::size_t path_bytes = 0;        ///< of its path, in the user's terms
  std::size_t name_bytes = 0;        ///< of its name there; 0: its contents go to the top
};

/// The directories from a source's root down to where the walk is. Only the last ones have a
/// descriptor: the others are opened again on the way back, as what is above or as what is below
/// the root, and compared.
class LevelStack {
 public:
  [[nodiscard]] bool empty() const noexcept { return levels_.empty(); }
  [[nodiscard]] Level& back() noexcept { return levels_.back(); }
  void push(Level level);
  /// Whether one of them is this one.
  [[nodiscard]] bool holds(const FileIdentity& directory) const noexcept;

  /// Where the walk is.
  struct Way {
    const SourceRootPtr& root;
    const std::string& path;     ///< of the last level
    std::size_t below_root = 0;  ///< where the part of `path` below the root begins
  };
  /// The one before the last can then be read on, or tells why not.
  void pop(const Way& way);

 private:
  [[nodiscard]] Fd open_again(const Level& level, const DirectoryReader& below,
                              const Way& way) const;

  std::vector<Level> levels_;
  std::size_t suspended_ = 0;  ///< so many of the first
};

}  // namespace adoc
