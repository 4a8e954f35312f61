#include "pipeline/block_emitter.hpp"

#include <algorithm>
#include <utility>

#include "adoc/error.hpp"
#include "codec/filter_trial.hpp"
#include "pipeline/match_finder.hpp"
#include "pipeline/starving.hpp"
#include "util/checksum.hpp"
#include "wire/block.hpp"
#include "wire/frame.hpp"

namespace adoc {

namespace {

constexpr std::size_t kMaxHeaderFrameBytes = 72;
constexpr std::size_t kMaxEndFrameBytes = 40;

/// A raw packet up to this size is copied behind its header: that costs less than two items more.
constexpr std::size_t kCopiedBytes = 16 << 10;

/// A shorter raw block takes hardly longer than to ask how long it took.
constexpr std::size_t kTimedRawBytes = 64 << 10;

/// Thrown through a compressor whose block is given up.
struct GivenUp {};

/// Below this the tables of an entropy coder may cost more than it saves.
constexpr std::size_t kSureToShrinkBytes = 8'192;

/// A slow compressor hands its packets over soon, or a slow link would wait for them.
constexpr int kSlowZstd = 9;
constexpr std::size_t kSlowPacketBytes = 8'192;

/// A block shorter than this is soon over anyway.
constexpr std::size_t kCuttableBytes = 1 << 20;

void append_packet_header(Buffer& to, std::size_t payload_bytes) {
  Bytes header;
  ByteWriter out(header);
  FrameHeader{FrameType::packet, static_cast<std::uint32_t>(payload_bytes)}.encode(out);
  to.append(header);
}

/// The compressor's next packet, behind its header, where it is not copied; nothing when that is
/// empty. Tells its length.
std::size_t append_packet(Buffer& to, Compressor& codec, std::size_t most_bytes) {
  const std::size_t begin = to.size();
  to.resize(begin + kFrameHeaderBytes + most_bytes);
  const std::size_t length =
      codec.next_packet(std::span(to).subspan(begin + kFrameHeaderBytes, most_bytes));
  to.resize(begin);
  if (length == 0) return 0;
  append_packet_header(to, length);
  to.resize(to.size() + length);
  return length;
}

/// Whether all that is known of a block before it is compressed is no promise that it will shrink.
bool may_grow(const Rung& rung, const SampleStats& stats, std::size_t raw_bytes) noexcept {
  if (is_dense(rung.codec)) return true;  // all of it is made before any of it leaves, anyway
  const bool codes_entropy =
      rung.codec == CodecId::zlib || (rung.codec == CodecId::zstd && rung.setting > 0);
  return !codes_entropy || raw_bytes < kSureToShrinkBytes || stats.random;
}

bool is_filtered(const BlockEmitter::Task& task) {
  return task.filter.kind != FilterKind::none || task.predicted != nullptr;
}

/// What is compressed of the block.
ByteSpan stored_part(const BlockEmitter::Task& task) {
  if (is_filtered(task)) return task.filtered;
  return task.matches != nullptr ? task.literals : task.block.bytes;
}

/// Tells how many raw bytes the block has now.
std::size_t cut_short(Compressor& codec, const BlockEmitter::Task& task) {
  const std::size_t literals = codec.cut();
  if (task.matches == nullptr) return literals;
  return raw_bytes_of(literals, *task.matches);
}

Bytes end_frame(const BlockEmitter::Task& task, std::size_t stored, std::size_t raw_bytes) {
  if (raw_bytes == task.block.bytes.size()) return encode_frame(BlockEnd{stored});
  return encode_frame(Cut{.stored_bytes = stored,
                          .raw_bytes = raw_bytes,
                          .checksum = xxh3_64(task.block.bytes.first(raw_bytes))});
}

}  // namespace

BlockEmitter::BlockEmitter(const Ladder& ladder, std::size_t packet_bytes, Fifo& fifo,
                           BufferStock& stock, std::function<bool()> on_packet)
    : ladder_(ladder),
      packet_bytes_(packet_bytes),
      fifo_(fifo),
      stock_(stock),
      on_packet_(std::move(on_packet)) {}

BlockEmitter::Written BlockEmitter::emit(const Task& task) {
  const Clock::time_point begin = Clock::now();
  Written written{.raw_bytes = task.block.bytes.size()};
  const bool raw = ladder_[task.level].codec == CodecId::raw || stored_part(task).empty();
  const bool timed = !raw || written.raw_bytes >= kTimedRawBytes;
  const double processor_begin = timed ? thread_seconds() : 0;
  task_ = &task;
  try {
    if (raw) {
      emit_raw(task, written);
    } else if (!emit_compressed(task, written)) {
      written.ran_dry = fifo_.size() == 0;
      emit_raw(task, written);
    }
  } catch (const GivenUp&) {
    written.raw_bytes = 0;
  }
  task_ = nullptr;
  if (timed) written.processor_seconds += thread_seconds() - processor_begin;
  written.compress_seconds += seconds_since(begin);
  return written;
}

Rung BlockEmitter::trial_rung(int level) const {
  constexpr Rung kCodesEntropy{CodecId::zstd, 1};
  constexpr Rung kMadeAtOnce{CodecId::zstd, 9};
  const Rung& rung = ladder_[level];
  if (rung.codec == CodecId::raw) return kCodesEntropy;
  return is_dense(rung.codec) ? kMadeAtOnce : rung;
}

FilterCosts BlockEmitter::try_filters(const FilterTrial& trial, ByteSpan block, const Rung& rung) {
  return adoc::try_filters(trial, block, compressor(rung.codec), rung.setting);
}

void BlockEmitter::forget_compressors() noexcept {
  for (auto& compressor : compressors_) compressor.reset();
}

void BlockEmitter::emit_raw(const Task& task, Written& written) {
  const ByteSpan stored = is_filtered(task) ? task.block.bytes : stored_part(task);
  const std::size_t size = stored.size();
  if (task.whole != nullptr && size > kCopiedBytes && size <= kMaxPacketFrameBytes) {
    // The bytes go from where they were read to the system: nothing is copied.
    Buffer head = empty_buffer(0);
    append_header(head, task, CodecId::raw);
    append_packet_header(head, size);
    push(task, std::move(head), 0, written);
    push(task, std::move(*task.whole), (size + packet_bytes_ - 1) / packet_bytes_, written);
    push(task, encode_frame(BlockEnd{size}), 0, written);
    return;
  }
  Buffer frames = empty_buffer(packet_bytes_);
  append_header(frames, task, CodecId::raw);
  for (ByteSpan rest = stored; !rest.empty();) {
    const ByteSpan payload = rest.first(std::min(rest.size(), packet_bytes_));
    append_packet_header(frames, payload.size());
    frames.append(payload);
    rest = rest.subspan(payload.size());
    if (rest.empty()) break;
    push(task, std::move(frames), 1, written);
    frames = empty_buffer(packet_bytes_);
  }
  frames.append(encode_frame(BlockEnd{size}));
  push(task, std::move(frames), 1, written);
}

// False when the block does not shrink. What must shrink streams; a block that may not is held back
// until its last packet tells.
bool BlockEmitter::emit_compressed(const Task& task, Written& written) {
  const Rung& rung = ladder_[task.level];
  const ByteSpan literals = stored_part(task);
  const std::size_t size = literals.size();
  const std::size_t most = packet_bytes(rung);
  Compressor& codec = compressor(rung.codec);
  Starving starving;
  codec.begin(literals, rung.setting, task.prefix);

  // What is predicted may be longer than it was, before it is compressed.
  const bool hold = may_grow(rung, task.stats, size) || size > task.block.bytes.size();
  const bool may_cut = task.may_cut && !is_filtered(task);
  std::vector<Buffer> held;
  std::size_t stored = 0;
  for (bool first = true;; first = false) {
    Buffer frames = empty_buffer(most);
    if (first) append_header(frames, task, rung.codec);
    const std::size_t length = append_packet(frames, codec, most);
    if (first) written.processor_seconds = codec.seconds_elsewhere();
    const bool last = length < most;
    stored += length;
    if (last && (first || hold) && stored >= std::min(size, task.block.bytes.size())) {
      stock_.give_back(std::move(frames));
      for (Buffer& waiting : held) stock_.give_back(std::move(waiting));
      return false;
    }
    if (last) frames.append(end_frame(task, stored, written.raw_bytes));
    const bool whole = written.raw_bytes == task.block.bytes.size();
    // Asked before the packet is pushed: it is the link's next work.
    const bool system_sends = on_packet_ && on_packet_();
    starving.follow(Clock::now(), system_sends ? 0 : fifo_.starved_seconds(task.lane));
    const bool cut =
        !last && !hold && may_cut && whole && size >= kCuttableBytes && starving.starves();
    if (hold)
      held.push_back(std::move(frames));
    else
      push(task, std::move(frames), length != 0 ? 1 : 0, written);
    if (cut) written.raw_bytes = cut_short(codec, task);
    if (!last) continue;
    written.codec = rung.codec;
    written.filter = task.filter;
    written.predicted = task.predicted != nullptr;
    written.ran_dry = hold && fifo_.size() == 0;
    for (Buffer& queued : held) {
      const bool no_packet = length == 0 && &queued == &held.back();
      push(task, std::move(queued), no_packet ? 0 : 1, written);
    }
    return true;
  }
}

void BlockEmitter::append_header(Buffer& frames, const Task& task, CodecId codec) const {
  const BlockHeader header{.batch = task.block.batch,
                           .offset = task.block.offset,
                           .raw_bytes = task.block.bytes.size(),
                           .codec = static_cast<std::uint8_t>(codec),
                           .level = static_cast<std::uint8_t>(task.level),
                           .checksum = xxh3_64(task.block.bytes)};
  if (task.predicted != nullptr && codec != CodecId::raw) {
    frames.append(encode_frame(PredictedBlockHeader{.block = header,
                                                    .type = task.predicted->type,
                                                    .literals = task.predicted_literals,
                                                    .windows = task.predicted->windows}));
  } else if (is_filtered(task) && codec != CodecId::raw) {
    frames.append(
        encode_frame(FilteredBlockHeader{.block = header,
                                         .filter = static_cast<std::uint8_t>(task.filter.kind),
                                         .item_bytes = task.filter.item_bytes,
                                         .phase = task.filter.phase}));
  } else if (task.matches != nullptr) {
    frames.append(encode_frame(MatchedBlockHeader{.block = header, .matches = *task.matches}));
  } else if (!task.linked) {
    frames.append(encode_frame(header));
  } else {
    const std::size_t prefix = codec == CodecId::zstd ? task.prefix.bytes.size() : 0;
    frames.append(encode_frame(LinkedBlockHeader{.block = header, .prefix_bytes = prefix}));
  }
}

std::size_t BlockEmitter::packet_bytes(const Rung& rung) const noexcept {
  const bool slow = rung.codec == CodecId::zstd && rung.setting >= kSlowZstd;
  return slow ? std::min(packet_bytes_, kSlowPacketBytes) : packet_bytes_;
}

Buffer BlockEmitter::empty_buffer(std::size_t payload_bytes) {
  return stock_.take(kMaxHeaderFrameBytes + kFrameHeaderBytes + payload_bytes + kMaxEndFrameBytes);
}

Compressor& BlockEmitter::compressor(CodecId id) {
  auto& slot = compressors_.at(static_cast<std::size_t>(id));
  if (!slot) slot = make_compressor(id, [this] { check_on_block(); });
  return *slot;
}

// What takes seconds is not waited for once the transfer has failed, or the block is given up.
void BlockEmitter::check_on_block() {
  fifo_.throw_failure();
  const bool system_sends = on_packet_ && on_packet_();
  if (system_sends || task_ == nullptr || fifo_.starved_seconds(task_->lane) <= 0) return;
  if (task_->gives_up && task_->gives_up()) throw GivenUp();
}

void BlockEmitter::push(const Task& task, Buffer frames, std::size_t weight, Written& written) {
  written.wire_bytes += frames.size();
  const Clock::time_point begin = Clock::now();
  if (!fifo_.push(task.lane, std::move(frames), weight)) return;
  written.waited = true;
  written.compress_seconds -= seconds_since(begin);
}

}  // namespace adoc
