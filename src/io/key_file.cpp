#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "adoc/error.hpp"
#include "adoc/key.hpp"
#include "util/errno_error.hpp"
#include "util/fd.hpp"
#include "util/safe_name.hpp"
#include "util/user_directory.hpp"

namespace adoc {

namespace {

/// More than a key has, so that something else is told from one.
constexpr std::size_t kMostFileBytes = 256;

[[noreturn]] void fail(std::string_view action, const std::string& path) {
  throw errno_error(ErrorKind::local_file, std::string(action) + " " + path, errno);
}

[[noreturn]] void refuse_file(const std::string& path, const std::string& why,
                              Hint hint = Hint::none) {
  throw Error(ErrorKind::local_file, "the key file " + path + " " + why, hint);
}

/// In words that the shell takes as they are.
std::string word(const std::string& path) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
  return path.find_first_not_of(kPlain) == std::string::npos ? path : adoc::quoted(path);
}

// Of the file that is open: what has its name may be another one by now.
void check_rights(const Fd& file, const std::string& path) {
  struct stat is {};
  if (::fstat(file.get(), &is) != 0) fail("look at the key file", path);
  if (S_ISDIR(is.st_mode)) refuse_file(path, "is a directory");
  if (is.st_uid != ::geteuid())
    refuse_file(path,
                "belongs to another user, who knows the key: chown " + std::to_string(::geteuid()) +
                    " " + word(path) + ", or have the receiver make a new one",
                Hint::make_new_key);
  if ((is.st_mode & 077) != 0)
    refuse_file(path,
                "can be read or written by other users: chmod 600 " + word(path) +
                    ", and if one of them may have read it, have the receiver make a new "
                    "one",
                Hint::make_new_key);
}

/// A file with a key beside `path`, on the disk; removed again unless it got its own name.
class NewKeyFile {
 public:
  NewKeyFile(const std::string& path, const Key& key) {
    std::uint64_t random = 0;
    if (::getrandom(&random, sizeof(random), 0) != sizeof(random)) fail("name", path);
    const std::filesystem::path directory = std::filesystem::path(path).parent_path();
    // With a dot in front, which no host has.
    path_ = directory / (".new-" + std::to_string(random));
    const Fd file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file) {
      const int error_number = errno;
      path_.clear();
      throw errno_error(ErrorKind::local_file, "make the key file " + path, error_number);
    }
    std::string text = key.text() + "\n";
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    const bool whole = written == static_cast<ssize_t>(text.size());
    ::OPENSSL_cleanse(text.data(), text.size());
    if (!whole || ::fsync(file.get()) != 0) {
      const int error_number = errno;
      discard();
      throw errno_error(ErrorKind::local_file, "write the key file " + path, error_number);
    }
  }
  NewKeyFile(const NewKeyFile&) = delete;
  NewKeyFile& operator=(const NewKeyFile&) = delete;
  ~NewKeyFile() { discard(); }

  /// False when there is a file of this name already.
  [[nodiscard]] bool take_free_name(const std::string& path) const {
    if (::link(path_.c_str(), path.c_str()) == 0) return true;
    if (errno != EEXIST) fail("make the key file", path);
    return false;
  }
  void take_name(const std::string& path) {
    if (::rename(path_.c_str(), path.c_str()) != 0) fail("replace the key file", path);
    path_.clear();
  }

 private:
  void discard() const noexcept {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  std::string path_;
};

/// Directories that are not there are made for this user alone.
void make_directory_of(const std::string& path) {
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  std::filesystem::path made;
  for (const auto& part : directory) {
    made /= part;
    if (::mkdir(made.c_str(), 0700) != 0 && errno != EEXIST && errno != EROFS && errno != EACCES)
      fail("make the directory", made);
  }
}

}  // namespace

std::string default_key_file() {
  const std::string config = user_directory("XDG_CONFIG_HOME", ".config");
  if (config.empty())
    throw Error(
        ErrorKind::local_file,
        "there is no place for the key: HOME is not set, and the password database knows no "
        "home of this user",
        Hint::choose_key_file);
  return config + "/adoc/key";
}

std::optional<Key> read_key_file(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (!file) fail("read the key file", path);
  check_rights(file, path);
  std::array<char, kMostFileBytes> text{};
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read the key file", path);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  const auto wipe = [&] { ::OPENSSL_cleanse(text.data(), text.size()); };
  try {
    const Key key = Key::parse({text.data(), size});
    wipe();
    return key;
  } catch (const Error& error) {
    wipe();
    refuse_file(path, std::string("cannot be used: ") + error.what());
  }
}

KeptKey read_or_make_key_file(const std::string& path) {
  if (const auto key = read_key_file(path)) return {*key};
  make_directory_of(path);
  const Key key = Key::generate();
  const NewKeyFile made(path, key);
  if (made.take_free_name(path)) return {key, true};
  // Another receiver was first: its key counts.
  if (const auto theirs = read_key_file(path)) return {*theirs};
  refuse_file(path, "was removed while it was being read");
}

Key replace_key_file(const std::string& path) {
  const Key key = Key::generate();
  write_key_file(path, key);
  return key;
}

void write_key_file(const std::string& path, const Key& key) {
  make_directory_of(path);
  NewKeyFile made(path, key);
  made.take_name(path);
}

}  // namespace adoc
