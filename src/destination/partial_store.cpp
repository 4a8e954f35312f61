#include "destination/partial_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

#include "destination/own_directory.hpp"
#include "util/checksum.hpp"
#include "util/own_permissions.hpp"

namespace adoc {

namespace {

constexpr int kFileFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

constexpr std::chrono::milliseconds kLockPause{20};

struct Names {
  std::string data;
  std::string journal;
};

Names names_of(const Entry& entry) {
  const std::string name = kept_name(entry);
  return {name + std::string(kPartialSuffix), name + std::string(kJournalSuffix)};
}

}  // namespace

std::string kept_name(const Entry& entry) {
  std::string name(kTemporaryPrefix);
  for (const std::byte byte : xxh3_128(as_byte_span(entry.name.str()))) {
    static constexpr char kDigits[] = "0123456789abcdef";
    name += kDigits[std::to_integer<unsigned>(byte) >> 4];
    name += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return name;
}

bool PartialStore::open(bool make) {
  if (own_) return true;
  if (unusable_) return false;
  OwnDirectory opened = open_own_directory(destination_, make);
  unusable_ = !opened.trouble.empty();
  own_ = std::move(opened.directory);
  struct stat status {};
  if (own_ && ::fstat(own_->get(), &status) == 0) device_ = status.st_dev;
  return own_ != nullptr;
}

DirectoryPtr PartialStore::place_for(const DirectoryPtr& directory) {
  struct stat status {};
  if (::fstat(directory->get(), &status) != 0 || !open(true) || status.st_dev != device_)
    return directory;
  return own_;
}

std::optional<PartialStore::Partial> PartialStore::find_now(const Entry& entry) {
  errno = ENOENT;
  if (!open(false)) return std::nullopt;
  Names names = names_of(entry);
  Fd file(::openat(own_->get(), names.data.c_str(), kFileFlags));
  // Killed at its end it has the mode that it was to have.
  if (!file && errno == EACCES && permit_owner(own_->get(), names.data, S_IRUSR | S_IWUSR))
    file = Fd(::openat(own_->get(), names.data.c_str(), kFileFlags));
  if (!file) return std::nullopt;
  errno = EWOULDBLOCK;
  if (!lock_named(own_, names.data, file)) return std::nullopt;
  return Partial{{own_, std::move(names.data), std::move(file)}, std::move(names.journal)};
}

std::optional<PartialStore::Partial> PartialStore::find(const Entry& entry) {
  auto found = find_now(entry);
  for (; !found && errno == EWOULDBLOCK && patience_ > patience_.zero(); patience_ -= kLockPause) {
    if (stop_.stop_requested()) throw Error(ErrorKind::interrupted, "interrupted");
    std::this_thread::sleep_for(kLockPause);
    found = find_now(entry);
  }
  return found;
}

std::optional<PartialStore::Partial> PartialStore::make(const Entry& entry,
                                                        const DirectoryPtr& place) {
  if (!own_ || place != own_) return std::nullopt;
  Names names = names_of(entry);
  Fd file(::openat(own_->get(), names.data.c_str(), kFileFlags | O_CREAT | O_EXCL, 0600));
  if (!file || !lock_named(own_, names.data, file)) return std::nullopt;
  return Partial{{own_, std::move(names.data), std::move(file)}, std::move(names.journal)};
}

void PartialStore::discard(const Entry& entry) noexcept {
  try {
    if (const auto partial = find_now(entry)) adoc::discard(*partial);
    if (!own_) return;
    const std::string name = kept_name(entry);
    const std::string shared = name + std::string(kSharedSuffix);
    struct stat status {};
    const Fd file = open_for_reading(own_->get(), shared, status);
    if (!file || !lock_named(own_, shared, file)) return;
    ::unlinkat(own_->get(), (name + std::string(kPiecesSuffix)).c_str(), 0);
    ::unlinkat(own_->get(), shared.c_str(), 0);
  } catch (const std::bad_alloc&) {
    // Then it is found by the next one that looks.
  }
}

void discard(const PartialStore::Partial& partial) noexcept {
  const int place = partial.data.place->get();
  ::unlinkat(place, partial.journal.c_str(), 0);
  ::unlinkat(place, partial.data.name.c_str(), 0);
}

}  // namespace adoc
