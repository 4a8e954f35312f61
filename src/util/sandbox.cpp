#include "util/sandbox.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <exception>

#include "util/call_argument_filter.hpp"
#include "util/landlock.hpp"
#include "util/safe_name.hpp"
#include "util/system_call_filter.hpp"

namespace adoc {

namespace {

/// The newest whose rights are known here.
constexpr int kNewestLandlock = 6;
constexpr int kLandlockWithNetwork = 4;

template <typename HoldToFiles>
Sandbox confine(HoldToFiles hold_to_files) noexcept {
  Sandbox sandbox;
  sandbox.no_new_privileges = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  const int version = std::min(landlock_version(), kNewestLandlock);
  if (hold_to_files(version)) sandbox.landlock = version;
  sandbox.dangerous_calls_refused = refuse_dangerous_calls() && refuse_dangerous_arguments();
  return sandbox;
}

}  // namespace

std::string Sandbox::summary(const std::string& directory) const {
  std::string text = "this process ";
  if (landlock == 0)
    text += "is not held to " + adoc::quoted(directory) +
            " by the kernel, which has no Landlock of use";
  else
    text += "reads and writes nothing outside of " + adoc::quoted(directory) +
            (landlock >= kLandlockWithNetwork ? " and opens no connections" : "") + " (Landlock " +
            std::to_string(landlock) + ")";
  text += dangerous_calls_refused ? "; it runs no program, opens no socket, becomes no other user "
                                    "(seccomp)"
                                  : "; there is no seccomp to refuse dangerous system calls";
  text += no_new_privileges ? "; it gains no privileges" : "; it may gain privileges";
  return text;
}

Sandbox confine_to(const std::string& directory) noexcept {
  return confine([&](int version) { return landlock_below(directory, version); });
}

Sandbox confine_to_reading(const ReadingRights& rights) noexcept {
  return confine([&](int version) noexcept {
    try {
      std::vector<FileRight> files;
      if (rights.reads_all) files.push_back({.path = "/"});
      for (const std::string& path : rights.paths) files.push_back({.path = path});
      if (!rights.writes_below.empty())
        files.push_back({.path = rights.writes_below, .writes = true});
      return landlock_to(files, version);
    } catch (const std::exception&) {
      return false;
    }
  });
}

}  // namespace adoc
