#include "support/recode.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "adoc/error.hpp"
#include "codec/byte_filter.hpp"
#include "codec/codec.hpp"
#include "codec/predicted_form.hpp"
#include "util/checksum.hpp"
#include "wire/arrived.hpp"
#include "wire/block.hpp"
#include "wire/bundle_record.hpp"
#include "wire/entry.hpp"
#include "wire/frame.hpp"
#include "wire/hello.hpp"
#include "wire/keep_alive.hpp"
#include "wire/offer.hpp"
#include "wire/outcome.hpp"
#include "wire/place.hpp"
#include "wire/status.hpp"
#include "wire/streams.hpp"
#include "wire/want.hpp"

namespace adoc::testkit {

namespace {

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorKind::corrupt, why); }

struct Stored {
  std::uint8_t codec = 0;
  std::size_t raw_bytes = 0;
  ByteSpan bytes{};
  ByteSpan prefix{};
};

Bytes decompress(const Stored& stored) {
  Bytes raw(stored.raw_bytes);
  make_decompressor(static_cast<CodecId>(stored.codec))
      ->decompress(stored.bytes, raw, stored.prefix);
  return raw;
}

class FrameRecoder {
 public:
  explicit FrameRecoder(Bytes& out) : out_(out) {}

  /// Reads the frames up to the end of the bytes.
  void run(ByteSpan bytes, bool needs_end) {
    while (!bytes.empty()) {
      if (ended_) fail(std::to_string(bytes.size()) + " bytes after the end");
      if (bytes.size() < kFrameHeaderBytes) fail("the stream ends in the middle of a frame");
      const auto header = FrameHeader::decode(bytes.first(kFrameHeaderBytes));
      bytes = bytes.subspan(kFrameHeaderBytes);
      if (bytes.size() < header.payload_bytes) fail("the stream ends in the middle of a frame");
      frame(header, bytes.first(header.payload_bytes));
      bytes = bytes.subspan(header.payload_bytes);
    }
    if (block_ || (needs_end && !ended_)) fail("the stream ends without its end");
  }

 private:
  template <typename Record>
  Record record(ByteSpan payload) {
    const Record read = Record::decode(open_record(Record::kType, payload));
    emit(encode_frame(read));
    return read;
  }

  void emit(ByteSpan bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }

  void offer(ByteSpan payload) {
    Offer offer = Offer::decode(open_record(FrameType::offer, payload));
    const auto entries = decode_manifest(
        decompress({.codec = offer.codec, .raw_bytes = offer.raw_bytes, .bytes = offer.stored}));
    const Bytes manifest = encode_manifest(entries);
    offer.raw_bytes = manifest.size();
    // What a codec makes of the manifest is its own business; raw is what is compared.
    if (static_cast<CodecId>(offer.codec) == CodecId::raw) offer.stored = manifest;
    emit(encode_frame(offer));
  }

  void packet(const FrameHeader& header, ByteSpan payload) {
    if (!block_) fail("a packet outside of a block");
    stored_.insert(stored_.end(), payload.begin(), payload.end());
    if (stored_.size() > max_stored_bytes(block_->raw_bytes)) fail("too many packets in a block");
    ByteWriter writer(out_);
    header.encode(writer);
    writer.bytes(payload);
  }

  void open(const BlockHeader& block) {
    block_ = block;
    linked_ = false;
    matches_.reset();
    filter_ = {};
    predicted_.reset();
    prefix_bytes_ = 0;
  }

  void linked_block(ByteSpan payload) {
    const auto linked = record<LinkedBlockHeader>(payload);
    if (linked.prefix_bytes > history_.size()) fail("the prefix is longer than what came before");
    open(linked.block);
    linked_ = true;
    prefix_bytes_ = linked.prefix_bytes;
  }

  void matched_block(ByteSpan payload) {
    const auto matched = record<MatchedBlockHeader>(payload);
    open(matched.block);
    matches_ = matched.matches;
    for (const Match& match : *matches_)
      if (match.distance > window_.size()) fail("a match reaches before what came before");
  }

  void filtered_block(ByteSpan payload) {
    const auto filtered = record<FilteredBlockHeader>(payload);
    open(filtered.block);
    filter_ = {.kind = FilterKind{filtered.filter},
               .item_bytes = filtered.item_bytes,
               .phase = filtered.phase};
    if (filter_.kind == FilterKind::none || !is_valid(filter_)) fail("there is no such filter");
  }

  void predicted_block(ByteSpan payload) {
    const auto predicted = record<PredictedBlockHeader>(payload);
    open(predicted.block);
    predicted_ = predicted;
  }

  /// What the literals of the open block and its matches make, up to where it was cut.
  Bytes with_copies(std::vector<Match> matches) {
    std::size_t left = block_->raw_bytes;
    std::size_t literals = left;
    std::size_t count = 0;
    for (; count < matches.size() && matches[count].literals < left; ++count) {
      const Match& match = matches[count];
      if (match.literals + match.length > left) fail("a cut within a match");
      left -= match.literals + match.length;
      literals -= match.length;
    }
    matches.resize(count);
    const Bytes stored =
        literals == 0 && stored_.empty()
            ? Bytes()
            : decompress({.codec = block_->codec, .raw_bytes = literals, .bytes = stored_});
    Bytes raw;
    ByteSpan rest = stored;
    const auto append = [&](ByteSpan bytes) { raw.insert(raw.end(), bytes.begin(), bytes.end()); };
    for (const Match& match : matches) {
      append(rest.first(match.literals));
      rest = rest.subspan(match.literals);
      append(ByteSpan(window_).last(match.distance).first(match.length));
    }
    append(rest);
    return raw;
  }

  void cut(ByteSpan payload) {
    const auto cut = record<Cut>(payload);
    if (!block_) fail("the cut of a block that is not open");
    if (cut.raw_bytes >= block_->raw_bytes) fail("a cut does not make its block shorter");
    if (predicted_) fail("a predicted block is cut");
    block_->raw_bytes = cut.raw_bytes;
    block_->checksum = cut.checksum;
    close(cut.stored_bytes);
  }

  void block_end(ByteSpan payload) {
    const auto end = record<BlockEnd>(payload);
    if (!block_) fail("the end of a block that is not open");
    close(end.stored_bytes);
  }

  void close(std::size_t stored_bytes) {
    if (stored_bytes != stored_.size()) fail("the block end has another stored length");
    std::size_t raw_bytes = block_->raw_bytes;
    if (predicted_) raw_bytes = folded_bytes(predicted_->type, raw_bytes, predicted_->literals);
    Bytes raw = matches_ ? with_copies(*matches_)
                         : decompress({.codec = block_->codec,
                                       .raw_bytes = raw_bytes,
                                       .bytes = stored_,
                                       .prefix = ByteSpan(history_).last(prefix_bytes_)});
    if (filter_.kind != FilterKind::none) {
      Bytes filtered = raw;
      undo_filter(filter_, filtered, raw);
    }
    if (predicted_) {
      const Bytes folded = std::exchange(raw, Bytes(block_->raw_bytes));
      unfold(predicted_->type, predicted_->windows, folded, raw);
    }
    if (xxh3_64(raw) != block_->checksum) fail("the block's checksum does not match");
    if (matches_) window_.insert(window_.end(), raw.begin(), raw.end());
    if (!linked_) history_.clear();
    if (linked_) history_.insert(history_.end(), raw.begin(), raw.end());
    block_.reset();
    stored_.clear();
  }

  void frame(const FrameHeader& header, ByteSpan payload) {
    const FrameType type = header.type;
    if (block_ && type != FrameType::packet && type != FrameType::block_end &&
        type != FrameType::cut && type != FrameType::error && type != FrameType::keep_alive)
      fail("a frame inside of a block");
    ended_ = type == FrameType::end || type == FrameType::error;
    if (type == FrameType::error) block_.reset();
    switch (type) {
      case FrameType::offer:
        return offer(payload);
      case FrameType::want:
        return static_cast<void>(record<Want>(payload));
      case FrameType::block:
        return open(record<BlockHeader>(payload));
      case FrameType::linked_block:
        return linked_block(payload);
      case FrameType::matched_block:
        return matched_block(payload);
      case FrameType::filtered_block:
        return filtered_block(payload);
      case FrameType::predicted_block:
        return predicted_block(payload);
      case FrameType::packet:
        return packet(header, payload);
      case FrameType::block_end:
        return block_end(payload);
      case FrameType::cut:
        return cut(payload);
      case FrameType::skip:
        return static_cast<void>(record<Skip>(payload));
      case FrameType::done:
        return static_cast<void>(record<Done>(payload));
      case FrameType::commit:
        return static_cast<void>(record<Commit>(payload));
      case FrameType::status:
        return static_cast<void>(record<Status>(payload));
      case FrameType::end:
        return static_cast<void>(record<End>(payload));
      case FrameType::keep_alive:
        return static_cast<void>(record<KeepAlive>(payload));
      case FrameType::place:
        return static_cast<void>(record<QueuePlace>(payload));
      case FrameType::arrived:
        return static_cast<void>(record<Arrived>(payload));
      case FrameType::failed:
        return static_cast<void>(record<Failed>(payload));
      case FrameType::streams:
        return static_cast<void>(record<StreamsOffer>(payload));
      case FrameType::join:
        return static_cast<void>(record<Join>(payload));
      case FrameType::split:
        return static_cast<void>(record<Split>(payload));
      case FrameType::far_request:
      case FrameType::far_answer:
      case FrameType::far_go:
        fail("a frame that comes before a connection");
      case FrameType::error:
        return static_cast<void>(record<ErrorFrame>(payload));
    }
  }

  Bytes& out_;
  std::optional<BlockHeader> block_;
  bool linked_ = false;
  std::size_t prefix_bytes_ = 0;
  Bytes stored_;
  Bytes history_;                                ///< raw bytes of the linked blocks directly before
  std::optional<std::vector<Match>> matches_{};  ///< of the open block, if it is a matched one
  Bytes window_;                                 ///< raw bytes of all matched blocks
  ByteFilter filter_{};                          ///< of the open block
  std::optional<PredictedBlockHeader> predicted_{};  ///< the open block, if it is one
  bool ended_ = false;
};

/// What comes behind a split or a join.
void recode_records(ByteSpan bytes, Bytes& out) {
  while (!bytes.empty()) {
    BundleRecord::Header header{};
    if (bytes.size() < header.size()) fail("the stream ends in the middle of a record");
    std::copy_n(bytes.begin(), header.size(), header.begin());
    const BundleRecord record = BundleRecord::decode(header);
    const BundleRecord::Header written = record.encode();
    const auto size = static_cast<std::size_t>(record.end() - record.offset);
    bytes = bytes.subspan(header.size());
    if (bytes.size() < size) fail("the stream ends in the middle of a record");
    out.insert(out.end(), written.begin(), written.end());
    out.insert(out.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    bytes = bytes.subspan(size);
  }
}

}  // namespace

Bytes recode(std::string_view name, ByteSpan bytes) {
  Bytes out;
  const bool hello_only = name.starts_with("hello-");
  const bool whole = name.starts_with("to-");
  if (hello_only || whole) {
    const bool from_sender = name.starts_with("hello-sender") || name.starts_with("to-receiver");
    const ByteSpan start = bytes.first(std::min(bytes.size(), kHelloBytes));
    out = Hello::decode(start, from_sender ? Role::sender : Role::receiver).encode();
    bytes = bytes.subspan(start.size());
  }
  if (name.starts_with("records-")) {
    recode_records(bytes, out);
    return out;
  }
  if (hello_only && !bytes.empty()) fail("bytes after the hello");
  FrameRecoder(out).run(bytes, whole);
  return out;
}

}  // namespace adoc::testkit
