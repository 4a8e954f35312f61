#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/atomic_file.hpp"

namespace adoc {

/// Directories of ours whose modes kept us out, as rsync treats them: they let their owner in, and
/// nobody else more than before, for as long as there is work in them. Their modes come back with
/// the destructor of the last in the process that lent them, unless their own entries have set
/// others. Used by one thread at a time.
class LentPermissions {
 public:
  explicit LentPermissions(DirectoryPtr root) noexcept : root_(std::move(root)) {}
  LentPermissions(LentPermissions&& other) noexcept = default;
  LentPermissions& operator=(LentPermissions&& other) noexcept;
  ~LentPermissions() { give_back(); }

  /// Lets us read, write and search in a directory that is open, also with O_PATH; `path` is where
  /// that is below the root. False if it is not ours, or its mode is not what is in the way.
  [[nodiscard]] bool lend(int directory, std::string_view path);
  /// Whether somebody in the process has lent it, and may give it back at any time: who works in it
  /// lends it as well.
  [[nodiscard]] static bool is_lent(int directory) noexcept;
  /// Takes over what another one lent.
  void add(LentPermissions&& other);
  /// The mode that an open directory had, if it is one of these.
  [[nodiscard]] std::optional<mode_t> mode_of(int directory) const;
  /// Gives an open directory its own mode, at once or when the last of those who lent it gives it
  /// back. False with errno when that fails.
  [[nodiscard]] bool settle(int directory, mode_t mode) noexcept;

 private:
  struct Lent {
    std::string path;
    dev_t device;
    ino_t inode;
  };

  void give_back() noexcept;

  DirectoryPtr root_;
  std::vector<Lent> lent_;
};

}  // namespace adoc
