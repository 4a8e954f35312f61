#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "util/bytes.hpp"

namespace adoc {

// Extended attributes of what is open, to read or to write. A file system that knows none has none.

/// Their names, ascending. None with errno when they cannot be listed.
[[nodiscard]] std::optional<std::vector<std::string>> attribute_names(int fd);

/// The value of one; none with errno.
[[nodiscard]] std::optional<Bytes> attribute_value(int fd, const std::string& name);

/// False with errno.
[[nodiscard]] bool set_attribute(int fd, const std::string& name, ByteSpan value) noexcept;
[[nodiscard]] bool remove_attribute(int fd, const std::string& name) noexcept;

/// Gives `to` the owner and the attributes, access lists included, that `from` has and it has not.
/// False with errno when something is not to be had.
[[nodiscard]] bool copy_attributes(int from, int to);

}  // namespace adoc
