#include "source/sample.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>

#include "adoc/error.hpp"
#include "source/walker.hpp"
#include "util/errno_error.hpp"
#include "util/fd.hpp"
#include "util/safe_name.hpp"

namespace adoc {
namespace {

/// Long enough for a dense level to show what it can do, short enough for several of them.
constexpr std::uint64_t kStretchBytes = 2 << 20;

/// The files at a path, as often as they are asked for: trees are not kept in memory.
class Files {
 public:
  Files(const std::string& path, const std::vector<FilterRule>& filters)
      : path_(behind_links(path)), filters_(filters) {}

  /// Calls `visit` with each file that is not empty, and `refuse` with what cannot be read.
  void each(
      const std::function<void(const Found&)>& visit,
      const std::function<void(const Found&)>& refuse = [](const Found&) {}) const {
    Walker walker({.paths = {path_}, .stdin_name = "", .filter = Filter(filters_)});
    while (const auto found = walker.next()) {
      if (!found->failure.empty()) {
        refuse(*found);
      } else if (found->entry.kind == EntryKind::file && found->entry.size > 0) {
        visit(*found);
      }
    }
  }

 private:
  /// A transfer sends a link as a link; here it is what is behind it that is meant.
  static std::string behind_links(const std::string& path) {
    std::error_code error;
    const bool link = std::filesystem::is_symlink(path, error);
    return link ? std::filesystem::weakly_canonical(path, error).string() : path;
  }

  std::string path_;
  const std::vector<FilterRule>& filters_;
};

/// Which bytes of all files together are taken: one stretch in the middle of each equal part.
class Stretches {
 public:
  Stretches(std::uint64_t all_bytes, std::uint64_t most_bytes)
      : count_(all_bytes <= most_bytes ? 1
                                       : std::max<std::uint64_t>(1, most_bytes / kStretchBytes)),
        length_(std::min(all_bytes, most_bytes) / count_),
        gap_(all_bytes - length_ * count_) {}

  /// Calls `take` with the offset in a file, and the length, of each piece of it that is taken; the
  /// file's first byte is number `begin` of all.
  void each_piece(std::uint64_t begin, std::uint64_t bytes,
                  const std::function<void(std::uint64_t, std::uint64_t)>& take) const {
    for (std::uint64_t i = 0; i < count_; ++i) {
      const std::uint64_t start = (2 * i + 1) * gap_ / (2 * count_) + i * length_;
      const std::uint64_t from = std::max(start, begin);
      const std::uint64_t to = std::min(start + length_, begin + bytes);
      if (from < to) take(from - begin, to - from);
    }
  }

 private:
  std::uint64_t count_;
  std::uint64_t length_;
  std::uint64_t gap_;
};

/// Appends what there is of a piece of a file; 0, or the errno of what failed.
int append(Bytes& bytes, int file, std::uint64_t offset, std::uint64_t length) {
  const std::size_t before = bytes.size();
  std::size_t filled = 0;
  bytes.resize(before + static_cast<std::size_t>(length));
  int failure = 0;
  while (filled < length && failure == 0) {
    const ssize_t got =
        ::pread(file, bytes.data() + before + filled, static_cast<std::size_t>(length) - filled,
                static_cast<off_t>(offset + filled));
    if (got == 0) break;
    if (got > 0) {
      filled += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      failure = errno;
    }
  }
  bytes.resize(before + filled);
  return failure;
}

Error nothing_at(const std::string& path, const std::string& why) {
  return {ErrorKind::local_file, "cannot measure levels on " + adoc::quoted(path) + ": " + why};
}

}  // namespace

Sample read_sample(const SampleOf& of, const LeftOut& left_out) {
  const Files files(of.path, of.filters);
  const auto leave_out = [&left_out](const Found& found, const std::string& why) {
    if (left_out) left_out(found.source.path, why);
  };
  Sample sample;
  bool refused = false;
  files.each(
      [&sample](const Found& found) {
        sample.of_bytes += found.entry.size;
        ++sample.of_files;
      },
      [&](const Found& found) {
        leave_out(found, found.failure);
        refused = true;
      });
  if (sample.of_bytes == 0) {
    throw nothing_at(of.path, refused ? "nothing in it can be read" : "there is not a byte in it");
  }
  const Stretches stretches(sample.of_bytes, of.most_bytes);
  std::uint64_t begin = 0;
  int last_failure = 0;
  files.each([&](const Found& found) {
    Fd file;
    int failure = 0;
    stretches.each_piece(begin, found.entry.size, [&](std::uint64_t offset, std::uint64_t length) {
      if (failure != 0) return;
      if (!file) file = found.source.open();
      failure = file ? append(sample.bytes, file.get(), offset, length) : errno;
    });
    begin += found.entry.size;
    if (failure == 0) return;
    leave_out(found, errno_text(failure));
    last_failure = failure;
  });
  if (sample.bytes.empty()) {
    throw nothing_at(of.path,
                     last_failure != 0 ? errno_text(last_failure) : "it has changed meanwhile");
  }
  return sample;
}

}  // namespace adoc
