#pragma once

#include <dirent.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "util/fd.hpp"

namespace adoc {

/// The names in a directory, without "." and "..", sorted by their bytes. Memory does not depend on
/// their number: a directory with over a megabyte of names (some 25,000) is read in parts, in the
/// file system's order. It can do without its descriptor while nobody reads, since a walk into a
/// deep tree would need one for each level.
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
  void again() noexcept { --at_; }

  /// -1 while it is suspended.
  [[nodiscard]] int directory() const noexcept { return directory_.get(); }
  /// Gives the descriptor back, and most of the memory.
  void suspend();
  /// `directory` is a new descriptor of the same directory.
  void resume(Fd directory) noexcept;
  /// It cannot be read any further.
  void fail(int error_number) noexcept;

 private:
  [[nodiscard]] const dirent64& item(std::size_t index) const noexcept;
  [[nodiscard]] bool is_sorted() const noexcept { return is_first_part_ && is_last_part_; }
  [[nodiscard]] bool read_part();
  [[nodiscard]] bool read_more();
  void list_part();
  void drop_part();

  Fd directory_;
  std::unique_ptr<char[]> part_;  ///< of the directory, as getdents64 gives it
  std::size_t capacity_ = 0;
  std::size_t filled_ = 0;
  std::vector<std::uint32_t> items_;  ///< where in the part they begin, in the order to give
  std::size_t at_ = 0;                ///< the next of them
  bool is_first_part_ = true;
  bool is_last_part_ = false;
  off_t part_end_ = 0;       ///< position in the directory behind the part
  off_t given_end_ = 0;      ///< behind the item given last, where the order is the file system's
  std::string given_up_to_;  ///< of a sorted part that was dropped: its last name that was given
  int error_ = 0;
};

}  // namespace adoc
