#include "transfer/recording_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "util/errno_error.hpp"
#include "util/safe_name.hpp"

namespace adoc {

namespace {

/// A system call for each frame would take longer than what is in it.
constexpr std::size_t kGatheredBytes = 256 << 10;

[[noreturn]] void cannot_record(std::string_view action) {
  throw errno_error(ErrorKind::local_file, action, errno);
}

DirectoryPtr directory_of_recording(const std::string& path) {
  Fd opened(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) cannot_record("open its directory");
  return std::make_shared<const Fd>(std::move(opened));
}

// Not as AtomicFile makes one: this one is to have the mode that the user's new files have.
AtomicFile make_recording(const DirectoryPtr& directory) {
  const std::string begin = std::string(kTemporaryPrefix) + std::to_string(::getpid());
  for (unsigned i = 0;; ++i) {
    std::string name = begin + "-" + std::to_string(i) + ".part";
    Fd file(::openat(directory->get(), name.c_str(),
                     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (file) return {{directory, std::move(name), std::move(file)}, directory};
    if (errno != EEXIST) cannot_record("make a temporary file for it");
  }
}

}  // namespace

RecordingFile::RecordingFile(std::string path, bool replace)
    : path_(std::move(path)), replace_(replace) {
  if (path_ == "-") return;
  attempt([&] {
    const std::size_t slash = path_.rfind('/');
    name_ = path_.substr(slash == std::string::npos ? 0 : slash + 1);
    struct stat status {};
    const bool is_there = ::lstat(path_.c_str(), &status) == 0;
    if (name_.empty() || (is_there && S_ISDIR(status.st_mode)))
      throw Error(ErrorKind::local_file, "it is a directory");
    if (is_there && !replace_) throw Error(ErrorKind::local_file, "it is there already");
    if (is_there && !S_ISREG(status.st_mode))
      throw Error(ErrorKind::local_file, "what is there is not a regular file");
    file_.emplace(make_recording(
        directory_of_recording(slash == std::string::npos ? "." : path_.substr(0, slash + 1))));
    if (::fstat(file_->fd(), &status) != 0) cannot_record("look at it");
    identity_ = {status.st_dev, status.st_ino};
  });
}

template <typename Step>
void RecordingFile::attempt(Step step) const {
  try {
    step();
  } catch (const Error& error) {
    const std::string name = path_ == "-" ? "standard output" : adoc::quoted(path_);
    throw Error(error.kind(), "cannot write " + name + ": " + error.what());
  }
}

void RecordingFile::write(ByteSpan bytes) {
  attempt([&] {
    if (gathered_.size() + bytes.size() <= kGatheredBytes) {
      gathered_.insert(gathered_.end(), bytes.begin(), bytes.end());
      return;
    }
    write_out(gathered_);
    gathered_.clear();
    if (bytes.size() >= kGatheredBytes)
      write_out(bytes);
    else
      gathered_.assign(bytes.begin(), bytes.end());
  });
}

void RecordingFile::write_out(ByteSpan bytes) {
  if (file_) {
    file_->write(written_bytes_, bytes);
    written_bytes_ += bytes.size();
    return;
  }
  while (!bytes.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (count >= 0)
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    else if (errno == EAGAIN)
      wait_for_room();
    else if (errno != EINTR)
      cannot_record("write");
  }
}

// Whoever made the pipe, or shares it, may have made it one that does not wait by itself.
void RecordingFile::wait_for_room() const {
  if (stopped_.wait_for(STDOUT_FILENO, POLLOUT) == Wakeup::Result::woken)
    throw Error(ErrorKind::interrupted, "interrupted");
}

void RecordingFile::publish() {
  attempt([&] {
    write_out(gathered_);
    gathered_.clear();
    if (!file_) return;
    file_->flush();
    const Existing existing = replace_ ? Existing::replaced : Existing::kept;
    if (!file_->publish(name_, {.existing = existing}))
      throw Error(ErrorKind::local_file, "something has that name by now");
    adoc::flush(file_->directory()->get());
  });
}

}  // namespace adoc
