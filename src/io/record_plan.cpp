#include "io/record_plan.hpp"

#include <algorithm>
#include <utility>

#include "wire/broken_protocol.hpp"

namespace adoc {

std::size_t RecordPlan::room() const noexcept {
  const std::uint64_t kept = given_ - std::min(given_, arrived_);
  const std::uint64_t waiting = unassigned();
  if (finished_ || kept >= buffer_bytes_ || waiting >= kMostUnassigned) return 0;
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(buffer_bytes_ - kept, kMostUnassigned - waiting));
}

void RecordPlan::lose_sent() {
  if (plain_ > arrived_) again_.add({arrived_, plain_});
  plain_ = 0;
}

/// Up to where may be sent what was not sent before.
std::uint64_t RecordPlan::sendable() const noexcept {
  if (given_ > limit_) return limit_;
  return finished_ ? given_ + 1 : given_;
}

/// A record does not reach beyond the data, where the end is.
RecordPlan::Record RecordPlan::record(std::uint64_t begin, std::uint64_t end) const noexcept {
  if (begin == given_) return {.begin = begin, .end = begin + 1, .is_end = true};
  return {.begin = begin, .end = std::min({end, given_, begin + kRecordBytes})};
}

// What is late is the first byte that is missing and, of the connection that was given it first,
// all that it was given later: it has an order.
std::optional<RecordPlan::Late> RecordPlan::first_late() const noexcept {
  const std::pair<const Number, Connection>* holder = nullptr;
  double since = 0;
  for (const auto& connection : connections_)
    for (const Sent& sent : connection.second)
      if (sent.begin <= arrived_ && arrived_ < sent.end && (holder == nullptr || sent.at < since)) {
        holder = &connection;
        since = sent.at;
      }
  if (holder == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < holder->second.size(); ++i) {
    const Sent& sent = holder->second[i];
    if (!sent.taken_over && sent.end > arrived_) return Late{holder->first, i};
  }
  return std::nullopt;
}

std::optional<RecordPlan::Late> RecordPlan::late_for(Number number, double seconds) const {
  const auto late = first_late();
  if (!late || late->holder == number) return std::nullopt;
  if (seconds < connections_.at(late->holder)[late->index].at + patience_) return std::nullopt;
  return late;
}

std::optional<double> RecordPlan::late_at() const {
  if (connections_.size() < 2) return std::nullopt;
  const auto late = first_late();
  if (!late) return std::nullopt;
  return connections_.at(late->holder)[late->index].at + patience_;
}

bool RecordPlan::has_next(Number number, double seconds) const {
  if (!connections_.contains(number) || records_ >= kMaxRecordsInFlight) return false;
  return !again_.empty() || next_ < sendable() || late_for(number, seconds);
}

std::optional<RecordPlan::Record> RecordPlan::next(Number number, double seconds) {
  if (!has_next(number, seconds)) return std::nullopt;
  Connection& connection = connections_.at(number);
  Record taken;
  if (!again_.empty()) {
    const Intervals::Run run = again_.front();
    taken = record(run.begin, run.end);
    again_.remove_below(taken.end);
    sent_again_ += taken.end - taken.begin;
  } else if (next_ < sendable()) {
    taken = record(next_, sendable());
    next_ = taken.end;
  } else {
    const Late late = *late_for(number, seconds);
    Sent& sent = connections_.at(late.holder)[late.index];
    taken = record(std::max(sent.begin, arrived_), sent.end);
    sent.taken_over = true;
    sent_again_ += taken.end - taken.begin;
  }
  connection.push_back({.begin = taken.begin, .end = taken.end, .at = seconds});
  ++records_;
  return taken;
}

void RecordPlan::lose(Number number) {
  const auto lost = connections_.find(number);
  if (lost == connections_.end()) return;
  for (const Sent& sent : lost->second) again_.add({sent.begin, sent.end});
  again_.remove_below(arrived_);
  records_ -= lost->second.size();
  connections_.erase(lost);
}

void RecordPlan::hear(std::uint64_t arrived, std::uint64_t limit) {
  if (arrived > next_) broken_protocol("records arrived that were not sent");
  limit_ = std::max(limit_, limit);
  if (arrived <= arrived_) return;
  arrived_ = arrived;
  again_.remove_below(arrived);
  for (auto& [number, connection] : connections_) {
    const auto gone = [&](const Sent& sent) { return sent.end <= arrived; };
    records_ -= std::erase_if(connection, gone);
  }
}

}  // namespace adoc
