#include "io/bundle_link.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "adoc/error.hpp"
#include "util/clock.hpp"
#include "wire/hello.hpp"

namespace adoc {

namespace {

/// Of one connection; then others have their turn.
constexpr int kStepsAtOnce = 32;

/// What comes a second time is read to nowhere, and what the peer has already is written from
/// nowhere: its memory may have been used again.
constexpr std::array<std::byte, 16 << 10> kZeros{};

double now_seconds() noexcept {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

}  // namespace

BundleLink::BundleLink(BundleShared& shared, JoiningStream joining, RecordPlan::Number number)
    : shared_(shared),
      permit_(std::move(joining.permit)),
      owned_(std::move(joining.stream)),
      stream_(owned_.get()),
      number_(number),
      heard_(std::move(joining.heard)),
      greets_(joining.greets),
      heard_at_(now_seconds()),
      words_(std::move(joining.words)) {}

BundleLink::BundleLink(BundleShared& shared, SocketStream& first, std::uint64_t written)
    : shared_(shared),
      stream_(&first),
      number_(kFirst),
      reads_(false),
      heard_at_(now_seconds()),
      written_(written) {}

void BundleLink::begin_reading(Bytes heard) {
  heard_ = std::move(heard);
  reads_ = true;
  is_proven_ = true;
  more_ = true;
}

std::optional<std::size_t> BundleLink::read_now(std::span<std::byte> into) {
  if (heard_taken_ == heard_.size()) return stream_->read_now(into);
  const std::size_t count = std::min(into.size(), heard_.size() - heard_taken_);
  std::copy_n(heard_.begin() + static_cast<std::ptrdiff_t>(heard_taken_), count, into.begin());
  heard_taken_ += count;
  if (heard_taken_ == heard_.size()) {
    heard_ = {};
    heard_taken_ = 0;
  }
  return count;
}

// What is no record at first is what somebody says who does not let this connection join.
BundleLink::Step BundleLink::step_or_lost() {
  try {
    return step();
  } catch (const Error& error) {
    if (is_proven_) throw;
    is_refused_ = error.kind() == ErrorKind::corrupt;
    throw Error(ErrorKind::connect, error.what());
  }
}

bool BundleLink::hear() {
  more_ = false;
  for (int i = 0; i < kStepsAtOnce; ++i) {
    const Step made = step_or_lost();
    if (made == Step::nothing) return true;
    if (made == Step::ended) return false;
    heard_at_ = now_seconds();
  }
  more_ = true;
  return true;
}

BundleLink::Step BundleLink::step() {
  if (place_ != end_) return read_data();
  if (greets_) {
    const auto got = read_now(std::span(hello_).subspan(hello_bytes_));
    if (!got) return Step::nothing;
    if (*got == 0) return Step::ended;
    hello_bytes_ += *got;
    if (hello_bytes_ == hello_.size()) {
      static_cast<void>(Hello::decode(hello_, Role::receiver));
      greets_ = false;
    }
    return Step::moved;
  }
  return fill_header();
}

BundleLink::Step BundleLink::fill_header() {
  const auto got = read_now(std::span(header_).subspan(header_bytes_));
  if (!got) return Step::nothing;
  if (*got == 0) return Step::ended;
  header_bytes_ += *got;
  if (header_bytes_ == header_.size()) take_header();
  return Step::moved;
}

void BundleLink::take_header() {
  header_bytes_ = 0;
  const BundleRecord record = BundleRecord::decode(header_);
  is_proven_ = true;
  {
    const auto state = shared_.state.lock();
    state->hear(record.arrived, record.limit);
    if (record.is_gone()) state->peer_gave_up = true;
    if (record.is_end()) {
      heard_again_ = heard_again_ || state->in.has_end();
      state->in.put_end(record.offset);
    } else if (record.length != 0 && !record.is_gone()) {
      state->in.expect(record.end());
      place_ = record.offset;
      end_ = record.end();
    }
  }
  shared_.state.wake_all();
}

BundleLink::Step BundleLink::read_data() {
  std::array<std::byte, 16 << 10> nowhere;
  if (!shared_.in.is_made()) shared_.in.make(shared_.window);
  const Intervals::Piece piece = shared_.state.lock()->in.piece(place_, end_);
  const std::span<std::byte> into =
      piece.is_in
          ? std::span(nowhere).first(std::min<std::uint64_t>(nowhere.size(), piece.end - place_))
          : shared_.in.at(place_, piece.end - place_);
  const auto got = read_now(into);
  if (!got) return Step::nothing;
  if (*got == 0) return Step::ended;
  if (piece.is_in) {
    heard_again_ = true;
  } else {
    shared_.state.lock()->in.put(place_, place_ + *got);
    shared_.state.wake_all();
  }
  place_ += *got;
  return Step::moved;
}

bool BundleLink::say_words() {
  while (said_ < words_.size()) {
    const ByteSpan rest = ByteSpan(words_).subspan(said_);
    const auto said = stream_->write_now({&rest, 1});
    if (!said) return false;
    said_ += *said;
    written_ += *said;
  }
  return true;
}

std::optional<BundleLink::Said> BundleLink::begin_record(double seconds, bool tells) {
  const auto state = shared_.state.lock();
  if (state->writes_records && used_) record_ = state->out.next(number_, seconds);
  if (!record_ && !tells) return std::nullopt;
  BundleRecord record{.arrived = state->in.arrived(), .limit = state->in.limit()};
  if (record_) {
    record.offset = record_->begin;
    record.length = record_->is_end ? BundleRecord::kEnd
                                    : static_cast<std::uint32_t>(record_->end - record_->begin);
  } else {
    record_ = RecordPlan::Record{};
  }
  out_header_ = record.encode();
  out_bytes_ = 0;
  return Said{.record = true, .arrived = record.arrived, .limit = record.limit};
}

/// Some of it; whether all of it is written.
bool BundleLink::write_record() {
  const std::uint64_t data = record_->is_end ? 0 : record_->end - record_->begin;
  const std::uint64_t all = out_header_.size() + data;
  const std::uint64_t known = shared_.state.lock()->out.arrived();
  while (out_bytes_ < all) {
    std::array<ByteSpan, 3> pieces{};
    std::size_t count = 0;
    if (out_bytes_ < out_header_.size())
      pieces[count++] = ByteSpan(out_header_).subspan(static_cast<std::size_t>(out_bytes_));
    const std::uint64_t behind =
        out_bytes_ - std::min<std::uint64_t>(out_bytes_, out_header_.size());
    std::uint64_t place = record_->begin + behind;
    if (data != 0 && place < known) {
      const std::uint64_t end = std::min(known, record_->end);
      pieces[count++] = ByteSpan(kZeros).first(std::min<std::uint64_t>(kZeros.size(), end - place));
    } else {
      for (; data != 0 && place < record_->end && count < pieces.size(); ++count) {
        pieces[count] = shared_.out.at(place, record_->end - place);
        place += pieces[count].size();
      }
    }
    const auto written = stream_->write_now(std::span(pieces).first(count));
    if (!written) return false;
    out_bytes_ += *written;
    written_ += *written;
  }
  return true;
}

BundleLink::Said BundleLink::say(double seconds, bool tells) {
  Said said;
  flushed_ = stream_->flush_now();
  if (!flushed_ || !say_words()) return said;
  if (!record_) {
    const auto begun = begin_record(seconds, tells);
    if (!begun) {
      flushed_ = stream_->flush_now();
      return said;
    }
    said = *begun;
  }
  if (write_record()) record_.reset();
  flushed_ = stream_->flush_now();
  return said;
}

}  // namespace adoc
