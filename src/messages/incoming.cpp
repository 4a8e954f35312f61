#include "messages/incoming.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "adoc/error.hpp"
#include "messages/codec_stock.hpp"
#include "util/checksum.hpp"

namespace adoc::messages {

namespace {

/// Of the caller's memory that is read into together with a header: what of it turns out to be the
/// next frame's is copied.
constexpr std::size_t kBehindHeaderBytes = 256 << 10;

/// A run's memory grows with what has come of it, by this much.
constexpr std::size_t kStoredStepBytes = 64 << 10;

template <typename Bytes>
std::size_t copy(ByteSpan from, Bytes into) noexcept {
  const std::size_t bytes = std::min(from.size(), into.size());
  if (bytes != 0) std::memcpy(into.data(), from.data(), bytes);
  return bytes;
}

}  // namespace

Count Incoming::read(Source& source, std::span<std::byte> into) {
  if (into.empty()) return failed_;
  const Count first = read_run(source, into);
  if (first <= 0) return first;
  // More of what is here already, which costs nothing.
  auto taken = static_cast<std::size_t>(first);
  class Nothing final : public Source {
    Count read(std::span<const iovec> /*parts*/) override { return -EAGAIN; }
  } nothing;
  while (taken < into.size() && pending() > 0) {
    const Count next = read_run(nothing, into.subspan(taken));
    if (next <= 0) break;
    taken += static_cast<std::size_t>(next);
  }
  return static_cast<Count>(taken);
}

Count Incoming::read_run(Source& source, std::span<std::byte> into) {
  while (failed_ == 0) {
    if (raw_taken_ < raw_.size()) {
      const std::size_t bytes = copy(ByteSpan(raw_.data(), raw_.size()).subspan(raw_taken_), into);
      raw_taken_ += bytes;
      if (raw_taken_ == raw_.size()) raw_ = Buffer();
      return static_cast<Count>(bytes);
    }
    if (mark_) return -ENOMSG;
    if (packed_) {
      const Count complete = read_stored(source);
      if (complete <= 0) return complete;
      const Count bytes = unpack(into);
      if (bytes != 0) return bytes;
      continue;
    }
    if (plain_left_ > 0) {
      const std::span<std::byte> wanted = into.first(std::min(into.size(), plain_left_));
      Count bytes = static_cast<Count>(take_ahead(wanted));
      if (bytes == 0) {
        const iovec part = as_iovec(wanted);
        bytes = source.read({&part, 1});
        if (bytes == 0) return ended_within();
        if (bytes < 0) return bytes;
      }
      plain_left_ -= static_cast<std::size_t>(bytes);
      return bytes;
    }
    std::size_t behind = 0;
    const Count header = read_header(source, into, behind);
    if (header <= 0) return header;
    const std::size_t own = std::min(behind, plain_left_);
    keep_ahead(into.subspan(own, behind - own));
    plain_left_ -= own;
    if (own > 0) return static_cast<Count>(own);
  }
  return failed_;
}

Count Incoming::read_mark(Source& source, FileMark& mark) {
  while (failed_ == 0 && !mark_) {
    if (raw_taken_ < raw_.size() || packed_ || plain_left_ > 0) return -ENOMSG;
    std::size_t behind = 0;
    const Count header = read_header(source, {}, behind);
    if (header <= 0) return header;
  }
  if (failed_ != 0) return failed_;
  mark = *std::exchange(mark_, std::nullopt);
  return 1;
}

// What a stream that is none begins with is seen at once, not when as much has come as a header
// has.
Count Incoming::read_header(Source& source, std::span<std::byte> spare, std::size_t& behind) {
  try {
    for (;;) {
      take_ahead_into_header();
      const std::size_t whole = message_header_bytes(header());
      if (whole != 0 && header_size_ == whole) break;
      const std::size_t least = whole != 0 ? whole : PlainRun::kBytes;
      const std::size_t missing = least - header_size_;
      const std::array parts{as_iovec(std::span(header_).subspan(header_size_, missing)),
                             as_iovec(spare.first(std::min(spare.size(), kBehindHeaderBytes)))};
      const Count bytes = source.read(parts);
      if (bytes == 0) return header_size_ == 0 ? 0 : ended_within();
      if (bytes < 0) return bytes;
      const auto came = static_cast<std::size_t>(bytes);
      header_size_ += std::min(came, missing);
      if (came <= missing) continue;
      behind = came - missing;
      // A longer header's rest is among what came behind the shortest one.
      const std::size_t known = message_header_bytes(header());
      if (known > header_size_) {
        keep_ahead(spare.first(std::exchange(behind, 0)));
        spare = {};
        continue;
      }
      break;
    }
    const MessageHeader decoded = decode_message_header(header());
    header_size_ = 0;
    if (const auto* const plain = std::get_if<PlainRun>(&decoded)) {
      plain_left_ = plain->raw_bytes;
    } else if (const auto* const packed = std::get_if<PackedRun>(&decoded)) {
      packed_ = *packed;
    } else {
      mark_ = std::get<FileMark>(decoded);
    }
    return 1;
  } catch (const Error&) {
    return break_off(EPROTO);
  }
}

void Incoming::take_ahead_into_header() {
  while (!ahead().empty()) {
    const std::size_t whole = message_header_bytes(header());
    const std::size_t missing = (whole != 0 ? whole : 1) - header_size_;
    if (missing == 0) return;
    header_size_ += take_ahead(std::span(header_).subspan(header_size_, missing));
  }
}

Count Incoming::read_stored(Source& source) {
  while (stored_.size() < packed_->stored_bytes) {
    const std::size_t before = stored_.size();
    const std::size_t step = std::min(packed_->stored_bytes - before, kStoredStepBytes);
    stored_.reserve(
        std::min<std::size_t>(std::max(2 * before, before + step), packed_->stored_bytes));
    stored_.resize(std::min<std::size_t>(stored_.capacity(), packed_->stored_bytes));
    const std::span<std::byte> room(stored_.data() + before, stored_.size() - before);
    Count bytes = static_cast<Count>(take_ahead(room));
    if (bytes == 0) {
      const iovec part = as_iovec(room);
      bytes = source.read({&part, 1});
    }
    stored_.resize(before + static_cast<std::size_t>(std::max<Count>(bytes, 0)));
    if (bytes == 0) return ended_within();
    if (bytes < 0) return bytes;
  }
  return 1;
}

// The caller gets it without a copy where all of it has room there.
Count Incoming::unpack(std::span<std::byte> into) {
  const PackedRun run = *packed_;
  const bool direct = into.size() >= run.raw_bytes;
  Buffer kept;
  if (!direct) kept.resize(run.raw_bytes);
  const std::span<std::byte> raw =
      direct ? into.first(run.raw_bytes) : std::span(kept.data(), kept.size());
  try {
    const LentCodecs codecs;
    codecs->decompressor(static_cast<CodecId>(run.codec))
        .decompress(ByteSpan(stored_.data(), stored_.size()), raw);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt) throw;
    return break_off(EBADMSG);
  }
  if (xxh3_64(raw) != run.checksum) return break_off(EBADMSG);
  packed_.reset();
  stored_ = Buffer();
  if (direct) return static_cast<Count>(raw.size());
  raw_ = std::move(kept);
  raw_taken_ = 0;
  return 0;
}

std::size_t Incoming::take_ahead(std::span<std::byte> into) noexcept {
  const std::size_t bytes = copy(ahead(), into);
  ahead_taken_ += bytes;
  if (ahead_taken_ == ahead_.size() && ahead_taken_ != 0) {
    ahead_ = Buffer();
    ahead_taken_ = 0;
  }
  return bytes;
}

void Incoming::keep_ahead(ByteSpan bytes) { ahead_.append(bytes); }

Count Incoming::ended_within() noexcept { return break_off(EBADMSG); }

Count Incoming::pending() const noexcept {
  if (raw_taken_ < raw_.size()) return static_cast<Count>(raw_.size() - raw_taken_);
  if (failed_ != 0) return failed_;
  if (mark_) return -ENOMSG;
  if (plain_left_ > 0) return static_cast<Count>(std::min(plain_left_, ahead().size()));
  if (packed_) {
    const bool whole = stored_.size() + ahead().size() >= packed_->stored_bytes;
    return whole ? static_cast<Count>(packed_->raw_bytes) : 0;
  }
  if (ahead().empty()) return 0;
  // The next header is looked at as read() would.
  std::array<std::byte, kMaxMessageHeaderBytes> next = header_;
  const std::size_t size = header_size_ + copy(ahead(), std::span(next).subspan(header_size_));
  try {
    const std::size_t whole = message_header_bytes(ByteSpan(next).first(size));
    if (size < whole) return 0;
    const std::size_t behind = header_size_ + ahead().size() - whole;
    const MessageHeader decoded = decode_message_header(ByteSpan(next).first(whole));
    if (const auto* const plain = std::get_if<PlainRun>(&decoded))
      return static_cast<Count>(std::min<std::size_t>(plain->raw_bytes, behind));
    if (const auto* const packed = std::get_if<PackedRun>(&decoded))
      return behind >= packed->stored_bytes ? static_cast<Count>(packed->raw_bytes) : 0;
    return -ENOMSG;
  } catch (const Error&) {
    return -EPROTO;
  }
}

}  // namespace adoc::messages
