#include "source/content_reader.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "codec/lossy.hpp"
#include "codec/lossy/measure_loss.hpp"
#include "codec/predicted_form.hpp"
#include "util/errno_error.hpp"

namespace adoc {

namespace {

/// So much is read in one call, which nothing but its end ends.
constexpr std::size_t kReadBytes = 256 << 10;

/// So much is made lossy at once: a multiple of every number, and it stays in a cache.
constexpr std::size_t kLossyBytes = kLossyWindowBytes;

/// So much of a file tells that it is text; less than that of the least may be so by chance.
constexpr std::size_t kTextBytes = 512;
constexpr std::size_t kLeastTextBytes = 16;

bool is_text(std::byte byte) noexcept {
  const auto code = std::to_integer<unsigned char>(byte);
  return (code >= 0x20 && code < 0x7f) || code == '\n' || code == '\r' || code == '\t';
}

}  // namespace

std::size_t ContentReader::read_raw(std::uint64_t offset, std::span<std::byte> into,
                                    const std::stop_token& stop) const {
  std::size_t filled = 0;
  while (filled < into.size()) {
    if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "interrupted");
    const std::size_t wanted = std::min(into.size() - filled, kReadBytes);
    const ssize_t got =
        ::pread(file_, into.data() + filled, wanted, static_cast<off_t>(offset + filled));
    if (got == 0) break;
    if (got > 0)
      filled += static_cast<std::size_t>(got);
    else if (errno != EINTR)
      throw errno_error(ErrorKind::local_file, "read it", errno);
  }
  return filled;
}

std::size_t ContentReader::read(std::uint64_t offset, std::span<std::byte> into,
                                const std::stop_token& stop, LossyFigures* figures) {
  windows_.clear();
  in_windows_ = 0;
  if (!lossy_) return read_raw(offset, into, stop);
  const std::size_t grain = lossy_grain_bytes(*lossy_);
  // Of windows one at a time.
  const std::size_t most = grain > number_bytes(lossy_->type) ? grain : kLossyBytes;
  std::size_t filled = 0;
  while (filled < into.size()) {
    const std::uint64_t from = offset + filled;
    const std::span<std::byte> room = into.subspan(filled);
    const bool whole = from % grain == 0 && room.size() >= grain;
    const std::span<std::byte> part =
        room.first(whole ? std::min(room.size() - room.size() % grain, most)
                         : std::min<std::size_t>(room.size(), grain - from % grain));
    const std::size_t got =
        whole ? read_whole(from, part, stop, figures) : read_part(from, part, stop, figures);
    if (predicted_) {
      const std::size_t bytes = got - got % number_bytes(lossy_->type);
      windows_.push_back(window_of(*predicted_, bytes / number_bytes(lossy_->type)));
      windows_.back().skipped = filled - std::exchange(in_windows_, filled + bytes);
    }
    filled += got;
    if (got < part.size()) break;
  }
  return filled;
}

std::size_t ContentReader::read_whole(std::uint64_t offset, std::span<std::byte> into,
                                      const std::stop_token& stop, LossyFigures* figures) {
  const std::size_t got = read_raw(offset, into, stop);
  const std::span<std::byte> whole = into.first(got - got % number_bytes(lossy_->type));
  grain_at_.reset();
  predicted_ = lose_some(whole);
  if (figures != nullptr) figures->add(measure_loss(lossy_->type, numbers_, whole));
  return got;
}

std::size_t ContentReader::read_part(std::uint64_t offset, std::span<std::byte> into,
                                     const std::stop_token& stop, LossyFigures* figures) {
  const std::size_t grain = lossy_grain_bytes(*lossy_);
  const auto before = static_cast<std::size_t>(offset % grain);
  const std::size_t bytes = number_bytes(lossy_->type);
  if (grain_at_ != offset - before) {
    grain_.resize(grain);
    grain_.resize(read_raw(offset - before, grain_, stop));
    grain_predicted_ = lose_some(std::span(grain_).first(grain_.size() / bytes * bytes));
    // The end of a file may move.
    grain_at_.reset();
    if (grain_.size() == grain) grain_at_ = offset - before;
  }
  const std::size_t got = grain_.size();
  predicted_.reset();
  if (got <= before) return 0;
  const std::span<std::byte> whole = std::span(grain_).first(got - got % bytes);
  const std::size_t end = std::min(got, before + into.size());
  if (before == 0 && end == got) predicted_ = grain_predicted_;
  std::ranges::copy(std::span(grain_).subspan(before, end - before), into.begin());
  // Those that begin here; the read before, or the next one, has the rest of one that is cut.
  const auto up = [&](std::size_t place) {
    return std::min(whole.size(), (place + bytes - 1) / bytes * bytes);
  };
  if (const std::size_t first = up(before), last = up(end); figures != nullptr && first < last)
    figures->add(measure_loss(lossy_->type, ByteSpan(numbers_).subspan(first, last - first),
                              whole.subspan(first, last - first)));
  return end - before;
}

std::optional<Prediction> ContentReader::lose_some(std::span<std::byte> bytes) {
  numbers_.assign(bytes.begin(), bytes.end());
  return lose(*lossy_, numbers_, bytes, scratch_);
}

bool ContentReader::looks_like_text() const {
  std::array<std::byte, kTextBytes> begin{};
  const std::size_t got = read_raw(0, begin, {});
  return got >= kLeastTextBytes && std::ranges::all_of(std::span(begin).first(got), is_text);
}

}  // namespace adoc
