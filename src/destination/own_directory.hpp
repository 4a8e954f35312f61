#pragma once

#include <string>
#include <string_view>

#include "util/atomic_file.hpp"

namespace adoc {

// How the files in the receiver's own directory (partial_store.hpp) end.
inline constexpr std::string_view kPartialSuffix = ".partial";
inline constexpr std::string_view kJournalSuffix = ".journal";
inline constexpr std::string_view kSharedSuffix = ".shared";
inline constexpr std::string_view kPiecesSuffix = ".pieces";

/// The receiver's own directory, open, with a shared lock that lasts as long as it is open.
struct OwnDirectory {
  DirectoryPtr directory;  ///< null when it is not there, or there is trouble
  std::string trouble;     ///< why it cannot be used
};
/// `make`: when it is not there.
[[nodiscard]] OwnDirectory open_own_directory(const DirectoryPtr& destination, bool make);

/// Turns the shared lock into an exclusive one, if nobody else has one: nobody is at work in it.
[[nodiscard]] bool lock_alone(const DirectoryPtr& own) noexcept;

/// Locks a regular file that was opened by this name; false if somebody else has it, or the name
/// means another file by now.
[[nodiscard]] bool lock_named(const DirectoryPtr& own, const std::string& name,
                              const Fd& file) noexcept;

}  // namespace adoc
