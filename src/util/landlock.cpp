#include "util/landlock.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <exception>

#include "util/fd.hpp"
#include "util/sanitized.hpp"

namespace adoc {

namespace {

/// struct landlock_ruleset_attr as of version 6: the header of an older system has the first field
/// alone. An older kernel takes it as long as what it does not know is 0.
struct RulesetAttributes {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scopes = 0;
};

/// What version 1 knows, and the bit that each later version added.
constexpr std::uint64_t kFilesOfVersion1 = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
constexpr std::uint64_t kRefer = std::uint64_t{1} << 13;     // 2
constexpr std::uint64_t kTruncate = std::uint64_t{1} << 14;  // 3
constexpr std::uint64_t kDevices = std::uint64_t{1} << 15;   // 5: ioctl
constexpr std::uint64_t kBindAndConnect = 0b11;              // 4: TCP
constexpr std::uint64_t kAbstractSocketsAndSignals = 0b11;  // 6: to processes that are not confined

/// Reports of the sanitizers need files of their own.
constexpr std::uint64_t kReading =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;

constexpr std::uint64_t kNotBelow = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                    LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                    LANDLOCK_ACCESS_FS_MAKE_SOCK | kDevices;

constexpr std::uint64_t kOfFiles =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;

RulesetAttributes forbidden(int version) noexcept {
  RulesetAttributes attributes;
  attributes.files = kFilesOfVersion1;
  if (version >= 2) attributes.files |= kRefer;
  if (version >= 3) attributes.files |= kTruncate;
  if (version >= 4) attributes.network = kBindAndConnect;
  if (version >= 5) attributes.files |= kDevices;
  if (version >= 6) attributes.scopes = kAbstractSocketsAndSignals;
  if (kSanitized) attributes.files &= ~kReading;
  return attributes;
}

int restrict_self(int ruleset) noexcept {
  return static_cast<int>(::syscall(SYS_landlock_restrict_self, ruleset, 0));
}

/// Of what is no directory only the rights of a file can be given.
std::uint64_t rights_of(const FileRight& right, bool is_directory) noexcept {
  std::uint64_t rights = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  if (right.writes) rights = ~kNotBelow;
  if (!is_directory) rights &= kOfFiles;
  return rights;
}

bool add(int ruleset, const FileRight& right, std::uint64_t handled) noexcept {
  const Fd path(::open(right.path.c_str(), O_PATH | O_CLOEXEC));
  struct stat status {};
  if (!path || ::fstat(path.get(), &status) != 0) return true;
  landlock_path_beneath_attr allowed{};
  allowed.allowed_access = handled & rights_of(right, S_ISDIR(status.st_mode));
  allowed.parent_fd = path.get();
  if (allowed.allowed_access == 0) return true;
  return ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &allowed, 0) == 0;
}

}  // namespace

int landlock_version() noexcept {
  const auto version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : static_cast<int>(version);
}

bool landlock_to(const std::vector<FileRight>& rights, int version) noexcept {
  if (version < kOldestLandlock) return false;
  const RulesetAttributes attributes = forbidden(version);
  const Fd ruleset(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes), 0)));
  if (!ruleset) return false;
  for (const FileRight& right : rights)
    if (!add(ruleset.get(), right, attributes.files)) return false;
  return restrict_self(ruleset.get()) == 0;
}

bool landlock_below(const std::string& directory, int version) noexcept try {
  const Fd below(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return below && landlock_to({{.path = directory, .writes = true}}, version);
} catch (const std::exception&) {
  return false;
}

}  // namespace adoc
