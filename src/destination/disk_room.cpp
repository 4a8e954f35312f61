#include "destination/disk_room.hpp"

#include <sys/statvfs.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace adoc {

namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMostKeptFree = 256 << 20;
constexpr std::uint64_t kPartKeptFree = 100;

std::uint64_t less(std::uint64_t from, std::uint64_t amount) noexcept {
  return from - std::min(from, amount);
}

}  // namespace

DiskRoom::Claim::Claim(Claim&& other) noexcept
    : room_(other.room_),
      only_asks_(other.only_asks_),
      promised_(std::exchange(other.promised_, 0)),
      promised_files_(std::exchange(other.promised_files_, 0)),
      free_(other.free_) {}

DiskRoom::Claim::~Claim() {
  if (only_asks_) return;
  room_->promised_ -= promised_;
  room_->promised_files_ -= promised_files_;
}

std::optional<Error> DiskRoom::Claim::add(std::uint64_t bytes) {
  if (!free_) free_ = room_->look();
  if (free_->files <= room_->promised_files_ + (only_asks_ ? promised_files_ : 0))
    return Error(ErrorKind::local_file,
                 "no space left for it: the file system has no room for more files");
  const std::uint64_t room = less(free_->bytes, only_asks_ ? promised_ : 0);
  std::uint64_t promised = room_->promised_;
  while (!only_asks_ && bytes <= less(room, promised) &&
         !room_->promised_.compare_exchange_weak(promised, promised + bytes)) {
  }
  const std::uint64_t left = less(room, promised);
  if (bytes > left) return room_->no_space(bytes, left);
  promised_ += bytes;
  ++promised_files_;
  if (!only_asks_) ++room_->promised_files_;
  return std::nullopt;
}

void DiskRoom::Claim::used(std::uint64_t bytes) noexcept {
  const std::uint64_t part = std::min(bytes, promised_);
  promised_ -= part;
  if (!only_asks_) room_->promised_ -= part;
}

Error DiskRoom::no_space(std::uint64_t bytes, std::uint64_t left) const {
  const std::string why = "no space left for it: it takes " + std::to_string(bytes) +
                          " bytes, and " + std::to_string(left) +
                          " are free, beside what other entries need";
  if (min_free_ == 0) return {ErrorKind::local_file, why};
  return {ErrorKind::local_file, why + " and what is kept free", Hint::lower_min_free};
}

DiskRoom::Claim::Free DiskRoom::look() const noexcept {
  struct statvfs status {};
  // A file system that does not tell has what comes; what does not fit fails when it is written.
  if (::fstatvfs(destination_->get(), &status) != 0 || status.f_blocks == 0)
    return {kNoLimit, kNoLimit};
  const std::uint64_t whole = status.f_blocks * status.f_frsize;
  const std::uint64_t kept = min_free_.value_or(std::min(whole / kPartKeptFree, kMostKeptFree));
  return {.bytes = less(status.f_bavail * status.f_frsize, kept),
          .files = status.f_files == 0 ? kNoLimit
                                       : less(status.f_favail,
                                              min_free_ == 0 ? 0 : status.f_files / kPartKeptFree)};
}

}  // namespace adoc
