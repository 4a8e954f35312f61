#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string_view>

#include "util/fd.hpp"

namespace adoc {

/// The names in a directory, in the file system's order and without "." and "..": a buffer of them
/// at a time, so that memory does not depend on their number. It can do without its descriptor
/// while nobody reads, since a walk into a deep tree would need one for each level.
class DirectoryReader {
 public:
  struct Item {
    const char* name = nullptr;  ///< ends in NUL; valid until the next call
    unsigned char type = 0;      ///< DT_..., DT_UNKNOWN where the file system does not say
  };

  explicit DirectoryReader(Fd directory) noexcept : directory_(std::move(directory)) {}

  /// None at the end; none with error() when the directory cannot be read any further.
  [[nodiscard]] std::optional<Item> next();
  /// The errno that ended it, or 0.
  [[nodiscard]] int error() const noexcept { return error_; }
  /// The item that next() gave last is given once more.
  void again() noexcept { at_ = last_; }

  /// -1 while it is suspended.
  [[nodiscard]] int directory() const noexcept { return directory_.get(); }
  /// Gives the descriptor back, and most of the memory.
  void suspend();
  /// `directory` is a new descriptor of the same directory.
  void resume(Fd directory) noexcept;
  /// It cannot be read any further.
  void fail(int error_number) noexcept;

 private:
  [[nodiscard]] bool fill();

  Fd directory_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;  ///< of the buffer
  std::size_t filled_ = 0;
  std::size_t at_ = 0;     ///< where the next item begins in the buffer
  std::size_t last_ = 0;   ///< where the last one did
  off_t given_ = 0;        ///< position in the directory behind the last item
  off_t continue_at_ = 0;  ///< of a suspended reader, behind what it has kept
  int error_ = 0;
};

}  // namespace adoc
