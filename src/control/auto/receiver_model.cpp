#include "control/auto/receiver_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

/// Of a raw byte, on the wire: data with less are filled in by ever longer copies.
constexpr double kRepetitive = 0.05;

void follow(double& pace, double seen) {
  pace = pace > 0 ? pace * std::pow(seen / pace, kGain) : seen;
}

}  // namespace

ReceiverModel::ReceiverModel(std::vector<double> usual_seconds,
                             const PathMetrics::Receiver& remembered)
    : usual_(std::move(usual_seconds)), pace_(remembered) {}

// What shrinks to next to nothing is filled in by long copies; what does not shrink is stored raw.
ReceiverModel::Seconds ReceiverModel::usual(int level, double wire_per_byte) const {
  const double raw = usual_[0];
  if (wire_per_byte >= kStoredRaw) return {.decompressing = 0, .all = raw};
  const double hard = std::min(1.0, wire_per_byte / kRepetitive);
  const double more = std::max(0.0, usual_[static_cast<std::size_t>(level)] - raw);
  return {.decompressing = hard * more, .all = raw + hard * more};
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
