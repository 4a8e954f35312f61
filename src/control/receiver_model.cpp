#include "control/receiver_model.hpp"

#include <algorithm>
#include <cmath>

namespace adoc {
namespace {

/// It limits if it did not read for this part of an interval; or if its threads, or its disk, were
/// at work for this part, and what has arrived keeps it for this part of another.
constexpr double kStalls = 0.2;
constexpr double kBusy = 0.1;
constexpr double kBacklog = 1;

/// Of what one interval says, the part that is believed at once.
constexpr double kGain = 0.5;

/// How slow it was is forgotten, by e in so long in which it does not limit.
constexpr double kForgetSeconds = 2;

/// No receiver holds more than this; if it seems to, it does not tell, or blocks were lost.
constexpr double kMostHeldBytes = 512 << 20;
constexpr std::size_t kMostHeldBlocks = 65'536;

/// A block that does not shrink is stored as it is.
constexpr double kStoredRaw = 0.99;

}  // namespace

// Measured with files of programs, of tours and of a matrix, in nanoseconds of a processor of the
// whole receiving program; most of it is memory that is copied and made.
ReceiverModel::ReceiverModel(const Ladder& ladder, double remembered) : pace_(remembered) {
  for (int level = 0; level <= ladder.top(); ++level) {
    const Rung& rung = ladder[level];
    switch (rung.codec) {
      case CodecId::raw:
        usual_.push_back({.raw = 0.5e-9, .wire = 0.3e-9});
        break;
      case CodecId::lz4:
        usual_.push_back({.raw = 1.1e-9, .wire = 0.3e-9});
        break;
      case CodecId::zstd:
        usual_.push_back(rung.setting < 1 ? Usual{.raw = 1.2e-9, .wire = 0.9e-9}
                                          : Usual{.raw = 1.4e-9, .wire = 2e-9});
        break;
      case CodecId::zlib:
        usual_.push_back({.raw = 2e-9, .wire = 6e-9});
        break;
    }
  }
}

double ReceiverModel::usual_seconds(int level, double wire_per_byte) const {
  const Usual& usual =
      usual_[wire_per_byte < kStoredRaw ? static_cast<std::size_t>(level) : std::size_t{0}];
  return usual.raw + usual.wire * wire_per_byte;
}

void ReceiverModel::learn(int level, double raw_bytes, double wire_bytes) {
  wire_bytes_ += wire_bytes;
  under_way_.push_back({.wire_end = wire_bytes_,
                        .raw_bytes = raw_bytes,
                        .usual_seconds = raw_bytes * usual_seconds(level, wire_bytes / raw_bytes)});
}

void ReceiverModel::see(const LinkState& link) {
  while (!under_way_.empty() &&
         under_way_.front().wire_end <= static_cast<double>(link.arrived_bytes)) {
    waiting_bytes_ += under_way_.front().raw_bytes;
    arrived_.push_back(under_way_.front());
    under_way_.pop_front();
  }
  while (waiting_bytes_ > kMostHeldBytes || arrived_.size() > kMostHeldBlocks) {
    waiting_bytes_ -= arrived_.front().raw_bytes;
    arrived_.pop_front();
  }
  if (link.receiver.seconds > last_.seconds) hear(link.receiver);
}

void ReceiverModel::hear(const ReceiverReport& report) {
  const double seconds = report.seconds - last_.seconds;
  const double work = std::max(report.decompressing_seconds - last_.decompressing_seconds,
                               report.writing_seconds - last_.writing_seconds);
  const double written = report.written_bytes - last_.written_bytes;
  last_ = report;
  double usual = 0;
  double left = written;
  while (!arrived_.empty() && left > 0) {
    Block& block = arrived_.front();
    const double bytes = std::min(left, block.raw_bytes);
    const double part = bytes / block.raw_bytes;
    usual += block.usual_seconds * part;
    block.usual_seconds *= 1 - part;
    block.raw_bytes -= bytes;
    left -= bytes;
    waiting_bytes_ -= bytes;
    if (block.raw_bytes <= 0) arrived_.pop_front();
  }
  if (usual <= 0) return;
  const double took = seconds / usual;
  const bool limits = report.stalled_share > kStalls ||
                      (work > kBusy * seconds && waiting_bytes_ > kBacklog * written);
  if (!limits)
    pace_ = std::min(pace_ * std::exp(-seconds / kForgetSeconds), took);
  else if (pace_ == 0)
    pace_ = took;
  else
    pace_ *= std::pow(took / pace_, kGain);
}

}  // namespace adoc
