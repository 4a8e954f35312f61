#pragma once

#include <sys/stat.h>

#include <memory>
#include <string>
#include <string_view>

#include "adoc/error.hpp"
#include "util/fd.hpp"

namespace adoc {

/// What tells a file, directory or link from every other one, as long as it exists.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  mode_t kind = 0;  ///< S_IFMT's bits

  bool operator==(const FileIdentity&) const = default;
};

[[nodiscard]] FileIdentity identity_of(const struct stat& status) noexcept;

/// Whether `file` with `status`, which was opened below a held directory, is the one that was
/// listed. Some file systems number a file anew when they have forgotten it: there device and kind
/// must do.
[[nodiscard]] bool is_listed(int file, const struct stat& status, const FileIdentity& listed);

/// Error(local_file) for what was listed: "cannot {action}: ...", or kVanished.
[[nodiscard]] Error source_error(std::string_view action, int error_number);

/// A directory that the user named: what is sent of it is opened below it, without following a
/// link unless that was asked for, whatever is renamed or linked there meanwhile. May be used by
/// several threads.
class SourceRoot {
 public:
  struct Setup {
    std::string path;                  ///< as the user named it
    bool follows_link = false;         ///< `path` may be a link to the directory
    bool follows_links_below = false;  ///< so may be what lies below it, and lead anywhere
    bool keeps_descriptor = true;  ///< false: is opened again, and compared, whenever it is needed
  };

  /// Null with errno when it cannot be opened.
  [[nodiscard]] static std::shared_ptr<const SourceRoot> open(Setup setup);

  /// Of the moment when it was opened.
  [[nodiscard]] const struct stat& status() const noexcept { return status_; }
  /// A descriptor of its own, to read the names from. Empty with errno.
  [[nodiscard]] Fd open_itself() const;
  /// `path` is relative. Empty with errno.
  [[nodiscard]] Fd open_below(const std::string& path, int flags) const;
  /// Whether there is something at the relative `path`; `status` is of that, or of the link where
  /// links are not followed.
  [[nodiscard]] bool look_below(const std::string& path, struct stat& status) const;

 private:
  explicit SourceRoot(Setup setup) : setup_(std::move(setup)) {}

  [[nodiscard]] Fd open_by_name() const;

  Setup setup_;
  struct stat status_ {};
  Fd kept_;
};

using SourceRootPtr = std::shared_ptr<const SourceRoot>;

/// Where something was found, and which one it was: enough to open that, and nothing else, later.
struct SourceFile {
  std::string path{};          ///< in the user's terms
  SourceRootPtr root{};        ///< null: the user named the file itself
  std::size_t below_root = 0;  ///< where the part of `path` below the root begins
  FileIdentity identity{};
  bool is_standard_input = false;
  bool follows_link = false;  ///< of a file that the user named: it may be a link

  /// To read. Empty with errno; whether it is the one that was listed is the caller's to ask.
  [[nodiscard]] Fd open() const;
  [[nodiscard]] bool is_listed(int file, const struct stat& status) const;
};

}  // namespace adoc
