#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "io/bundle_state.hpp"
#include "io/congestion.hpp"
#include "util/clock.hpp"
#include "wire/bundle_record.hpp"
#include "wire/hello.hpp"

namespace adoc {

/// One connection of a bundle: reads records from it and writes records to it, as far as that goes
/// without waiting. Used by one thread.
class BundleLink {
 public:
  static constexpr RecordPlan::Number kFirst = 0;

  /// One that joins.
  BundleLink(BundleShared& shared, JoiningStream joining, RecordPlan::Number number);
  /// The first, which somebody else owns and has written so much to.
  BundleLink(BundleShared& shared, SocketStream& first, std::uint64_t written);

  /// Of the first: from now on it has records of the peer, these before what the socket gives.
  void begin_reading(Bytes heard);
  [[nodiscard]] bool reads() const noexcept { return reads_; }

  [[nodiscard]] RecordPlan::Number number() const noexcept { return number_; }
  [[nodiscard]] SocketStream& stream() const noexcept { return *stream_; }

  /// Whether something is half written, or is to be said first.
  [[nodiscard]] bool is_writing() const noexcept {
    return record_ || said_ < words_.size() || !flushed_;
  }
  /// Of one that has joined: whether the peer has said anything that belongs to the transfer.
  [[nodiscard]] bool is_proven() const noexcept { return is_proven_; }
  /// Whether more may be here than the socket tells.
  [[nodiscard]] bool may_have_more() const noexcept { return more_; }

  /// What is here. False at the connection's end. Throws Error(connect), and Error(corrupt) when
  /// the peer breaks the protocol.
  [[nodiscard]] bool hear();
  /// Whether something came that had come before, since this was asked last: the peer does not know
  /// that it has.
  [[nodiscard]] bool heard_again() noexcept { return std::exchange(heard_again_, false); }
  [[nodiscard]] double heard_at() const noexcept { return heard_at_; }

  struct Said {
    bool record = false;
    std::uint64_t arrived = 0;  ///< what it says of the other direction
    std::uint64_t limit = 0;
  };
  /// At most one record; with `tells`, one without data when there is nothing to send. Throws
  /// Error(connect).
  Said say(double seconds, bool tells);

  /// Bytes that the stream was given.
  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }
  void note_written(std::uint64_t bytes) noexcept { written_ = bytes; }

  /// The peer's system has so many of these. Whether it has more than before.
  bool note_arrived(std::uint64_t bytes, Clock::time_point now) noexcept {
    const bool moved = bytes > arrived_;
    if (moved || bytes >= written_) moved_at_ = now;
    arrived_ = std::max(arrived_, bytes);
    return moved;
  }
  /// When something arrived, or nothing was on its way.
  [[nodiscard]] Clock::time_point moved_at() const noexcept { return moved_at_; }

  /// Whether it begins records with data.
  void set_used(bool used) noexcept { used_ = used; }
  [[nodiscard]] bool is_used() const noexcept { return used_; }

  /// As adoc::answer_loss() says, the first time.
  void answer_loss() noexcept {
    if (!std::exchange(answers_loss_, true)) adoc::answer_loss(stream_->fd());
  }

  /// Of one that has joined and is lost: whether the peer has said that it does not take it.
  [[nodiscard]] bool is_refused() const noexcept { return is_refused_; }

  /// Neither reads nor writes any more.
  void note_lost() noexcept { lost_ = true; }
  [[nodiscard]] bool is_lost() const noexcept { return lost_; }

 private:
  enum class Step { moved, nothing, ended };

  [[nodiscard]] Step step();
  [[nodiscard]] Step step_or_lost();
  [[nodiscard]] std::optional<std::size_t> read_now(std::span<std::byte> into);
  [[nodiscard]] Step fill_header();
  [[nodiscard]] Step read_data();
  void take_header();
  [[nodiscard]] bool say_words();
  [[nodiscard]] std::optional<Said> begin_record(double seconds, bool tells);
  [[nodiscard]] bool write_record();

  BundleShared& shared_;
  DescriptorBudget::Permit permit_{};
  std::unique_ptr<SocketStream> owned_{};
  SocketStream* stream_;
  RecordPlan::Number number_;

  // Reading.
  bool reads_ = true;
  Bytes heard_{};
  std::size_t heard_taken_ = 0;
  bool greets_ = false;
  bool is_proven_ = false;  ///< a record has come
  bool is_refused_ = false;
  std::array<std::byte, kHelloBytes> hello_{};
  std::size_t hello_bytes_ = 0;
  BundleRecord::Header header_{};
  std::size_t header_bytes_ = 0;
  std::uint64_t place_ = 0;  ///< of the next byte of the record that is open
  std::uint64_t end_ = 0;    ///< of that record
  bool more_ = true;
  bool heard_again_ = false;
  double heard_at_;

  // Writing.
  Bytes words_{};
  std::size_t said_ = 0;  ///< of them
  std::optional<RecordPlan::Record> record_;
  BundleRecord::Header out_header_{};
  std::uint64_t out_bytes_ = 0;  ///< of header and data that were written
  bool flushed_ = true;
  std::uint64_t written_ = 0;
  std::uint64_t arrived_ = 0;
  Clock::time_point moved_at_ = Clock::now();
  bool used_ = true;
  bool answers_loss_ = false;
  bool lost_ = false;
};

}  // namespace adoc
