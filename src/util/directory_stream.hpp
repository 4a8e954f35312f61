#pragma once

#include <dirent.h>

#include <memory>

#include "util/fd.hpp"

namespace adoc {

struct CloseDirectoryStream {
  void operator()(DIR* stream) const noexcept { ::closedir(stream); }
};

/// Lists a directory, which it holds open.
using DirectoryStream = std::unique_ptr<DIR, CloseDirectoryStream>;

/// Of an open directory; none, with errno, if it is not open or not one.
[[nodiscard]] inline DirectoryStream directory_stream(Fd directory) noexcept {
  DirectoryStream stream(::fdopendir(directory.get()));
  if (stream) static_cast<void>(directory.release());
  return stream;
}

}  // namespace adoc
