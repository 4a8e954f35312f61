#include "wire/stream_layout.hpp"

#include <algorithm>

namespace adoc {

namespace {

/// The end of a run, or the largest number where it has none.
std::uint64_t end_of(const Extent& run) noexcept {
  const std::uint64_t end = run.offset + run.length;
  return end < run.offset ? kUnknownSize : end;
}

void add_common_runs(std::size_t entry, const std::vector<Extent>& data,
                     const std::vector<Extent>& wanted, std::vector<Piece>& pieces) {
  for (auto d = data.begin(), w = wanted.begin(); d != data.end() && w != wanted.end();) {
    const std::uint64_t begin = std::max(d->offset, w->offset);
    const std::uint64_t end = std::min(end_of(*d), end_of(*w));
    if (begin < end)
      pieces.push_back({entry, begin, end == kUnknownSize ? kUnknownSize : end - begin});
    (end_of(*d) <= end_of(*w) ? d : w) += 1;
  }
}

}  // namespace

std::vector<Piece> layout_stream(const std::vector<Entry>& entries,
                                 const std::vector<WantItem>& wants) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < entries.size(); ++i) add_pieces(i, entries[i], wants[i], pieces);
  return pieces;
}

void add_pieces(std::size_t index, const Entry& entry, const WantItem& want,
                std::vector<Piece>& pieces) {
  if (want.verb == Verb::take) add_common_runs(index, entry.data_extents(), want.ranges, pieces);
}

StreamSize stream_size(const std::vector<Piece>& pieces) noexcept {
  StreamSize size;
  for (const Piece& piece : pieces) {
    if (piece.length == kUnknownSize)
      size.known = false;
    else
      size.bytes += piece.length;
  }
  return size;
}

std::uint64_t resumed_bytes(const std::vector<Entry>& entries, const std::vector<WantItem>& wants) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (wants[i].verb == Verb::take && entries[i].size != kUnknownSize)
      for (const Extent& run : entries[i].data_extents()) bytes += run.length;
  for (const Piece& piece : layout_stream(entries, wants))
    if (piece.length != kUnknownSize) bytes -= piece.length;
  return bytes;
}

}  // namespace adoc
