#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adoc/options.hpp"
#include "destination/disk_room.hpp"
#include "destination/kept_metadata.hpp"
#include "wire/entry.hpp"
#include "wire/offer.hpp"
#include "wire/stream_layout.hpp"

namespace adoc {

/// What one transfer may take, decided entry by entry before anything is written. Offers are judged
/// by one thread; what is counted while it comes, by any.
class Intake {
 public:
  /// The room outlives it, and so do the ids; null: as for MetadataRights.
  Intake(const ReceiveOptions& options, DiskRoom& room, const OwnerIds* ids = nullptr)
      : options_(options), room_(room), rights_(ids, options.keep_special_bits) {}

  /// Throws Error(corrupt) when it is not how the entries were asked for.
  void expect(const Offer& offer) const;
  /// Counts the entries of an offer. Throws what ends the transfer: Error(local_file) when there
  /// are more than it may have, Error(corrupt) for one that was not asked for.
  void count(const std::vector<Entry>& entries);
  /// A directory is about to be made: the entry of its own comes later, if at all. Throws
  /// Error(local_file) when that would be one entry too many, or there is no room for it.
  void expect_directory();
  /// It was not made after all.
  void no_directory() noexcept;
  /// Takes the bits that are not kept from its mode: the set-uid, set-gid and sticky bits of a
  /// file, and the first two of a directory. A sticky one only restricts whom it is open to. And
  /// what this receiver does not set from its metadata.
  void trim(Entry& entry);
  /// Why an entry that would be written is refused, or nothing. Claims the room for what is to come
  /// of it, its pieces of the stream.
  [[nodiscard]] std::optional<std::string> objection(const Entry& entry, const EntryPieces& pieces,
                                                     DiskRoom::Claim& claim);
  /// The next `bytes` of an entry of unknown size are written. Throws Error(local_file) when they
  /// are more than the transfer may have or than there is room for.
  void expect_room(std::uint64_t bytes, DiskRoom::Claim& claim);

  [[nodiscard]] DiskRoom::Claim claim(bool only_asks = false) noexcept {
    return DiskRoom::Claim(room_, only_asks);
  }
  [[nodiscard]] const MetadataRights& rights() const noexcept { return rights_; }
  /// Whether a directory is to have just the mode that was sent; else it keeps a set-gid bit that
  /// it has from its parent.
  [[nodiscard]] bool keeps_special_bits() const noexcept { return options_.keep_special_bits; }
  /// Whether a sender may have directories replaced by files, and the reverse.
  [[nodiscard]] bool allows_force() const noexcept { return options_.allow_force; }
  /// Whether one that was counted has a size that is not known before its end.
  [[nodiscard]] bool has_stream() const noexcept { return has_stream_; }
  /// Entries that trim() has changed.
  [[nodiscard]] std::uint64_t trimmed() const noexcept { return trimmed_; }

 private:
  void expect(const Entry& entry) const;
  [[nodiscard]] std::string words_of(const Error& error) const;
  [[nodiscard]] std::optional<std::string> words_of(const std::optional<Error>& error) const;
  [[noreturn]] void fail(const Error& error) const;
  [[nodiscard]] bool take_bytes(std::uint64_t bytes) noexcept;
  void give_bytes_back(std::uint64_t bytes) noexcept;

  const ReceiveOptions& options_;
  DiskRoom& room_;
  MetadataRights rights_;
  [[nodiscard]] bool too_many() const noexcept;

  std::atomic<std::uint64_t> others_{0};            ///< entries but for directories
  std::atomic<std::uint64_t> directories_{0};       ///< entries
  std::atomic<std::uint64_t> made_directories_{0};  ///< of these, and those that names imply
  std::uint64_t trimmed_ = 0;
  bool has_stream_ = false;
  std::atomic<std::uint64_t> bytes_{0};
};

}  // namespace adoc
