// What a process can still do once it is confined: each test confines a process of its own.

#include "util/sandbox.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>
#include <vector>

#include "support/temporary_directory.hpp"
#include "util/errno_error.hpp"
#include "util/landlock.hpp"
#include "util/sanitized.hpp"
#include "util/system_call_filter.hpp"

namespace adoc {
namespace {

namespace fs = std::filesystem;

/// What a call came to: "done", or the system's words.
template <typename Result>
std::string came_to(Result result) {
  return result == static_cast<Result>(-1) ? errno_text(errno) : "done";
}

constexpr const char* kDone = "done";
constexpr const char* kNotPermitted = "operation not permitted";
constexpr const char* kDenied = "permission denied";

class SandboxTest : public testing::Test {
 protected:
  SandboxTest() {
    root_.write("below/file", "mine");
    root_.write("below/sub/file", "mine");
    root_.write("outside/file", "not mine");
    fs::create_symlink(root_ / "outside", root_ / "below/link");
  }

  /// Collects what is not as expected in a process of its own.
  class Findings {
   public:
    void expect(const std::string& what, const std::string& wanted, const std::string& got) {
      if (wanted != got) text_ += what + ": " + got + ", not " + wanted + "\n";
    }
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

   private:
    std::string text_;
  };

  /// Runs `body` in a child process and fails with what it found.
  static void in_a_process(const std::function<void(Findings&)>& body) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      Findings findings;
      body(findings);
      const std::string& text = findings.text();
      const ssize_t written = ::write(ends[1], text.data(), text.size());
      ::_exit(written == std::ssize(text) ? 0 : 1);
    }
    ::close(ends[1]);
    std::string text;
    char piece[4096];
    for (ssize_t got; (got = ::read(ends[0], piece, sizeof(piece))) > 0;)
      text.append(piece, static_cast<std::size_t>(got));
    ::close(ends[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
    EXPECT_EQ(text, "");
  }

  [[nodiscard]] static std::string opening(const std::string& path, int flags) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
    const std::string result = came_to(fd);
    if (fd >= 0) ::close(fd);
    return result;
  }

  /// All that a receiver does with files.
  void expect_work_below(Findings& findings) const {
    const std::string below = root_ / "below/";
    findings.expect("reads", kDone, opening(below + "file", O_RDONLY));
    findings.expect("makes", kDone, opening(below + "new", O_RDWR | O_CREAT | O_EXCL));
    findings.expect("cuts", kDone, came_to(::truncate((below + "new").c_str(), 100)));
    findings.expect("makes a directory", kDone, came_to(::mkdir((below + "d").c_str(), 0700)));
    findings.expect("makes a link", kDone, came_to(::symlink("x", (below + "s").c_str())));
    findings.expect("renames into another directory", kDone,
                    came_to(::rename((below + "new").c_str(), (below + "d/new").c_str())));
    findings.expect("sets a mode", kDone, came_to(::chmod((below + "d/new").c_str(), 0640)));
    findings.expect("lists", kDone, opening(below + "d", O_RDONLY | O_DIRECTORY));
    findings.expect("removes", kDone, came_to(::unlink((below + "d/new").c_str())));
    findings.expect("removes a link", kDone, came_to(::unlink((below + "s").c_str())));
    findings.expect("removes a directory", kDone, came_to(::rmdir((below + "d").c_str())));
  }

  void expect_nothing_outside(Findings& findings) const {
    const std::string outside = root_ / "outside/";
    const std::string below = root_ / "below/";
    findings.expect("writes outside", kDenied, opening(outside + "file", O_WRONLY));
    findings.expect("writes through a link", kDenied, opening(below + "link/file", O_WRONLY));
    findings.expect("makes outside", kDenied, opening(outside + "new", O_WRONLY | O_CREAT));
    findings.expect("removes outside", kDenied, came_to(::unlink((outside + "file").c_str())));
    findings.expect("makes a directory outside", kDenied,
                    came_to(::mkdir((outside + "d").c_str(), 0700)));
    findings.expect("renames to the outside", kDenied,
                    came_to(::rename((below + "sub/file").c_str(), (outside + "moved").c_str())));
    if (kSanitized) return;
    findings.expect("reads outside", kDenied, opening(outside + "file", O_RDONLY));
    findings.expect("reads /etc/passwd", kDenied, opening("/etc/passwd", O_RDONLY));
    findings.expect("lists /", kDenied, opening("/", O_RDONLY | O_DIRECTORY));
  }

  void expect_no_dangerous_calls(Findings& findings) const {
    const std::string below = root_ / "below/";
    findings.expect("opens a socket", kNotPermitted, came_to(::socket(AF_INET, SOCK_STREAM, 0)));
    findings.expect("opens a raw socket", kNotPermitted, came_to(::socket(AF_PACKET, SOCK_RAW, 0)));
    findings.expect("becomes another user", kNotPermitted,
                    came_to(::syscall(SYS_setuid, ::getuid())));
    findings.expect("mounts", kNotPermitted,
                    came_to(::mount("none", below.c_str(), "tmpfs", 0, nullptr)));
    findings.expect("unshares", kNotPermitted, came_to(::unshare(CLONE_NEWNS)));
    findings.expect("makes a FIFO", kNotPermitted, came_to(::mkfifo((below + "p").c_str(), 0600)));
    findings.expect("makes a device", kNotPermitted,
                    came_to(::mknod((below + "n").c_str(), S_IFCHR | 0600, 0x103)));
    findings.expect("makes a socket file", kNotPermitted,
                    came_to(::mknod((below + "u").c_str(), S_IFSOCK | 0600, 0)));
    findings.expect("loads code", kNotPermitted, came_to(::syscall(SYS_bpf, 0, nullptr, 0)));
    expect_no_dangerous_arguments(findings);
    if (kSanitized) return;
    char* arguments[] = {nullptr};
    findings.expect("runs a program", kNotPermitted,
                    came_to(::execve("/bin/true", arguments, arguments)));
    findings.expect("traces", kNotPermitted,
                    came_to(::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr)));
  }

  void expect_no_dangerous_arguments(Findings& findings) const {
    const int fd = ::open((root_ / "below/file").c_str(), O_RDONLY);
    const auto control = [fd](unsigned long request) {
      char letter = 'x';
      return came_to(::syscall(SYS_ioctl, fd, request, &letter));
    };
    constexpr unsigned long kAbove32Bits = 1UL << 32;
    findings.expect("types into a terminal", kNotPermitted, control(TIOCSTI));
    findings.expect("the same with bits on top", kNotPermitted, control(TIOCSTI | kAbove32Bits));
    findings.expect("pastes into a terminal", kNotPermitted, control(0x541c));  // TIOCLINUX
    findings.expect("takes a terminal", kNotPermitted, control(TIOCSCTTY));
    findings.expect("asks a file for its flags", kNotPermitted, control(0x80086601));
    int waiting = 0;
    findings.expect("asks what can be read", kDone, came_to(::ioctl(fd, FIONREAD, &waiting)));
    ::close(fd);
    for (const int flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET})
      findings.expect("clones into a namespace", kNotPermitted,
                      came_to(::syscall(SYS_clone, flag | SIGCHLD, nullptr, nullptr, nullptr, 0)));
    findings.expect("clones in the new way", "function not implemented",
                    came_to(::syscall(SYS_clone3, nullptr, 0)));
    findings.expect("unshares its user", kNotPermitted, came_to(::unshare(CLONE_NEWUSER)));
    findings.expect("kills", kNotPermitted, came_to(::kill(::getppid(), 0)));
    findings.expect("kills a thread", kNotPermitted,
                    came_to(::syscall(SYS_tgkill, ::getppid(), ::getppid(), 0)));
    findings.expect("kills itself", kDone, came_to(::kill(::getpid(), 0)));
    findings.expect("signals itself", kDone,
                    came_to(::syscall(SYS_tgkill, ::getpid(), ::gettid(), 0)));
    rlimit limit{};
    findings.expect("asks for its limits", kDone, came_to(::getrlimit(RLIMIT_NOFILE, &limit)));
    findings.expect("changes another's limits", kNotPermitted,
                    came_to(::prlimit(::getppid(), RLIMIT_NOFILE, &limit, nullptr)));
    findings.expect("shares memory", kNotPermitted, came_to(::shmget(IPC_PRIVATE, 1, 0600)));
    if (!kSanitized)
      findings.expect("lets others look", kNotPermitted,
                      came_to(::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)));
  }

  /// Installs a filter that makes the kernel look as if it had no such call, or not with this first
  /// argument.
  static void pretend_to_lack(int call, int error_number, std::vector<scmp_arg_cmp> first = {}) {
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    const scmp_filter_ctx filter = ::seccomp_init(SCMP_ACT_ALLOW);
    ::seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(static_cast<unsigned>(error_number)), call,
                             static_cast<unsigned>(first.size()), first.data());
    ::seccomp_load(filter);
    ::seccomp_release(filter);
  }

  testkit::TemporaryDirectory root_;
};

TEST_F(SandboxTest, AReceiversWorkGoesOnAndNothingElse) {
  // Goal: all means that this kernel has together; a thread that is started later is held as well.
  in_a_process([this](Findings& findings) {
    const Sandbox sandbox = confine_to(root_ / "below");
    expect_work_below(findings);
    std::jthread([&] {
      expect_work_below(findings);
      if (sandbox.landlock != 0) expect_nothing_outside(findings);
      if (sandbox.dangerous_calls_refused) expect_no_dangerous_calls(findings);
    }).join();
    findings.expect("no new privileges", "1",
                    std::to_string(::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)));
    findings.expect("says so", "1", std::to_string(sandbox.no_new_privileges));
  });
}

TEST_F(SandboxTest, EachVersionOfLandlockHolds) {
  // Goal: from the oldest that is of use to this kernel's, so that older kernels are proved here.
  const int newest = landlock_version();
  if (newest < kOldestLandlock) {
    EXPECT_FALSE(landlock_below(root_ / "below", kOldestLandlock)) << "this kernel has none of use";
  }
  for (int version = kOldestLandlock; version <= newest; ++version) {
    SCOPED_TRACE(version);
    in_a_process([&](Findings& findings) {
      ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
      const int before = ::socket(AF_INET, SOCK_STREAM, 0);
      findings.expect("is in force", "1", std::to_string(landlock_below(root_ / "below", version)));
      expect_work_below(findings);
      expect_nothing_outside(findings);
      sockaddr_in anywhere{};
      anywhere.sin_family = AF_INET;
      const auto* const address = reinterpret_cast<const sockaddr*>(&anywhere);
      findings.expect("opens a port", version < 4 ? kDone : kDenied,
                      came_to(::bind(before, address, sizeof(anywhere))));
    });
  }
}

TEST_F(SandboxTest, ASenderReadsWhatWasAskedForAndChangesNothing) {
  // Goal: all that is outside is out of reach, also through a link in what was asked for, and of
  // what is inside nothing is changed; only where it keeps something it writes.
  fs::create_directory(root_ / "kept");
  in_a_process([this](Findings& findings) {
    const std::string below = root_ / "below/";
    const Sandbox sandbox = confine_to_reading({.paths = {below}, .writes_below = root_ / "kept"});
    findings.expect("reads", kDone, opening(below + "sub/file", O_RDONLY));
    findings.expect("lists", kDone, opening(below + "sub", O_RDONLY | O_DIRECTORY));
    findings.expect("keeps", kDone, opening(root_ / "kept/new", O_RDWR | O_CREAT | O_EXCL));
    if (sandbox.dangerous_calls_refused) expect_no_dangerous_calls(findings);
    if (sandbox.landlock == 0) return;
    expect_nothing_outside(findings);
    findings.expect("writes", kDenied, opening(below + "file", O_WRONLY));
    findings.expect("makes", kDenied, opening(below + "new", O_WRONLY | O_CREAT));
    findings.expect("removes", kDenied, came_to(::unlink((below + "file").c_str())));
    findings.expect("makes a link", kDenied, came_to(::symlink("x", (below + "s").c_str())));
  });
}

TEST_F(SandboxTest, ASenderThatFollowsLinksReadsAllAndChangesNothing) {
  // Goal: where a link may lead anywhere, reading is all that it may do there.
  in_a_process([this](Findings& findings) {
    const Sandbox sandbox = confine_to_reading({.paths = {root_ / "below"}, .reads_all = true});
    findings.expect("reads outside", kDone, opening(root_ / "below/link/file", O_RDONLY));
    if (sandbox.landlock == 0) return;
    findings.expect("writes outside", kDenied, opening(root_ / "outside/file", O_WRONLY));
    findings.expect("writes inside", kDenied, opening(root_ / "below/file", O_WRONLY));
  });
}

TEST_F(SandboxTest, AKernelWithoutLandlockIsHeldByTheRest) {
  // Goal: missing, switched off, or too old to be of use: told, and no error.
  for (const int error_number : {ENOSYS, EOPNOTSUPP}) {
    in_a_process([&](Findings& findings) {
      pretend_to_lack(__NR_landlock_create_ruleset, error_number);
      const Sandbox sandbox = confine_to(root_ / "below");
      findings.expect("version", "0", std::to_string(sandbox.landlock));
      const bool told = sandbox.summary("out").find("no Landlock") != std::string::npos;
      findings.expect("is told", "1", std::to_string(told));
      expect_work_below(findings);
      expect_no_dangerous_calls(findings);
    });
  }
  EXPECT_FALSE(landlock_below(root_ / "below", kOldestLandlock - 1));
  EXPECT_FALSE(landlock_below(root_ / "below", 0));
}

TEST_F(SandboxTest, AKernelWithoutFiltersIsHeldByTheRest) {
  // Goal: the same for seccomp.
  in_a_process([this](Findings& findings) {
    pretend_to_lack(__NR_prctl, EINVAL, {{0, SCMP_CMP_EQ, PR_SET_SECCOMP, 0}});
    pretend_to_lack(__NR_seccomp, ENOSYS);
    const Sandbox sandbox = confine_to(root_ / "below");
    findings.expect("filter", "0", std::to_string(sandbox.dangerous_calls_refused));
    const bool told = sandbox.summary("out").find("no seccomp") != std::string::npos;
    findings.expect("is told", "1", std::to_string(told));
    expect_work_below(findings);
    if (sandbox.landlock != 0) expect_nothing_outside(findings);
  });
}

TEST_F(SandboxTest, TheSummaryNamesWhatHoldsAndWhatIsMissing) {
  // Goal: nobody takes a kernel without means for one with them.
  EXPECT_EQ((Sandbox{true, true, 4}.summary("in box")),
            "this process reads and writes nothing outside of 'in box' and opens no connections "
            "(Landlock 4); it runs no program, opens no socket, becomes no other user (seccomp); "
            "it gains no privileges");
  EXPECT_EQ((Sandbox{}.summary("inbox")),
            "this process is not held to inbox by the kernel, which has no Landlock of use; there "
            "is no seccomp to refuse dangerous system calls; it may gain privileges");
}

}  // namespace
}  // namespace adoc
