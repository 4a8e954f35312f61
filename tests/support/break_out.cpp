// What an intruder would try who has got into the far side of a copy: for LD_PRELOAD. Each time
// that the process starts a thread, each of the attempts is made, and a line of each goes to the
// file $ADOC_ATTEMPTS, as "read /etc/shadow: refused"; those of before the process is confined come
// first. Once it is, it stops itself so that it can be looked at from outside.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace {

int report = -1;
bool has_stopped = false;

const char* of_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "/nonexistent" : value;
}

void tell(const char* attempt, const char* on, bool is_done) {
  char line[4'200];
  const int length =
      std::snprintf(line, sizeof(line), "%s %s: %s\n", attempt, on, is_done ? "done" : "refused");
  if (write(report, line, static_cast<size_t>(length)) != length) std::abort();
}

bool opens(const char* path, int flags) {
  const int file = open(path, flags | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}

bool runs(const char* program) {
  pid_t child = 0;
  char* const arguments[] = {const_cast<char*>(program), nullptr};
  if (posix_spawn(&child, program, nullptr, nullptr, arguments, arguments + 1) != 0) return false;
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0;
}

void try_all() {
  const bool is_confined = prctl(PR_GET_SECCOMP) == 2;
  if (lseek(report, 0, SEEK_SET) != 0 || ftruncate(report, 0) != 0) std::abort();
  tell("be", "confined", is_confined);
  for (const char* name : {"ADOC_ASKED", "ADOC_SECRET"})
    tell("read", of_environment(name), opens(of_environment(name), O_RDONLY));
  tell("list", of_environment("ADOC_ELSEWHERE"), opens(of_environment("ADOC_ELSEWHERE"), O_RDONLY));
  tell("change", of_environment("ADOC_ASKED"), opens(of_environment("ADOC_ASKED"), O_WRONLY));
  tell("make", of_environment("ADOC_NEW"), opens(of_environment("ADOC_NEW"), O_WRONLY | O_CREAT));
  tell("run", "/bin/true", runs("/bin/true"));
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  tell("open", "a socket", made >= 0);
  if (made >= 0) close(made);
  if (!is_confined || has_stopped) return;
  has_stopped = true;
  raise(SIGSTOP);
}

}  // namespace

extern "C" {

__attribute__((constructor)) void open_report() {
  // What it runs itself tries nothing.
  unsetenv("LD_PRELOAD");
  report = open(of_environment("ADOC_ATTEMPTS"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (report >= 0) try_all();
  return create(thread, attributes, body, argument);
}
}
