// A file system that does not distinguish capital letters and keeps how a name was written, for a
// program that is loaded with this by LD_PRELOAD: names in directories that are held open mean what
// is there, however it is written. One that nobody can foresee, as the short names of FAT, is in
// $FOLD_CASE_OWN_NAME: it means ".adoc".

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

bool same_name(const char* a, const char* b) {
  const char* const other = ::getenv("FOLD_CASE_OWN_NAME");
  const auto meant = [other](const char* name) {
    return other != nullptr && ::strcmp(name, other) == 0 ? ".adoc" : name;
  };
  return ::strcasecmp(meant(a), meant(b)) == 0;
}

/// As the name is written in the directory.
std::string there(int directory, const char* name) {
  const std::string given(name);
  if (directory == AT_FDCWD || given == "." || given.find('/') != given.npos) return given;
  std::string found = given;
  const std::string path = "/proc/self/fd/" + std::to_string(directory);
  DIR* const stream = ::opendir(path.c_str());
  if (stream == nullptr) return given;
  while (const dirent* item = ::readdir(stream)) {
    if (given == item->d_name) {
      found = given;
      break;
    }
    if (same_name(name, item->d_name)) found = item->d_name;
  }
  ::closedir(stream);
  return found;
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
  return really(directory, there(directory, path).c_str(), flags, mode);
}

int fstatat(int directory, const char* path, struct stat* status, int flags) noexcept {
  NEXT(fstatat);
  return really(directory, there(directory, path).c_str(), status, flags);
}

int mkdirat(int directory, const char* path, mode_t mode) noexcept {
  NEXT(mkdirat);
  return really(directory, there(directory, path).c_str(), mode);
}

int unlinkat(int directory, const char* path, int flags) noexcept {
  NEXT(unlinkat);
  return really(directory, there(directory, path).c_str(), flags);
}

int renameat(int from, const char* old, int to, const char* path) noexcept {
  NEXT(renameat);
  return really(from, old, to, there(to, path).c_str());
}

int renameat2(int from, const char* old, int to, const char* path, unsigned flags) noexcept {
  NEXT(renameat2);
  return really(from, old, to, there(to, path).c_str(), flags);
}

ssize_t readlinkat(int directory, const char* path, char* into, size_t bytes) noexcept {
  NEXT(readlinkat);
  return really(directory, there(directory, path).c_str(), into, bytes);
}

// openat2 opens whole paths; without it they are opened component by component.
long syscall(long number, ...) noexcept {
  NEXT(syscall);
  va_list list;
  va_start(list, number);
  std::array<long, 6> a{};
  for (long& argument : a) argument = va_arg(list, long);
  va_end(list);
  if (number != SYS_openat2) return really(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  errno = ENOSYS;
  return -1;
}
}
