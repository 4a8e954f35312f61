#pragma once

#include <string>

#include "destination/output_tree.hpp"
#include "wire/entry.hpp"

namespace adoc {

/// What the receiver will do with an entry.
enum class Action {
  have,      ///< nothing: it is there
  keep,      ///< nothing: something is there that was not to be overwritten
  replace,   ///< take its data, commit it as a new file, link or directory
  metadata,  ///< its contents are there, mode, time or what else is kept of it are not
  link,      ///< nothing of its data: it is another name of a file
  refuse,    ///< nothing: it cannot be taken
};

struct Decided {
  Action action = Action::have;
  std::string reason{};  ///< with refuse
  /// With have and metadata: what was compared.
  FileState seen{};
};

/// Compares an entry with what the destination has: a file is unchanged when size and mtime are the
/// same (same_time.hpp), or the contents when the entry carries their hash. What fails is a reason
/// to refuse; throws Error(interrupted) after a stop request to the tree.
[[nodiscard]] Decided decide(const Entry& entry, bool keep_existing, OutputTree& tree);

/// To be called at the end of what was decided to be there, or to be kept, a batch before: throws
/// Error(local_file) unless it is there still, as it was compared.
void look_again(const Entry& entry, const Decided& decided, OutputTree& tree);

}  // namespace adoc
