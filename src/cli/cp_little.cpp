#include "cli/cp_little.hpp"

#include <cstdint>
#include <filesystem>
#include <system_error>

namespace adoc::cli {

namespace {

namespace fs = std::filesystem;

/// Half of ssh's window, and what a link of 100 Mbit/s takes in a tenth of a second.
constexpr std::uintmax_t kLittleBytes = 1 << 20;
constexpr unsigned kLittleEntries = 256;

/// What is left of both.
class Allowance {
 public:
  /// False when it is used up, or cannot be known.
  bool take(const fs::directory_entry& entry, bool follows) {
    std::error_code error;
    if (++entries_ > kLittleEntries) return false;
    if (follows && entry.is_symlink(error)) return false;
    const fs::file_status status = entry.symlink_status(error);
    if (error || !fs::is_regular_file(status)) return !error;
    const std::uintmax_t size = entry.file_size(error);
    if (error || size > bytes_) return false;
    bytes_ -= size;
    return true;
  }

 private:
  unsigned entries_ = 0;
  std::uintmax_t bytes_ = kLittleBytes;
};

}  // namespace

bool is_little(const std::vector<std::string>& paths, const SendOptions& options) {
  Allowance left;
  for (const std::string& path : paths) {
    std::error_code error;
    // A link that is named may be followed; one that leads nowhere is told of by who sends it.
    const fs::path real = options.copy_links ? fs::canonical(path, error) : fs::path(path);
    const fs::directory_entry named(real, error);
    if (error || !left.take(named, false)) return false;
    if (!options.recursive || !fs::is_directory(named.symlink_status(error))) continue;
    fs::recursive_directory_iterator entry(real, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
      if (!left.take(*entry, options.copy_links)) return false;
    if (error) return false;
  }
  return true;
}

}  // namespace adoc::cli
