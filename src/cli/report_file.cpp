#include "cli/report_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>

#include "adoc/error.hpp"
#include "cli/standard_streams.hpp"
#include "util/errno_error.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {
namespace {

Error cannot_write_report(const std::string& path, const std::string& why) {
  return Error(ErrorKind::local_file, "cannot write the report " + adoc::quoted(path) + ": " + why);
}

/// What a link leads to; the path itself if nothing is there.
std::string target_of(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? real.get() : path;
}

mode_t mode_of_new_files() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

ReportFile::ReportFile(const std::string& path) : path_(path), mode_(mode_of_new_files()) {
  const std::string target = target_of(path);
  const std::size_t slash = target.rfind('/');
  name_ = target.substr(slash == std::string::npos ? 0 : slash + 1);
  const std::string directory = slash == std::string::npos ? "." : target.substr(0, slash + 1);
  struct stat status {};
  const bool is_there = ::stat(target.c_str(), &status) == 0;
  if ((is_there && S_ISDIR(status.st_mode)) || name_.empty())
    throw cannot_write_report(path_, errno_text(EISDIR));
  if (is_there && !S_ISREG(status.st_mode)) {
    special_ = Fd(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
    if (!special_) throw cannot_write_report(path_, errno_text(errno));
    return;
  }
  if (is_there) mode_ = status.st_mode & 07777;
  Fd opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) throw cannot_write_report(path_, errno_text(errno));
  directory_ = std::make_shared<const Fd>(std::move(opened));
  try {
    AtomicFile::create(directory_).discard();
  } catch (const Error& error) {
    throw cannot_write_report(path_, error.what());
  }
}

void ReportFile::write(std::string_view text) {
  if (special_) {
    if (const int error = write_all(special_.get(), text); error != 0)
      throw cannot_write_report(path_, errno_text(error));
    return;
  }
  try {
    AtomicFile file = AtomicFile::create(directory_);
    file.write(0, std::as_bytes(std::span(text)));
    if (::fchmod(file.fd(), mode_) != 0)
      throw errno_error(ErrorKind::local_file, "set its mode", errno);
    file.flush();
    static_cast<void>(file.publish(name_));
  } catch (const Error& error) {
    throw cannot_write_report(path_, error.what());
  }
}

}  // namespace adoc::cli
