#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <string>

#include "support/seed.hpp"

namespace adoc::fault {

using testkit::Rng;

/// What is under one name.
struct Node {
  mode_t type = 0;  ///< S_IFREG, S_IFDIR, S_IFLNK
  mode_t mode = 0;
  timespec time{};
  std::string contents{};  ///< or the link's target

  /// Type and contents.
  [[nodiscard]] bool same(const Node& other) const {
    return type == other.type && contents == other.contents;
  }
  /// That, mode and time.
  [[nodiscard]] bool identical(const Node& other) const {
    const bool same_time = time.tv_sec == other.time.tv_sec && time.tv_nsec == other.time.tv_nsec;
    return same(other) && same_time && (mode == other.mode || type == S_IFLNK);
  }
};

/// All below a directory, by relative name.
using Tree = std::map<std::string, Node>;

/// Reads it from the disk; no link is followed.
[[nodiscard]] Tree read_tree(const std::string& directory);

/// Writes it to the disk, directories last so that their times last.
void write_tree(const std::string& directory, const Tree& tree);

/// A small tree: files of any size up to some megabytes, also with holes, links that lead
/// anywhere, empty directories, odd names. `canary` is a path that no link may be followed to.
[[nodiscard]] Tree random_tree(Rng& rng, const std::string& canary);

/// What the destination may hold of that tree before: other versions of some of it. `by_contents`:
/// also such that differ in contents alone.
[[nodiscard]] Tree older_versions(Rng& rng, const Tree& tree, const std::string& canary,
                                  bool by_contents);

/// Damages files below a directory as a loss of power or a bad disk may: they are torn, hold zeros
/// or other bits, or are gone.
void damage_files(Rng& rng, const std::string& directory);

}  // namespace adoc::fault
