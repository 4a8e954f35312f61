#include "control/receiver_model.hpp"

#include <algorithm>
#include <cmath>

#include "control/level_model.hpp"

namespace adoc {
namespace {

/// It limits if it did not read for this part of an interval; or if its threads, or its disk, were
/// at work for this part of it, as they are not at the end of a slow link, and more waits than it
/// wrote meanwhile. And it does when it did the time before as well: else it was only not served
/// for a moment.
constexpr double kStalledShare = 0.2;
constexpr double kWorks = 0.1;
constexpr double kBacklog = 1;

/// Of what one interval says, the part that is believed at once; what was decompressed in less
/// than this tells nothing.
constexpr double kGain = 0.5;
constexpr double kTellingSeconds = 0.2e-3;

/// How slow it was is forgotten, by e in so long in which it does not limit.
constexpr double kForgetSeconds = 2;

/// No receiver holds more than this; if it seems to, it does not tell, or blocks were lost.
constexpr double kMostHeldBytes = 512 << 20;
constexpr std::size_t kMostHeldBlocks = 65'536;

/// A block that does not shrink is stored as it is.
constexpr double kStoredRaw = 0.99;

/// To fill memory with long repetitions takes the less the longer they are, and at last this.
constexpr double kFillingLz4 = 0.075e-9;
constexpr double kFilling = 0.03e-9;

/// To take, check and write a raw byte, and for each that came over the link for it.
constexpr double kHandlingRaw = 0.5e-9;
constexpr double kHandlingWire = 0.3e-9;

void follow(double& pace, double seen) {
  pace = pace > 0 ? pace * std::pow(seen / pace, kGain) : seen;
}

}  // namespace

// Measured with files of programs, of tours and of a matrix, in nanoseconds of a processor of the
// whole receiving program; most of it is memory that is copied and made.
ReceiverModel::ReceiverModel(const Ladder& ladder, const Experience::Receiver& remembered)
    : pace_(remembered) {
  for (int level = 0; level <= ladder.top(); ++level) {
    const Rung& rung = ladder[level];
    switch (rung.codec) {
      case CodecId::raw:
        usual_.push_back({});
        break;
      case CodecId::lz4:
        usual_.push_back({.raw = 0.6e-9, .wire = 0, .filling = kFillingLz4});
        break;
      case CodecId::zstd:
        usual_.push_back(rung.setting < 1
                             ? Usual{.raw = 0.7e-9, .wire = 0.6e-9, .filling = kFilling}
                             : Usual{.raw = 0.9e-9, .wire = 1.7e-9, .filling = kFilling});
        break;
      case CodecId::bzip3:
        usual_.push_back({.raw = 100e-9, .wire = 0, .filling = 20e-9});
        break;
      case CodecId::zlib:
        usual_.push_back({.raw = 1.5e-9, .wire = 5.7e-9, .filling = kFilling});
        break;
    }
  }
}

// Of a raw byte.
ReceiverModel::Seconds ReceiverModel::usual(int level, double wire_per_byte) const {
  const Usual& known = usual_[static_cast<std::size_t>(level)];
  const double hard = std::min(1.0, wire_per_byte / LevelModel::kLongRepetitions);
  const double decompressing =
      wire_per_byte < kStoredRaw
          ? std::lerp(known.filling, known.raw, hard) + known.wire * wire_per_byte
          : 0;
  return {.decompressing = decompressing,
          .all = kHandlingRaw + kHandlingWire * wire_per_byte + decompressing};
}

double ReceiverModel::seconds_per_byte(int level, double wire_per_byte) const {
  const double pace =
      pace_.decompressing > 0 ? std::min(pace_.overall, pace_.decompressing) : pace_.overall;
  return pace * usual(level, wire_per_byte).all;
}

void ReceiverModel::learn(int level, double raw_bytes, double wire_bytes) {
  wire_bytes_ += wire_bytes;
  if (raw_bytes <= 0) return;
  under_way_.push_back({.wire_end = wire_bytes_,
                        .raw_bytes = raw_bytes,
                        .of_a_byte = usual(level, wire_bytes / raw_bytes)});
}

// Which of those that are under way they were makes no difference.
void ReceiverModel::take_back(const TakenBack& blocks) {
  wire_bytes_ -= static_cast<double>(blocks.wire_bytes);
  auto raw_bytes = static_cast<double>(blocks.raw_bytes);
  while (!under_way_.empty() && raw_bytes > 0) {
    Block& last = under_way_.back();
    const double bytes = std::min(raw_bytes, last.raw_bytes);
    last.raw_bytes -= bytes;
    raw_bytes -= bytes;
    if (last.raw_bytes <= 0) under_way_.pop_back();
  }
  for (auto block = under_way_.rbegin();
       block != under_way_.rend() && block->wire_end > wire_bytes_; ++block)
    block->wire_end = wire_bytes_;
}

void ReceiverModel::see(const LinkState& link) {
  while (!under_way_.empty() &&
         under_way_.front().wire_end <= static_cast<double>(link.arrived_bytes)) {
    waiting_bytes_ += under_way_.front().raw_bytes;
    arrived_.push_back(under_way_.front());
    under_way_.pop_front();
  }
  while (!arrived_.empty() &&
         (waiting_bytes_ > kMostHeldBytes || arrived_.size() > kMostHeldBlocks)) {
    waiting_bytes_ -= arrived_.front().raw_bytes;
    arrived_.pop_front();
  }
  if (link.receiver.seconds > last_.seconds) hear(link.receiver);
}

void ReceiverModel::hear(const ReceiverReport& report) {
  const double seconds = report.seconds - last_.seconds;
  const double decompressing = report.decompressing_seconds - last_.decompressing_seconds;
  const double writing = report.writing_seconds - last_.writing_seconds;
  const double raw_bytes = report.written_bytes - last_.written_bytes;
  last_ = report;
  const Seconds usual = written(raw_bytes);
  if (usual.all <= 0) return;
  if (usual.decompressing > kTellingSeconds)
    follow(pace_.decompressing, decompressing / usual.decompressing);
  const double took = seconds / usual.all;
  const bool works = std::max(decompressing, writing) > kWorks * seconds;
  const bool limits =
      report.stalled_share > kStalledShare || (works && waiting_bytes_ > kBacklog * raw_bytes);
  const bool confirmed = limits && limited_;
  limited_ = limits;
  if (confirmed)
    follow(pace_.overall, took);
  else if (!limits)
    pace_.overall = std::min(pace_.overall * std::exp(-seconds / kForgetSeconds), took);
}

// What so many bytes, of the blocks that arrived first, usually take.
ReceiverModel::Seconds ReceiverModel::written(double raw_bytes) {
  Seconds usual;
  while (!arrived_.empty() && raw_bytes > 0) {
    Block& block = arrived_.front();
    const double bytes = std::min(raw_bytes, block.raw_bytes);
    usual.decompressing += block.of_a_byte.decompressing * bytes;
    usual.all += block.of_a_byte.all * bytes;
    block.raw_bytes -= bytes;
    raw_bytes -= bytes;
    waiting_bytes_ -= bytes;
    if (block.raw_bytes <= 0) arrived_.pop_front();
  }
  return usual;
}

}  // namespace adoc
