#include "bench/papers/pipeline/lzop.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

namespace papers {
namespace {

/// A file in memory.
class MemoryFile {
 public:
  MemoryFile() : fd_(::memfd_create("lzop", MFD_CLOEXEC)) {
    if (fd_ < 0) throw std::runtime_error("no file in memory");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(fd_); }

  [[nodiscard]] int fd() const { return fd_; }

  void write(std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t some = ::write(fd_, bytes.data(), bytes.size());
      if (some <= 0) throw std::runtime_error("a file in memory has no room");
      bytes = bytes.subspan(static_cast<std::size_t>(some));
    }
    ::lseek(fd_, 0, SEEK_SET);
  }

  /// All of it, which has room there.
  [[nodiscard]] std::size_t read(std::span<std::byte> into) const {
    const off_t size = ::lseek(fd_, 0, SEEK_END);
    if (size < 0 || static_cast<std::size_t>(size) > into.size())
      throw std::runtime_error("lzop wrote more than there is room for");
    std::size_t came = 0;
    while (came < static_cast<std::size_t>(size)) {
      const ssize_t some =
          ::pread(fd_, into.data() + came, into.size() - came, static_cast<off_t>(came));
      if (some <= 0) throw std::runtime_error("a file in memory cannot be read");
      came += static_cast<std::size_t>(some);
    }
    return came;
  }

 private:
  int fd_;
};

/// False if it cannot be started, or says that it failed.
bool run_lzop(const char* what, int in, int out) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string words[] = {"lzop", "-qc", what};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t pid = -1;
  const int failed = ::posix_spawnp(&pid, "lzop", &actions, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  return failed == 0 && ::waitpid(pid, &status, 0) == pid && status == 0;
}

class Lzop final : public ChunkCodec {
 public:
  // A block of 256 KiB that does not shrink is stored; the rest is for headers.
  std::size_t bound(std::size_t raw_bytes) const override {
    return raw_bytes + raw_bytes / 1024 + 1024;
  }
  std::size_t compress(std::span<const std::byte> raw, std::span<std::byte> out) override {
    return run("-1", raw, out);
  }
  void decompress(std::span<const std::byte> stored, std::span<std::byte> raw) override {
    if (run("-d", stored, raw) != raw.size()) throw std::runtime_error("lzop gave back less");
  }

 private:
  static std::size_t run(const char* what, std::span<const std::byte> from,
                         std::span<std::byte> to) {
    const MemoryFile in;
    const MemoryFile out;
    in.write(from);
    if (!run_lzop(what, in.fd(), out.fd())) throw std::runtime_error("lzop failed");
    return out.read(to);
  }
};

}  // namespace

std::unique_ptr<ChunkCodec> make_lzop() {
  const MemoryFile in;
  const MemoryFile out;
  if (!run_lzop("-1", in.fd(), out.fd())) return nullptr;
  return std::make_unique<Lzop>();
}

}  // namespace papers
