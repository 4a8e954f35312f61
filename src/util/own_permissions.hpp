#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "util/fd.hpp"

namespace adoc {

/// Sets the mode of what is open, also with O_PATH. False with errno when that fails.
[[nodiscard]] bool set_mode(int fd, mode_t mode) noexcept;

/// Gives us permissions (of S_IRWXU) on what is open, also with O_PATH, if it is ours. The mode
/// that it had before; none when nothing was changed.
[[nodiscard]] std::optional<mode_t> permit_owner(int fd, mode_t bits) noexcept;
/// The same for what the name means in the directory; no link is followed.
[[nodiscard]] std::optional<mode_t> permit_owner(int directory, const std::string& name,
                                                 mode_t bits) noexcept;

/// Gives what is open, also with O_PATH, another name. False with errno when that fails.
[[nodiscard]] bool link_open(int fd, int directory, const std::string& name) noexcept;

/// Opens a file of ours for reading whatever its mode says, and leaves the mode as it is; any other
/// file as far as its mode lets us. No link is followed and no FIFO waited for. `status` tells what
/// it was before that. Empty with errno when it cannot be opened.
[[nodiscard]] Fd open_for_reading(int directory, const std::string& name,
                                  struct stat& status) noexcept;

}  // namespace adoc
