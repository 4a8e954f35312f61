#include "messages/levels.hpp"

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <thread>

#include "codec/sample_stats.hpp"
#include "io/tcp_delivery.hpp"
#include "io/tcp_pace.hpp"
#include "wire/message.hpp"

namespace adoc::messages {

namespace {

/// Of compressors and blocks: what of the densest levels takes more is done at a lighter one.
constexpr std::size_t kMemoryBytes = 64 << 20;

/// What the system holds beyond this is the queue that the policy looks at.
constexpr std::uint64_t kSystemBytes = 64 << 10;

/// A packet of the paper's, for its law.
constexpr std::uint64_t kPacketBytes = 8'192;

/// Where all goes plain, decisions take no more than this share of the time.
constexpr int kDecisionShare = 64;

/// Where the system holds more than this, the link is not faster than memory, whatever it was with
/// what a shaper let pass at once.
constexpr int kDrainingBytes = 64 << 10;

/// So much goes plain before the system is asked again.
constexpr std::size_t kPlainBytes = 128 << 10;

/// Of a direction, that go plain in any case: what they take is what is known of the link first.
constexpr std::uint64_t kFirstBytes = 64 << 10;

/// A link that takes as much a second is faster than what makes anything shorter.
constexpr double kFastBytesPerSecond = 300e6;

/// That a pipe or a local socket still holds, if its reader is slower than this writer.
constexpr std::uint64_t kUnreadBytes = 16 << 10;

/// The link is looked at no sooner than after this, while bytes are written.
constexpr auto kLookAfter = std::chrono::milliseconds(1);

/// A run leaves when all of it is made: a message is several, of which one is on the link while the
/// next is made, and none is so long that its end is waited for.
constexpr std::size_t kRunsAMessage = 4;
constexpr std::size_t kLeastRunBytes = 32 << 10;
constexpr std::size_t kMostRunBytes = 512 << 10;

/// While a call waits it looks around this often, and less often the longer it waits.
constexpr auto kFirstWait = std::chrono::microseconds(50);
constexpr auto kLongestWait = std::chrono::microseconds(500);

PipelineOptions options_of(LevelRange range) {
  PipelineOptions options;
  options.min_level = range.min;
  options.max_level = range.max;
  options.memory_bytes = kMemoryBytes;
  return options;
}

/// That a TCP socket has still to send, by a call that takes next to no time.
int unsent_bytes(int fd) noexcept {
  int bytes = 0;
  return ::ioctl(fd, SIOCOUTQNSD, &bytes) == 0 ? bytes : 0;
}

}  // namespace

const Ladder& ladder() {
  static const Ladder* const kLadder = new Ladder(Ladder::of(LadderKind::automatic));
  return *kLadder;
}

Levels::Levels(Channel channel, LevelRange range, std::optional<PathMetrics> known)
    : channel_(channel),
      range_(range),
      policy_(make_policy(options_of(range), ladder(), 1, known)),
      scheduler_({.ladder = ladder(),
                  .policy = *policy_,
                  .workers = 1,
                  .block_bytes = 0,
                  .memory_bytes = kMemoryBytes}),
      looked_(Clock::now()) {}

Levels::Plan Levels::next(int fd, ByteSpan message) {
  const Clock::time_point begin = Clock::now();
  const std::size_t plain = std::min(message.size(), kPlainBytes);
  plain_bytes_ = kPlainBytes;
  const std::size_t most = std::min(
      message.size(), std::clamp(message.size() / kRunsAMessage, kLeastRunBytes, kMostRunBytes));
  if (begin < plain_until_ && rest_bytes_ == 0 &&
      (channel_ != Channel::tcp || unsent_bytes(fd) < kDrainingBytes))
    return {.raw_bytes = plain};
  if (range_.min == 0 && rest_bytes_ == 0) {
    if (written_bytes_ < kFirstBytes)
      return {.raw_bytes = std::min(most, static_cast<std::size_t>(kFirstBytes - written_bytes_))};
    if (is_fast(fd)) {
      plain_until_ = begin + kDecisionShare * (Clock::now() - begin);
      return {.raw_bytes = plain};
    }
  }
  left_bytes_ = message.size();
  Clock::duration waited{};
  for (;;) {
    const Scheduler::Job job = scheduler_.next(0, {.link = look(fd)});
    if (const auto* const yield = std::get_if<Scheduler::Yield>(&job)) {
      const Clock::time_point before = Clock::now();
      if (!does_not_block(fd)) wait_for_link(fd, *yield);
      waited += Clock::now() - before;
      continue;
    }
    const auto& read = std::get<Scheduler::Read>(job);
    const std::size_t bytes = std::min({read.bytes, most, read.rest ? rest_bytes_ : kMostRunBytes});
    const ByteSpan block = message.first(bytes);
    const SampleStats stats = sample_stats(block);
    left_bytes_ = message.size() - bytes;
    const Scheduler::Order order =
        scheduler_.begin(read.ticket, look(fd), {.raw_bytes = bytes, .stats = stats});
    if (!read.rest) rest_bytes_ = bytes;
    const Clock::time_point now = Clock::now();
    plain_until_ = order.choice.level == 0 && range_.min == 0
                       ? now + kDecisionShare * (now - begin - waited)
                       : Clock::time_point{};
    return {.ticket = read.ticket, .raw_bytes = order.raw_bytes, .level = order.choice.level};
  }
}

// The descriptor may be another one by now, so nothing of the link is looked at.
bool Levels::stays_plain(std::size_t bytes) noexcept {
  if (bytes > plain_bytes_ || rest_bytes_ != 0 || Clock::now() >= plain_until_) return false;
  plain_bytes_ -= bytes;
  written_bytes_ += bytes;
  return true;
}

bool Levels::is_fast(int fd) const {
  if (channel_ != Channel::tcp) {
    const auto unread = unread_bytes(fd, channel_);
    return !unread || *unread < kUnreadBytes;
  }
  const auto pace = tcp_pace(fd);
  return pace && pace->arrival_bytes_per_second >= kFastBytesPerSecond &&
         unsent_bytes(fd) < kDrainingBytes;
}

void Levels::done(int fd, const Plan& plan, const Scheduler::Made& made) {
  if (plan.ticket == 0) return;
  scheduler_.done(plan.ticket, look(fd), made);
  rest_bytes_ -= made.raw_bytes;
}

void Levels::written(int fd, std::size_t bytes) {
  written_bytes_ += bytes;
  if (Clock::now() - looked_ >= kLookAfter) scheduler_.progress(look(fd));
}

void Levels::wait_for_link(int fd, const Scheduler::Yield& yield) {
  const Clock::time_point until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                     std::chrono::duration<double>(yield.seconds));
  auto wait = kFirstWait;
  for (LinkState link = look(fd); Clock::now() < until; link = look(fd)) {
    scheduler_.progress(link);
    if (link.fifo_packets <= yield.fifo_packets &&
        link.ready_bytes - link.unsent_bytes <= yield.ready_bytes)
      return;
    std::this_thread::sleep_for(wait);
    wait = std::min(2 * wait, kLongestWait);
  }
}

// What is between two messages is no time in which the link was slow: of that counts what the link
// has taken for what it was given, as the system has seen it.
LinkState Levels::look(int fd) {
  const Clock::time_point now = Clock::now();
  double passed = std::chrono::duration<double>(now - looked_).count();
  looked_ = now;
  LinkState link{.left_bytes = left_bytes_};
  std::uint64_t unsent = 0;
  const auto delivery = channel_ == Channel::tcp ? tcp_delivery(fd) : std::nullopt;
  if (delivery) {
    if (!arrived_before_) arrived_before_ = delivery->arrived_bytes;
    unsent = std::min(delivery->unsent_bytes, written_bytes_);
    link.sent_bytes = std::max(arrived_bytes_, written_bytes_ - unsent);
    link.arrived_bytes = std::max(
        arrived_bytes_, std::min(delivery->arrived_bytes - *arrived_before_, link.sent_bytes));
    const auto arrived = static_cast<double>(link.arrived_bytes - arrived_bytes_);
    const auto pace = tcp_pace(fd);
    const double rate = pace ? pace->arrival_bytes_per_second : 0;
    if (link.arrived_bytes == written_bytes_ && rate > 0) passed = std::min(passed, arrived / rate);
  } else {
    unsent = std::min(unread_bytes(fd, channel_).value_or(0), written_bytes_);
    link.sent_bytes = link.arrived_bytes = std::max(arrived_bytes_, written_bytes_ - unsent);
  }
  arrived_bytes_ = link.arrived_bytes;
  seconds_ += passed;
  link.seconds = seconds_;
  link.unsent_bytes = std::min(unsent, kSystemBytes);
  link.ready_bytes = link.queued_bytes = unsent;
  link.fifo_packets = (unsent - link.unsent_bytes) / kPacketBytes;
  return link;
}

namespace {

/// Of these messages the first is looked at, and for the others it holds.
constexpr std::uint32_t kMessagesALook = 32;

/// Shorter ones cannot become much shorter.
constexpr std::size_t kLeastBytes = 256;

/// What compressing takes, at most, of a processor of today.
constexpr double kStartSeconds = 20e-6;
constexpr double kSecondsPerByte = 10e-9;

/// It is tried where it makes a message later by no more than a sixteenth.
constexpr double kLeastShare = 16;

constexpr std::uint32_t kMostSkips = 256;

}  // namespace

bool ShortMessages::pays(int fd, std::size_t bytes) {
  if (bytes < kLeastBytes) return false;
  if (until_look_-- == 0) {
    until_look_ = kMessagesALook - 1;
    const auto pace = tcp_pace(fd);
    if (!pace) return false;
    // Another socket may have taken the number.
    const bool same = pace->arrived_bytes >= arrived_bytes_;
    const std::uint64_t arrived = same ? pace->arrived_bytes - arrived_bytes_ : 0;
    if (arrived > 0)
      seconds_per_byte_ = (pace->busy_seconds - busy_seconds_) / static_cast<double>(arrived);
    busy_seconds_ = pace->busy_seconds;
    arrived_bytes_ = pace->arrived_bytes;
  }
  const auto size = static_cast<double>(bytes);
  if (size * seconds_per_byte_ < kLeastShare * (kStartSeconds + size * kSecondsPerByte))
    return false;
  if (skip_ == 0) return true;
  --skip_;
  return false;
}

void ShortMessages::tried(bool shrank) noexcept {
  skips_ = shrank ? 1 : std::min(2 * skips_, kMostSkips);
  skip_ = shrank ? 0 : skips_;
}

}  // namespace adoc::messages
