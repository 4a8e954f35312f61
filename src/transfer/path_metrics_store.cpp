#include "transfer/path_metrics_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "adoc/send.hpp"
#include "transfer/path_metrics_text.hpp"
#include "util/atomic_file.hpp"
#include "util/user_directory.hpp"

namespace adoc {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kKeptFor{30 * 24};
constexpr std::size_t kMostLinks = 256;
constexpr std::size_t kMostFileBytes = 64 << 10;

bool is_name(const std::string& link) {
  return !link.empty() && link.front() != '.' && link.find('/') == std::string::npos;
}

// Not by a stream, which would first make what a program's first stream needs: 0.2 ms.
std::string read_whole(const fs::path& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(kMostFileBytes, '\0');
  const ssize_t length = ::read(file.get(), text.data(), text.size());
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  return text;
}

// For this user alone: it tells where files were sent.
DirectoryPtr open_directory(const std::string& path) {
  std::error_code failure;
  fs::create_directories(fs::path(path).parent_path(), failure);
  ::mkdir(path.c_str(), 0700);
  return std::make_shared<const Fd>(::open(path.c_str(), O_DIRECTORY | O_RDONLY | O_CLOEXEC));
}

void forget_oldest(const std::string& directory) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const auto& entry : fs::directory_iterator(directory))
    files.emplace_back(entry.last_write_time(), entry.path());
  if (files.size() <= kMostLinks) return;
  std::ranges::sort(files);
  for (std::size_t i = 0; i < files.size() - kMostLinks; ++i) fs::remove(files[i].second);
}

}  // namespace

std::optional<PathMetrics> PathMetricsStore::find(const std::string& link,
                                                  const Ladder& ladder) const noexcept try {
  if (directory_.empty() || !is_name(link)) return std::nullopt;
  const fs::path path = fs::path(directory_) / link;
  if (!fs::is_regular_file(path)) return std::nullopt;
  if (fs::file_time_type::clock::now() - fs::last_write_time(path) > kKeptFor) return std::nullopt;
  return decode_path_metrics(read_whole(path), ladder);
} catch (const std::exception&) {
  return std::nullopt;
}

void PathMetricsStore::keep(const std::string& link, const PathMetrics& path_metrics,
                            const Ladder& ladder) const noexcept try {
  if (directory_.empty() || !is_name(link)) return;
  const DirectoryPtr directory = open_directory(directory_);
  if (!*directory) return;
  const bool one_more = ::faccessat(directory->get(), link.c_str(), F_OK, 0) != 0;
  AtomicFile file = AtomicFile::create(directory);
  const std::string text = encode(path_metrics, ladder);
  file.write(0, std::as_bytes(std::span(text)));
  static_cast<void>(file.publish(link));
  if (one_more) forget_oldest(directory_);
} catch (const std::exception&) {
  // It is learned anew the next time.
}

std::string default_path_metrics_directory() {
  const std::string cache = user_directory("XDG_CACHE_HOME", ".cache");
  return cache.empty() ? cache : cache + "/adoc/links";
}

}  // namespace adoc
