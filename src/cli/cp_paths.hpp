#pragma once

#include <string>
#include <vector>

#include "adoc/error.hpp"

namespace adoc::cli {

/// What DST means on the machine where it is, as scp has it: an existing directory takes the
/// sources, anything else is the name of the one source there is. A final slash says that it is a
/// directory: a source that is none does not become one of this name.
struct Destination {
  std::string directory;  ///< that a receiver writes below; exists
  std::string name{};     ///< what the one source is to be called there; empty: its own name
  bool is_directory = false;
  /// As the user wrote it, where it is missing and has a final slash: only a directory may be made.
  std::string missing_directory{};
};

/// What can be looked at, and is something else.
[[nodiscard]] bool is_no_directory(const std::string& source, bool follows_link);

/// Throws Error(kind) of a source that is no directory and would get the name of one.
[[noreturn]] void refuse_missing_directory(const std::string& path, ErrorKind kind);

/// `path` as the user wrote it; empty: the current directory. Throws Error(local_file) when nothing
/// can be written there.
[[nodiscard]] Destination find_destination(const std::string& path);
/// For more than one source: one that is missing is made.
[[nodiscard]] Destination make_destination(const std::string& path);

/// To scp "dir/" is the directory, as "dir" is.
[[nodiscard]] std::string without_final_slashes(std::string path);

/// "-" is a file of this name, and not standard input.
[[nodiscard]] std::string plain_path(std::string path);

/// "~", "~/x" and "~user/x" as a shell reads them; all else as it is.
[[nodiscard]] std::string expand_home(const std::string& path);

/// The paths that a pattern of glob(3) names; the pattern itself where there are none, so that it
/// is missing by its name.
[[nodiscard]] std::vector<std::string> expand_pattern(const std::string& pattern);

/// What is missing among others is said of each by itself, later; where nothing is there nothing
/// begins: throws Error(local_file).
void expect_source(const std::vector<std::string>& sources);

}  // namespace adoc::cli
