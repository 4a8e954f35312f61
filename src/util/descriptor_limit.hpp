#pragma once

namespace adoc {

/// Raises the soft limit of open descriptors (RLIMIT_NOFILE) to the hard one, which no right is
/// needed for: the usual soft limit of 1024 is there for programs that use select(). For the whole
/// process. What cannot be raised stays as it is.
void raise_descriptor_limit() noexcept;

}  // namespace adoc
