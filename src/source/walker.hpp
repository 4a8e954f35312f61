#pragma once

#include <dirent.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "source/filter.hpp"
#include "wire/entry.hpp"

namespace adoc {

/// What the sender found at one path.
struct Found {
  Entry entry;
  std::string path;     ///< to open it by; "-" is standard input
  std::string failure;  ///< why it cannot be sent; empty when it can
};

/// Walks the sources of a transfer, one entry at a time, with memory that depends on the depth of
/// the trees and not on their size. A directory comes after everything in it, so that its mode and
/// mtime can be set for good when it arrives. Used by one thread.
class Walker {
 public:
  struct Setup {
    std::vector<std::string> paths;
    std::string stdin_name;
    Filter filter;
    bool hash_contents = false;
  };

  /// Throws Error(local_file) when none of the paths exists, Error(usage) when two of them would
  /// get the same name on the other side.
  explicit Walker(Setup setup);

  /// The next entry; none at the end.
  [[nodiscard]] std::optional<Found> next();

 private:
  struct CloseDirectory {
    void operator()(DIR* directory) const noexcept { ::closedir(directory); }
  };
  struct Level {
    std::unique_ptr<DIR, CloseDirectory> stream;
    std::string path;             ///< of the directory
    std::string name;             ///< of the directory; empty: its contents go to the top
    std::optional<Found> itself;  ///< what to give after the contents
  };

  [[nodiscard]] std::optional<Found> start_path(const std::string& path);
  [[nodiscard]] std::optional<Found> visit(std::string path, std::string name);
  /// 0, or the errno of opening it.
  [[nodiscard]] int enter(const std::string& path, std::string name, std::optional<Found> itself);

  Setup setup_;
  std::size_t next_path_ = 0;
  std::vector<Level> stack_;
};

/// The name that a source path gets at the destination: its last component; empty for ".", "..",
/// "/" and a path that ends in a slash, which stand for the contents of the directory (as in
/// rsync).
[[nodiscard]] std::string destination_name(std::string_view path);

}  // namespace adoc
