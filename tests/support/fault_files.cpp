// A file layer that fails: loaded into a program with LD_PRELOAD, it fails the nth call of a kind.
//
//   ADOC_FAULT_FILES="CALL@N=EFFECT;..."   "pwrite@3=ENOSPC;pread@1+=short:7;renameat@2=KILL"
//   ADOC_FAULT_BELOW=DIR                   only calls on what is below DIR count, and on sockets
//   ADOC_FAULT_STRUCK=FILE                 each fault that struck adds its line to this file
//
// CALL is a name of kCalls in fault_files_plan.cpp, N is counted from 1, with + it is that call and
// all after it. EFFECT is an errno's name; short:BYTES, at most so many bytes are moved; KILL, the
// program dies of SIGKILL before the call; KILLED, after it. A close is done whatever it is made to
// return.

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdarg>

#include "support/fault_files_plan.hpp"

using namespace adoc::fault_files;

namespace {

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// Does the call, or what is to happen to it.
template <typename Do>
auto with(const Fault* fault, Do&& really) {
  using Result = decltype(really());
  if (fault != nullptr && fault->effect == Effect::fail) {
    errno = fault->error_number;
    return static_cast<Result>(-1);
  }
  const Result result = really();
  if (fault != nullptr && fault->effect == Effect::kill_after) ::kill(::getpid(), SIGKILL);
  return result;
}

std::size_t shortened(const Fault* fault, std::size_t count) {
  return fault != nullptr && fault->effect == Effect::shorten && fault->bytes < count ? fault->bytes
                                                                                      : count;
}

}  // namespace

#define NEXT(name) static const auto really = next<decltype(name)>(#name)

extern "C" {

int openat(int directory, const char* path, int flags, ...) {
  NEXT(openat);
  va_list list;
  va_start(list, flags);
  const unsigned mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, unsigned) : 0;
  va_end(list);
  const Fault* const fault = strike(kOpen, counts(directory, path));
  return with(fault, [&] { return really(directory, path, flags, mode); });
}

int open(const char* path, int flags, ...) {
  NEXT(open);
  va_list list;
  va_start(list, flags);
  const unsigned mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, unsigned) : 0;
  va_end(list);
  const Fault* const fault = strike(kOpen, counts(AT_FDCWD, path));
  return with(fault, [&] { return really(path, flags, mode); });
}

// What glibc has no function for, openat2 above all.
long syscall(long number, ...) noexcept {
  NEXT(syscall);
  va_list list;
  va_start(list, number);
  std::array<long, 6> a{};
  for (long& argument : a) argument = va_arg(list, long);
  va_end(list);
  const auto again = [&] { return really(number, a[0], a[1], a[2], a[3], a[4], a[5]); };
  if (number != SYS_openat2) return again();
  const auto path = reinterpret_cast<const char*>(a[1]);
  return with(strike(kOpen, counts(static_cast<int>(a[0]), path)), again);
}

ssize_t read(int fd, void* into, size_t count) {
  NEXT(read);
  const Fault* const fault = strike(kRead, counts(fd));
  return with(fault, [&] { return really(fd, into, shortened(fault, count)); });
}

ssize_t pread(int fd, void* into, size_t count, off_t offset) {
  NEXT(pread);
  const Fault* const fault = strike(kPread, counts(fd));
  return with(fault, [&] { return really(fd, into, shortened(fault, count), offset); });
}

ssize_t write(int fd, const void* from, size_t count) {
  NEXT(write);
  const Fault* const fault = strike(kWrite, counts(fd));
  return with(fault, [&] { return really(fd, from, shortened(fault, count)); });
}

ssize_t pwrite(int fd, const void* from, size_t count, off_t offset) {
  NEXT(pwrite);
  const Fault* const fault = strike(kPwrite, counts(fd));
  return with(fault, [&] { return really(fd, from, shortened(fault, count), offset); });
}

ssize_t pwritev(int fd, const iovec* parts, int count, off_t offset) {
  NEXT(pwritev);
  const Fault* const fault = strike(kPwrite, counts(fd));
  iovec first = parts[0];
  first.iov_len = shortened(fault, first.iov_len);
  if (first.iov_len < parts[0].iov_len) return really(fd, &first, 1, offset);
  return with(fault, [&] { return really(fd, parts, count, offset); });
}

int fsync(int fd) {
  NEXT(fsync);
  return with(strike(kFsync, counts(fd)), [&] { return really(fd); });
}

int fdatasync(int fd) {
  NEXT(fdatasync);
  return with(strike(kFdatasync, counts(fd)), [&] { return really(fd); });
}

int syncfs(int fd) noexcept {
  NEXT(syncfs);
  return with(strike(kSyncfs, counts(fd)), [&] { return really(fd); });
}

int rename(const char* from, const char* to) noexcept {
  NEXT(rename);
  return with(strike(kRename, counts(AT_FDCWD, to)), [&] { return really(from, to); });
}

int renameat(int from_directory, const char* from, int directory, const char* to) noexcept {
  NEXT(renameat);
  return with(strike(kRename, counts(directory, to)),
              [&] { return really(from_directory, from, directory, to); });
}

int renameat2(int from_directory, const char* from, int directory, const char* to,
              unsigned flags) noexcept {
  NEXT(renameat2);
  return with(strike(kRename, counts(directory, to)),
              [&] { return really(from_directory, from, directory, to, flags); });
}

int linkat(int from_directory, const char* from, int directory, const char* to,
           int flags) noexcept {
  NEXT(linkat);
  return with(strike(kRename, counts(directory, to)),
              [&] { return really(from_directory, from, directory, to, flags); });
}

int mkdirat(int directory, const char* path, mode_t mode) noexcept {
  NEXT(mkdirat);
  return with(strike(kMkdir, counts(directory, path)),
              [&] { return really(directory, path, mode); });
}

int symlinkat(const char* target, int directory, const char* path) noexcept {
  NEXT(symlinkat);
  return with(strike(kSymlink, counts(directory, path)),
              [&] { return really(target, directory, path); });
}

int unlinkat(int directory, const char* path, int flags) noexcept {
  NEXT(unlinkat);
  return with(strike(kUnlink, counts(directory, path)),
              [&] { return really(directory, path, flags); });
}

int fchmod(int fd, mode_t mode) noexcept {
  NEXT(fchmod);
  return with(strike(kFchmod, counts(fd)), [&] { return really(fd, mode); });
}

int futimens(int fd, const timespec* times) noexcept {
  NEXT(futimens);
  return with(strike(kFutimens, counts(fd)), [&] { return really(fd, times); });
}

int utimensat(int directory, const char* path, const timespec* times, int flags) noexcept {
  NEXT(utimensat);
  return with(strike(kUtimensat, counts(directory, path)),
              [&] { return really(directory, path, times, flags); });
}

int ftruncate(int fd, off_t size) noexcept {
  NEXT(ftruncate);
  return with(strike(kFtruncate, counts(fd)), [&] { return really(fd, size); });
}

int fallocate(int fd, int mode, off_t offset, off_t count) {
  NEXT(fallocate);
  return with(strike(kFallocate, counts(fd)), [&] { return really(fd, mode, offset, count); });
}

// A close that tells a failure has closed all the same.
int close(int fd) {
  NEXT(close);
  const Fault* const fault = strike(kClose, has_plan() && counts(fd));
  const int result = really(fd);
  return with(fault, [&] { return result; });
}

int fstat(int fd, struct stat* status) noexcept {
  NEXT(fstat);
  return with(strike(kStat, counts(fd)), [&] { return really(fd, status); });
}

int lstat(const char* path, struct stat* status) noexcept {
  NEXT(lstat);
  return with(strike(kStat, counts(AT_FDCWD, path)), [&] { return really(path, status); });
}

int fstatat(int directory, const char* path, struct stat* status, int flags) noexcept {
  NEXT(fstatat);
  return with(strike(kStat, counts(directory, path)),
              [&] { return really(directory, path, status, flags); });
}

ssize_t readlink(const char* path, char* into, size_t count) noexcept {
  NEXT(readlink);
  return with(strike(kReadlink, counts(AT_FDCWD, path)), [&] { return really(path, into, count); });
}

ssize_t readlinkat(int directory, const char* path, char* into, size_t count) noexcept {
  NEXT(readlinkat);
  return with(strike(kReadlink, counts(directory, path)),
              [&] { return really(directory, path, into, count); });
}

off_t lseek(int fd, off_t offset, int whence) noexcept {
  NEXT(lseek);
  return with(strike(kLseek, counts(fd)), [&] { return really(fd, offset, whence); });
}

struct dirent;
struct __dirstream;
int dirfd(__dirstream* stream) noexcept;
dirent* readdir(__dirstream* stream) {
  static const auto really = next<dirent*(__dirstream*)>("readdir");
  const Fault* const fault = strike(kReaddir, counts(dirfd(stream)));
  if (fault != nullptr && fault->effect == Effect::fail) {
    errno = fault->error_number;
    return nullptr;
  }
  return really(stream);
}

ssize_t recv(int fd, void* into, size_t count, int flags) {
  NEXT(recv);
  const Fault* const fault = strike(kRecv, true);
  return with(fault, [&] { return really(fd, into, shortened(fault, count), flags); });
}

ssize_t send(int fd, const void* from, size_t count, int flags) {
  NEXT(send);
  const Fault* const fault = strike(kSend, true);
  return with(fault, [&] { return really(fd, from, shortened(fault, count), flags); });
}

ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  NEXT(sendmsg);
  const Fault* const fault = strike(kSend, true);
  if (message->msg_iovlen == 0) return really(fd, message, flags);
  iovec first = message->msg_iov[0];
  msghdr shorter = *message;
  first.iov_len = shortened(fault, first.iov_len);
  if (first.iov_len < message->msg_iov[0].iov_len) {
    shorter.msg_iov = &first;
    shorter.msg_iovlen = 1;
  }
  return with(fault, [&] { return really(fd, &shorter, flags); });
}

int connect(int fd, const sockaddr* address, socklen_t length) {
  NEXT(connect);
  return with(strike(kConnect, true), [&] { return really(fd, address, length); });
}

int accept4(int fd, sockaddr* address, socklen_t* length, int flags) {
  NEXT(accept4);
  return with(strike(kAccept, true), [&] { return really(fd, address, length, flags); });
}

}  // extern "C"
