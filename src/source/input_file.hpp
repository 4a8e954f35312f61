#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "source/content_reader.hpp"
#include "source/source_root.hpp"
#include "util/bytes.hpp"
#include "util/fd.hpp"
#include "util/wakeup.hpp"
#include "wire/entry.hpp"

namespace adoc {

/// A source file that is being read. All members throw Error(local_file) for what fails: the words
/// are made to follow the file's name.
class InputFile {
 public:
  /// Opens a regular file and makes sure that it is still the one that was listed as `entry`.
  InputFile(const SourceFile& source, const Entry& entry) : InputFile(source, entry, Setup{}) {}
  struct Setup {
    bool may_have_changed = false;  ///< it may be a later state of it that is not shorter
    std::optional<Lossy> lossy{};   ///< of what contents() gives
  };
  InputFile(const SourceFile& source, const Entry& entry, const Setup& setup);

  [[nodiscard]] ContentReader& contents() noexcept { return contents_; }

  /// Waits for standard input and fills `into` as long as bytes keep coming: a writer that pauses
  /// ends it, too. 0 only at the end. Throws Error(interrupted) when `stopped` is set meanwhile.
  [[nodiscard]] static std::size_t read_standard_input(std::span<std::byte> into,
                                                       const Wakeup& stopped);

  struct Attributes {
    bool own = false;          ///< extended attributes that users gave it
    bool access_list = false;  ///< an ACL
  };
  [[nodiscard]] Attributes attributes() const noexcept;

  /// Throws when the file is not what it was when it was opened. What the system makes up as it is
  /// read cannot be told.
  void check_unchanged() const;
  /// Whether it is not what was listed.
  [[nodiscard]] bool has_changed() const;

 private:
  struct Identity {
    std::uint64_t size = 0;
    std::int64_t mtime_seconds = 0;
    std::int64_t mtime_nanoseconds = 0;
    /// Of one that several senders send; that it had any other state is then to be noticed.
    std::int64_t changed_seconds = 0;
    std::int64_t changed_nanoseconds = 0;

    bool operator==(const Identity&) const = default;
  };

  /// Throws when it is not a regular file.
  [[nodiscard]] Identity identity(const struct stat& status) const;

  Fd file_;
  ContentReader contents_;
  bool size_is_known_;
  bool is_shared_;
  Identity opened_;
  bool was_changed_ = false;  ///< when it was opened
};

/// The runs of an open file that hold data, found with SEEK_DATA; none given when it has no holes.
/// A file with more runs than an entry may have gets its last ones joined. Throws
/// Error(interrupted) soon after a stop request.
[[nodiscard]] std::optional<Extents> data_runs(int file, std::uint64_t size,
                                               const std::stop_token& stop);

}  // namespace adoc
