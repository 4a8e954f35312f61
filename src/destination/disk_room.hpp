#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "adoc/error.hpp"
#include "util/atomic_file.hpp"

namespace adoc {

/// The free space of the destination's file system, and how much of it is promised to entries whose
/// data is still to come. Shared by all transfers, from any thread. File systems that are mounted
/// further down are not looked at: what does not fit there fails when it is written.
class DiskRoom {
 public:
  /// `min_free` bytes stay free; absent: a hundredth of the file system, at most 256 MiB.
  DiskRoom(DirectoryPtr destination, std::optional<std::uint64_t> min_free)
      : destination_(std::move(destination)), min_free_(min_free) {}

  /// What is promised to one batch and not written yet; given back when it is destroyed. Used by
  /// one thread at a time, destroyed before the room.
  class Claim {
   public:
    /// One that `only_asks`, as a dry run does, is in nobody's way: it adds up what it asked for,
    /// and nothing is promised.
    explicit Claim(DiskRoom& room, bool only_asks = false) noexcept
        : room_(&room), only_asks_(only_asks) {}
    Claim(Claim&& other) noexcept;
    Claim& operator=(Claim&&) = delete;
    ~Claim();

    /// Asks for this much and for one more file. Nothing when it is promised, else why it is not.
    [[nodiscard]] std::optional<Error> add(std::uint64_t bytes);
    [[nodiscard]] bool only_asks() const noexcept { return only_asks_; }
    [[nodiscard]] bool holds(std::uint64_t bytes) const noexcept { return promised_ >= bytes; }
    /// So much is written: what is free on the file system shows it from now on.
    void used(std::uint64_t bytes) noexcept;
    /// Forgets what the file system was found to have: after some time others have written there.
    void look_again() noexcept { free_.reset(); }

   private:
    struct Free {
      std::uint64_t bytes = 0;
      std::uint64_t files = 0;
    };
    friend class DiskRoom;

    DiskRoom* room_;
    bool only_asks_;
    std::uint64_t promised_ = 0;
    std::uint64_t promised_files_ = 0;  ///< also those that are made: a few too many for a while
    std::optional<Free> free_{};        ///< beside what is to stay free; looked at once for a batch
  };

 private:
  [[nodiscard]] Claim::Free look() const noexcept;
  [[nodiscard]] Error no_space(std::uint64_t bytes, std::uint64_t left) const;

  DirectoryPtr destination_;
  std::optional<std::uint64_t> min_free_;
  std::atomic<std::uint64_t> promised_{0};
  std::atomic<std::uint64_t> promised_files_{0};
};

}  // namespace adoc
