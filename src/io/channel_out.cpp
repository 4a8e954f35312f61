#include "io/channel_out.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "adoc/error.hpp"
#include "util/errno_error.hpp"
#include "wire/broken_protocol.hpp"

namespace adoc {

namespace {

/// As TcpStream gives up a peer that takes nothing any more.
constexpr std::chrono::milliseconds kWriteGrace{400};
/// For so long nobody reads here what the peer says, before data is sent without hearing it: else
/// two sides that write and do not read would wait for each other, which they need not over TCP.
constexpr std::chrono::milliseconds kUnheard{100};
/// What is said of it modulo 2^32 must stay clear.
constexpr std::uint64_t kMostOnTheWay = std::uint64_t{1} << 31;

/// Less than this is said only so often: each time costs both sides a packet.
constexpr std::uint64_t kMuchUnsaid = 16 << 10;
constexpr std::chrono::milliseconds kUnsaidFor{4};

/// What ssh takes to read, encrypt and send a byte: 64 MB cost scp and ssh 0.21 s.
constexpr double kCarryingSeconds = 3e-9;

}  // namespace

ChannelOut::ChannelOut(Fd out, const std::string& peer, const Wakeup& stopping)
    : out_(std::move(out)),
      write_(out_.get()),
      peer_(peer),
      stopping_(stopping),
      reader_left_ns_(Clock::now().time_since_epoch().count()) {}

void ChannelOut::lost(int error_number) const {
  throw Error(ErrorKind::connect,
              "the connection to " + peer_ + " is lost: " + errno_text(error_number));
}

void ChannelOut::Parts::skip(std::size_t bytes) noexcept {
  for (; first != count && bytes >= all[first].iov_len; ++first) bytes -= all[first].iov_len;
  if (first == count) return;
  all[first].iov_base = static_cast<std::byte*>(all[first].iov_base) + bytes;
  all[first].iov_len -= bytes;
}

std::size_t ChannelOut::put(Parts& parts) {
  if (broken_ != 0) lost(broken_);
  while (true) {
    is_writing_.store(true, std::memory_order_relaxed);
    const ssize_t put =
        write_(std::span(parts.all).subspan(parts.first, parts.count - parts.first));
    const int error_number = errno;
    is_writing_.store(false, std::memory_order_relaxed);
    if (put >= 0) {
      parts.skip(static_cast<std::size_t>(put));
      return static_cast<std::size_t>(put);
    }
    if (error_number == EAGAIN) return 0;
    if (error_number == EINTR) continue;
    broken_ = error_number;
    lost(broken_);
  }
}

ChannelRecord ChannelOut::record(std::uint16_t length) const noexcept {
  return {.arrived = static_cast<std::uint32_t>(read_bytes_), .length = length};
}

/// That record has begun to get out.
void ChannelOut::said(ChannelRecord record, Clock::time_point now) noexcept {
  said_bytes_ += record.arrived - static_cast<std::uint32_t>(said_bytes_);
  said_at_ = now;
}

/// Of a record without data; whether all is out.
bool ChannelOut::put_rest() {
  if (rest_bytes_ == 0) return true;
  Parts parts{.count = 1};
  parts.all[0] = {rest_.data() + (rest_.size() - rest_bytes_), rest_bytes_};
  rest_bytes_ -= put(parts);
  return rest_bytes_ == 0;
}

/// A record without data; whether it has begun to get out, and will be put_rest().
bool ChannelOut::say(std::uint16_t length, Clock::time_point now) {
  if (!put_rest()) return false;
  const ChannelRecord all = record(length);
  rest_ = all.encode();
  rest_bytes_ = rest_.size();
  static_cast<void>(put_rest());
  if (rest_bytes_ == rest_.size()) {
    // By the time that there is room there is more to say.
    rest_bytes_ = 0;
    return false;
  }
  said(all, now);
  return true;
}

ChannelOut::Unsaid ChannelOut::say_read(Clock::time_point now) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (broken_ != 0 || unsaid() == 0) return {};
    const Clock::time_point due = said_at_ + kUnsaidFor;
    if (unsaid() < kMuchUnsaid && now < due) return {.until = due};
    if (in_record_) {
      owes_ = true;
      return {};
    }
    return {.needs_room = !say(0, now) || rest_bytes_ != 0};
  } catch (const std::exception&) {
    return {};
  }
}

void ChannelOut::peer_read(std::uint32_t bytes) {
  const std::lock_guard lock(mutex_);
  const std::uint32_t more = bytes - static_cast<std::uint32_t>(window_.arrived_bytes());
  if (more > window_.on_the_way()) broken_protocol("more is said to have arrived than was sent");
  if (more == 0) return;
  window_.arrived(window_.arrived_bytes() + more, Clock::now());
  if (writer_waits_ && window_.room() > 0) {
    writer_waits_ = false;
    opened_.set();
  }
}

bool ChannelOut::is_open() const noexcept {
  if (window_.room() > 0) return true;
  const Clock::duration left{reader_left_ns_.load()};
  return left.count() != 0 && window_.on_the_way() < kMostOnTheWay &&
         Clock::now().time_since_epoch() - left >= kUnheard;
}

std::size_t ChannelOut::fill(Parts& parts, std::span<const ByteSpan> pieces) const noexcept {
  const std::size_t room = window_.room() > 0
                               ? std::min<std::uint64_t>(window_.room(), window_.record_bytes())
                               : window_.record_bytes();
  std::size_t length = 0;
  parts.count = 1;  // the header
  for (const ByteSpan piece : pieces) {
    const std::size_t bytes = std::min(piece.size(), room - length);
    if (bytes == 0) continue;
    if (parts.count == parts.all.size()) break;
    parts.all[parts.count++] = {const_cast<std::byte*>(piece.data()), bytes};
    length += bytes;
  }
  return length;
}

std::size_t ChannelOut::write(std::span<const ByteSpan> pieces) {
  Lock lock(mutex_);
  while (true) {
    if (ended_ || in_record_) lost(EPIPE);
    if (!is_open()) {
      wait_for_window(lock);
      continue;
    }
    if (!put_rest()) {
      wait_for_room(lock);
      continue;
    }
    Parts parts;
    record_bytes_ = fill(parts, pieces);
    if (record_bytes_ == 0) return 0;
    const Clock::time_point now = Clock::now();
    const ChannelRecord begun = record(static_cast<std::uint16_t>(record_bytes_));
    ChannelRecord::Header header = begun.encode();
    parts.all[0] = {header.data(), header.size()};
    // Before it is out, since the answer may be here before this thread goes on.
    const std::uint64_t sent_before = window_.sent_bytes();
    window_.sent(sent_before + record_bytes_, now);
    if (put(parts) == 0) {
      window_.take_back(sent_before);
      record_bytes_ = 0;
      wait_for_room(lock);
      continue;
    }
    said(begun, now);
    given_up_at_.reset();
    put_all(lock, parts);
    return std::exchange(record_bytes_, 0);
  }
}

/// The rest of a record that has begun, and what is to be said behind it.
void ChannelOut::put_all(Lock& lock, Parts& parts) {
  in_record_ = true;
  while (!parts.empty()) {
    wait_for_room(lock);
    if (put(parts) > 0) given_up_at_.reset();
  }
  in_record_ = false;
  if (!std::exchange(owes_, false)) return;
  while (unsaid() > 0 && !say(0, Clock::now())) wait_for_room(lock);
  while (!put_rest()) wait_for_room(lock);
}

void ChannelOut::finish(std::optional<Clock::time_point> until) noexcept {
  try {
    Lock lock(mutex_);
    if (ended_ || in_record_) return;
    const auto wait = [&] {
      if (until && Clock::now() >= *until) lost(ETIMEDOUT);
      wait_for_room(lock);
    };
    while (!say(ChannelRecord::kEnd, Clock::now())) wait();
    ended_ = true;
    while (!put_rest()) wait();
  } catch (const std::exception&) {
    // There is nobody to tell.
  }
}

void ChannelOut::wait_for_window(Lock& lock) {
  window_.held_up();
  writer_waits_ = true;
  lock.unlock();
  wait(opened_.fd(), POLLIN);
  opened_.reset();
  lock.lock();
}

void ChannelOut::wait_for_room(Lock& lock) {
  window_.held_up();
  lock.unlock();
  wait(out_.get(), POLLOUT);
  lock.lock();
}

/// A moment at most: there is more to look at.
void ChannelOut::wait(int fd, short events) {
  const auto waited = stopping_.wait_for(fd, events, static_cast<int>(kUnheard.count()));
  if (waited != Wakeup::Result::woken) return;
  if (aborted_) lost(ECONNABORTED);
  const Clock::time_point now = Clock::now();
  // Once, not for each of the last words.
  if (!given_up_at_) given_up_at_ = grace_is_over_ ? now : now + kWriteGrace;
  const auto left = std::min<Clock::duration>(*given_up_at_ - now, kUnheard);
  pollfd polled{fd, events, 0};
  if (::poll(&polled, 1, poll_ms(left)) != 0 || Clock::now() < *given_up_at_) return;
  grace_is_over_ = true;
  lost(ETIMEDOUT);
}

void ChannelOut::allow_waiting(std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  window_.allow_waiting(bytes);
}

Delivery ChannelOut::delivery() const noexcept {
  const std::lock_guard lock(mutex_);
  // What is being written still waits with who writes it.
  const Clock::time_point now = Clock::now();
  const std::uint64_t waiting = window_.waiting(now);
  return {.arrived_bytes = window_.arrived_bytes(),
          .unsent_bytes = waiting - std::min<std::uint64_t>(waiting, record_bytes_),
          .queue_seconds = window_.queue_seconds(now),
          .carrying_seconds_per_byte = kCarryingSeconds};
}

}  // namespace adoc
