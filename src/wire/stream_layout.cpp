#include "wire/stream_layout.hpp"

#include <algorithm>

namespace adoc {

namespace {

/// The end of a run, or the largest number where it has none.
std::uint64_t end_of(const Extent& run) noexcept {
  const std::uint64_t end = run.offset + run.length;
  return end < run.offset ? kUnknownSize : end;
}

}  // namespace

EntryPieces::EntryPieces(std::size_t index, const Entry& entry, const WantItem& want) noexcept
    : index_(index) {
  if (want.verb != Verb::take || entry.kind != EntryKind::file) return;
  wanted_ = {want.ranges.begin(), want.ranges.end()};
  if (entry.data)
    data_ = {entry.data->begin(), entry.data->end()};
  else
    whole_ = {0, entry.size};
  if (entry.share) share_ = entry.pieces();
}

std::optional<Piece> EntryPieces::next() noexcept {
  if (!share_) {
    const auto run = next_run();
    return run ? std::optional(Piece{index_, run->offset, run->length}) : std::nullopt;
  }
  while (true) {
    if (const auto part = share_->next_part(run_)) return Piece{index_, part->offset, part->length};
    const auto run = next_run();
    if (!run) return std::nullopt;
    run_ = *run;
  }
}

std::optional<Extent> EntryPieces::next_run() noexcept {
  while (!wanted_.at_end()) {
    const bool is_whole = whole_.length != 0;
    if (!is_whole && data_.at_end()) break;
    const Extent data = is_whole ? whole_ : *data_.at;
    const Extent wanted = *wanted_.at;
    const std::uint64_t begin = std::max(data.offset, wanted.offset);
    const std::uint64_t end = std::min(end_of(data), end_of(wanted));
    if (end_of(data) > end_of(wanted)) {
      ++wanted_.at;
    } else if (is_whole) {
      whole_ = {};
    } else {
      ++data_.at;
    }
    if (begin < end) return Extent{begin, end == kUnknownSize ? kUnknownSize : end - begin};
  }
  return std::nullopt;
}

StreamLayout::StreamLayout(const std::vector<Entry>& entries,
                           const std::vector<WantItem>& wants) noexcept
    : entries_(&entries), wants_(&wants) {
  next();
}

void StreamLayout::next() noexcept {
  piece_ = pieces_.next();
  for (; !piece_ && index_ < entries_->size(); ++index_) {
    pieces_ = EntryPieces(index_, (*entries_)[index_], (*wants_)[index_]);
    piece_ = pieces_.next();
  }
}

bool wanted_in_part(const Entry& entry, const WantItem& want) {
  if (want.verb != Verb::take || entry.kind != EntryKind::file || entry.size == kUnknownSize ||
      entry.share)
    return false;
  std::uint64_t wanted = 0;
  EntryPieces pieces(0, entry, want);
  while (const auto piece = pieces.next()) wanted += piece->length;
  return wanted != 0 && wanted != entry.data_bytes();
}

StreamSize stream_size(StreamLayout layout) noexcept {
  StreamSize size;
  for (; !layout.at_end(); layout.next()) {
    if (layout.piece().length == kUnknownSize)
      size.known = false;
    else
      size.bytes += layout.piece().length;
  }
  return size;
}

std::uint64_t resumed_bytes(const std::vector<Entry>& entries, const std::vector<WantItem>& wants) {
  std::uint64_t bytes = 0;
  const auto is_elsewhere = [&](std::size_t i) {
    return entries[i].is_other_name() && wants[i].ranges.empty();
  };
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (wants[i].verb == Verb::take && entries[i].size != kUnknownSize && !is_elsewhere(i))
      bytes += entries[i].data_bytes();
  return bytes - stream_size(StreamLayout(entries, wants)).bytes;
}

}  // namespace adoc
