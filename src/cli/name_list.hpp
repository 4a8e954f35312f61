#pragma once

#include <string>
#include <vector>

namespace adoc::cli {

/// The lines of a file, "-" for standard input, as rsync reads its lists: each ends in a newline or
/// a carriage return, or in a NUL where `ends_in_nul`; empty ones and those that begin with "#" or
/// ";" do not count. `option` is what asks for it. Throws Error(local_file), Error(usage) for a NUL
/// in a line.
struct NameList {
  std::string option;
  std::string file;
  bool ends_in_nul = false;
};
[[nodiscard]] std::vector<std::string> read_lines(const NameList& list);

}  // namespace adoc::cli
