#include "control/auto/receiver_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "control/auto/params.hpp"

namespace adoc {

using namespace params;

ReceiverModel::ReceiverModel(std::vector<double> decompress_seconds,
                             const PathMetrics::Receiver& remembered)
    : decompress_seconds_(std::move(decompress_seconds)), pace_(remembered) {}

// What does not shrink is stored raw.
ReceiverModel::Seconds ReceiverModel::usual(int level, double wire_per_byte) const {
  if (wire_per_byte >= 1) return {.decompressing = 0, .all = kReceivingSeconds + kStoringSeconds};
  const double decompressing = decompress_seconds_[static_cast<std::size_t>(level)];
  return {.decompressing = decompressing,
          .all = kReceivingSeconds * wire_per_byte + kStoringSeconds + decompressing};
}

double ReceiverModel::seconds_per_byte(int level, double wire_per_byte) const {
  const double pace =
      pace_.decompressing > 0 ? std::min(pace_.overall, pace_.decompressing) : pace_.overall;
  return pace * usual(level, wire_per_byte).all;
}

double ReceiverModel::decompressing_seconds_per_byte(int level, double wire_per_byte) const {
  const double pace = pace_.decompressing > 0 ? pace_.decompressing : 1;
  return pace * usual(level, wire_per_byte).decompressing;
}

void ReceiverModel::learn(int level, double raw_bytes, double wire_bytes) {
  // No receiver holds more; if it seems to, it does not tell, or blocks were lost.
  constexpr std::size_t kMostHeldBlocks = 65'536;
  wire_bytes_ += wire_bytes;
  if (raw_bytes <= 0) return;
  if (unwritten_.size() == kMostHeldBlocks) unwritten_.pop_front();
  unwritten_.push_back({.wire_end = wire_bytes_,
                        .raw_bytes = raw_bytes,
                        .of_a_byte = usual(level, wire_bytes / raw_bytes)});
}

void ReceiverModel::see(const LinkState& link) {
  const ReceiverReport& report = link.receiver;
  threads_ = static_cast<double>(std::max<std::size_t>(1, report.threads));
  if (report.seconds <= last_.seconds) return;
  const double seconds = report.seconds - last_.seconds;
  const double decompressing = report.decompressing_seconds - last_.decompressing_seconds;
  const double writing = report.writing_seconds - last_.writing_seconds;
  const double raw_bytes = report.written_bytes - last_.written_bytes;
  last_ = report;
  const Seconds usual = written(raw_bytes);
  // A block may be decompressed in one interval and written in another.
  const double left = std::exp(-seconds / kReceiverForgetSeconds);
  decompressing_ = left * decompressing_ + decompressing;
  usual_decompressing_ = left * usual_decompressing_ + usual.decompressing;
  if (usual.all <= 0) return;
  if (usual_decompressing_ > kLeastSeconds)
    pace_.decompressing = decompressing_ / usual_decompressing_;
  const double took = seconds / usual.all;
  const bool works = std::max(decompressing, writing) > kLimitingShare * seconds;
  double waiting = 0;
  for (const Block& block : unwritten_) {
    if (block.wire_end > static_cast<double>(link.arrived_bytes)) break;
    waiting += block.raw_bytes;
  }
  const bool limits = report.stalled_share > kLimitingShare || (works && waiting > raw_bytes);
  const bool confirmed = limits && limited_;
  limited_ = limits;
  if (confirmed)
    pace_.overall = took;
  else if (!limits)
    pace_.overall = std::min(pace_.overall * std::exp(-seconds / kReceiverForgetSeconds), took);
}

// What so many bytes, of the blocks that are written first, usually take.
ReceiverModel::Seconds ReceiverModel::written(double raw_bytes) {
  Seconds usual;
  while (!unwritten_.empty() && raw_bytes > 0) {
    Block& block = unwritten_.front();
    const double bytes = std::min(raw_bytes, block.raw_bytes);
    usual.decompressing += block.of_a_byte.decompressing * bytes;
    usual.all += block.of_a_byte.all * bytes;
    block.raw_bytes -= bytes;
    raw_bytes -= bytes;
    if (block.raw_bytes <= 0) unwritten_.pop_front();
  }
  return usual;
}

}  // namespace adoc
