#pragma once

#include <string>
#include <vector>

namespace adoc {

/// Which of the means of this kernel hold the process.
struct Sandbox {
  bool no_new_privileges = false;
  bool dangerous_calls_refused = false;  ///< util/system_call_filter.hpp
  int landlock = 0;                      ///< version that holds it; 0: none (util/landlock.hpp)

  /// In one sentence for people, what is missing included.
  [[nodiscard]] std::string summary(const std::string& directory) const;
};

/// What a process that reads and sends uses once it is connected.
struct ReadingRights {
  std::vector<std::string> paths{};  ///< files and trees that are read
  bool reads_all = false;            ///< links in the trees are followed, wherever they lead
  std::string writes_below{};        ///< what it keeps for itself; empty: nothing
};

/// Has the kernel take from the calling thread, and from those that it starts, all rights but those
/// that a receiver uses once it listens: to read and write below `directory`, and to use what is
/// open. For a program to call, before it starts threads; the library never does it by itself.
/// What the kernel does not have is left out: see the result.
[[nodiscard]] Sandbox confine_to(const std::string& directory) noexcept;

/// Likewise of a process that sends, which changes nothing but what it keeps for itself.
[[nodiscard]] Sandbox confine_to_reading(const ReadingRights& rights) noexcept;

}  // namespace adoc
