#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "util/bytes.hpp"
#include "util/fd.hpp"
#include "util/file_state.hpp"

namespace adoc {

/// An open directory that several files in it share.
using DirectoryPtr = std::shared_ptr<const Fd>;

/// Mode and time that a file is to have.
struct FileMetadata {
  std::uint32_t mode = 0;  ///< permission bits
  std::int64_t mtime_seconds = 0;
  std::uint32_t mtime_nanoseconds = 0;

  bool operator==(const FileMetadata&) const = default;
};

/// Sets both on an open file or directory. Throws Error(local_file).
void set_metadata(int fd, const FileMetadata& metadata);

/// A file of a directory, as somebody has looked at it.
struct SeenFile {
  const DirectoryPtr& directory;
  const std::string& name;
  const FileState& identity;
};

/// Opens a regular file that is still as it was seen, if that is its only name: neither a symbolic
/// nor a hard link leads to a file elsewhere. Throws Error(local_file).
[[nodiscard]] Fd open_seen(const SeenFile& file);

/// What becomes of a file or link that has the name already which another one is to get.
enum class Existing { replaced, kept };

/// How a file gets its name.
struct Publishing {
  Existing existing = Existing::replaced;
  std::stop_token stop{};  ///< when it has to be copied: throws Error(interrupted) soon after
};

/// Returns once the file, or the names in the directory, and its metadata are on the disk. Throws
/// Error(local_file).
void flush(int fd);

/// A file that is written under a temporary name, and gets its own name only when publish()
/// succeeds. Without that the destructor removes it. All members throw Error(local_file), in words
/// that follow the file's name. Used by one thread at a time.
class AtomicFile {
 public:
  /// An open file, and the name that it has until it is published.
  struct Temporary {
    DirectoryPtr place;
    std::string name;
    Fd file;
  };

  /// A new file in `place`, meant for `directory`. A rename between the two costs nothing when they
  /// are on one file system; where it is refused, the contents are copied at the end.
  static AtomicFile create(DirectoryPtr place, DirectoryPtr directory);
  static AtomicFile create(const DirectoryPtr& directory) { return create(directory, directory); }
  /// Goes on with a file that is there.
  AtomicFile(Temporary temporary, DirectoryPtr directory) noexcept;
  AtomicFile(AtomicFile&& other) noexcept { *this = std::move(other); }
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  ~AtomicFile() { discard(); }

  void write(std::uint64_t offset, ByteSpan bytes);
  /// Cuts or extends (with a hole) to this size.
  void set_size(std::uint64_t size);
  void set_metadata(const FileMetadata& metadata) { adoc::set_metadata(fd(), metadata); }
  /// Has the system begin to write out what is not on the disk, without waiting.
  void start_flush() noexcept;
  /// Returns once contents, size, mode and time are on the disk.
  void flush() { adoc::flush(fd()); }
  /// Gives the file its name; the directory is the caller's to flush. False if something has the
  /// name that is to be kept.
  [[nodiscard]] bool publish(const std::string& name, const Publishing& how = {});
  /// Lets go of the descriptors: the file lies where it is, under a name of its own, until
  /// return_to() says again where it belongs, and publish() or the destructor follows. To be
  /// flushed before.
  void set_aside();
  /// Nothing for one that is open.
  void return_to(const DirectoryPtr& directory);
  [[nodiscard]] bool is_open() const noexcept { return static_cast<bool>(temporary_.file); }
  /// Whether set_aside() would let go of all of them: not of the directory that it lies in.
  [[nodiscard]] bool lies_elsewhere() const noexcept { return temporary_.place != directory_; }
  /// The destructor leaves the file where it is.
  void keep() noexcept { temporary_.name.clear(); }
  /// Removes it now.
  void discard() noexcept;

  [[nodiscard]] int fd() const noexcept { return temporary_.file.get(); }
  /// After publish(): device and inode of the file that has got the name.
  [[nodiscard]] std::pair<dev_t, ino_t> published_as() const noexcept { return {device_, inode_}; }
  [[nodiscard]] const DirectoryPtr& directory() const noexcept { return directory_; }

 private:
  void inherit_group() const noexcept;
  void expect_own_name();
  [[nodiscard]] bool publish_copy(const std::string& name, const Publishing& how);

  Temporary temporary_;  ///< without a name once published or moved from
  DirectoryPtr directory_;
  dev_t device_ = 0;  ///< and inode of one that was set aside or published
  ino_t inode_ = 0;
  std::uint64_t unflushed_from_ = 0;
  std::uint64_t end_ = 0;
};

/// A symbolic link and where it is to appear.
struct NewLink {
  DirectoryPtr
      place;  ///< where it is made under a temporary name, on the same file system if it can
  DirectoryPtr directory;
  std::string name;
  std::string target;
  FileMetadata metadata;
  std::optional<uid_t> user{};  ///< whom it is to belong to, if not to us
  std::optional<gid_t> group{};
  Existing existing = Existing::replaced;  ///< a file or link of that name
};
/// Makes it and renames it into place; false if something has the name that is to be kept. Throws
/// Error(local_file).
[[nodiscard]] bool publish_symlink(const NewLink& link);

/// Another name of a file and where it is to appear.
struct NewName {
  DirectoryPtr place;  ///< as in NewLink
  DirectoryPtr directory;
  std::string name;
  int file;  ///< open, also with O_PATH
  Existing existing = Existing::replaced;
};
/// As publish_symlink().
[[nodiscard]] bool publish_name(const NewName& link);

/// What temporary names begin with.
inline constexpr std::string_view kTemporaryPrefix = ".adoc-";

}  // namespace adoc
