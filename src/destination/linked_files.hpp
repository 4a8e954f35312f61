#pragma once

#include <sys/types.h>

#include <map>
#include <utility>

#include "util/checksum.hpp"
#include "util/fd.hpp"
#include "util/file_state.hpp"
#include "wire/entry.hpp"

namespace adoc {

class OutputTree;

/// Files of one transfer that are to get other names. Used by one thread.
class LinkedFiles {
 public:
  using Number = std::pair<dev_t, ino_t>;

  /// The file of this name is the transfer's, and is this one.
  void note(const SafeName& name, const Number& number);

  /// The file of which the entry is another name, held with O_PATH. It is the one that was noted.
  /// Of one that was not, as it was sent over a connection that is lost or so many came since, it
  /// has to be as if it was offered now: of this size and time, and of the owner that it would
  /// have. Throws Error(local_file).
  [[nodiscard]] Fd find(const Entry& other_name, OutputTree& tree) const;

 private:
  std::map<ContentHash, Number> numbers_;  ///< by a hash of the name: names may be long
};

}  // namespace adoc
