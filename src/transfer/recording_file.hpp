#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "util/atomic_file.hpp"
#include "util/bytes.hpp"
#include "util/wakeup.hpp"

namespace adoc {

/// The file that a transfer is written to. It has its name once all of it is on the disk; before
/// that nothing of it is seen, and the destructor leaves nothing of one that was not published.
/// Members throw Error(local_file) that names it. Used by one thread at a time.
class RecordingFile {
 public:
  /// "-" is standard output, where everything is seen as it comes. `replace`: a regular file of
  /// that name; anything else that has it is an error, and so is a file without that.
  RecordingFile(std::string path, bool replace);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Device and inode; none of standard output.
  [[nodiscard]] std::optional<std::pair<dev_t, ino_t>> identity() const noexcept {
    return identity_;
  }

  void write(ByteSpan bytes);
  /// After the last byte.
  void publish();
  /// Wakes a thread that waits for a pipe which takes nothing: it throws Error(interrupted), and so
  /// does each that would have to wait from here on. Any thread.
  void stop() noexcept { stopped_.set(); }

 private:
  template <typename Step>
  void attempt(Step step) const;
  void write_out(ByteSpan bytes);
  void wait_for_room() const;

  std::string path_;
  std::string name_;  ///< in its directory
  bool replace_;
  std::optional<AtomicFile> file_;  ///< absent: standard output
  std::optional<std::pair<dev_t, ino_t>> identity_;
  Bytes gathered_;  ///< short pieces that go out together
  Wakeup stopped_;
  std::uint64_t written_bytes_ = 0;
};

}  // namespace adoc
