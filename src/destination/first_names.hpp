#pragma once

#include <sys/types.h>

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "util/atomic_file.hpp"
#include "util/safe_name.hpp"

namespace adoc {

/// Names of one transfer that a file system takes for one, as README and Readme on FAT: the first
/// has the file, and the second is told. Directories that tell such names apart cost two looks each
/// and are not remembered. Used by one thread.
class FirstNames {
 public:
  /// To be called before the entry becomes what `name`, in the open directory `parent`, means:
  /// throws Error(local_file) if that is another entry's by now, in words that follow the name.
  void expect_own(const SafeName& name, const DirectoryPtr& parent) const;
  /// That is the entry's.
  void note(const SafeName& name, const DirectoryPtr& parent);

 private:
  using Number = std::pair<dev_t, ino_t>;

  [[nodiscard]] bool folds(const std::string& leaf, const DirectoryPtr& parent, Number number);

  std::map<Number, std::string> names_;
  std::deque<Number> order_;  ///< they are forgotten in
  std::size_t bytes_ = 0;     ///< that they take
  DirectoryPtr latest_;       ///< that was asked about
  bool latest_folds_ = false;
};

}  // namespace adoc
