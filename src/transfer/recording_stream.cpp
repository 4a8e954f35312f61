#include "transfer/recording_stream.hpp"

#include <algorithm>

#include "adoc/error.hpp"
#include "codec/manifest.hpp"
#include "wire/frame.hpp"
#include "wire/outcome.hpp"
#include "wire/recording.hpp"
#include "wire/want.hpp"

namespace adoc {

namespace {

/// A want and a commit for each batch in flight, hello and end.
constexpr std::size_t kMostReplies = 2 * kMaxBatchesInFlight + 2;

bool is_answered(FrameType type) noexcept {
  return type == FrameType::offer || type == FrameType::done || type == FrameType::end;
}

}  // namespace

RecordingStream::RecordingStream(RecordingFile& file)
    : file_(file),
      replies_(kMostReplies),
      aborted_(std::make_exception_ptr(
          Error(ErrorKind::interrupted, "no more is written to " + file.path()))) {
  replies_.push(recording_hello().encode());
}

std::size_t RecordingStream::read_some(std::span<std::byte> into) {
  if (read_of_reply_ == reply_.size()) {
    auto next = replies_.pop();
    if (!next) return 0;
    reply_ = *std::move(next);
    read_of_reply_ = 0;
  }
  const std::size_t count = std::min(into.size(), reply_.size() - read_of_reply_);
  std::copy_n(reply_.begin() + static_cast<std::ptrdiff_t>(read_of_reply_), count, into.begin());
  read_of_reply_ += count;
  return count;
}

std::size_t RecordingStream::write_some(std::span<const ByteSpan> pieces) {
  std::size_t count = 0;
  try {
    for (const ByteSpan piece : pieces) {
      file_.write(piece);
      look_at(piece);
      count += piece.size();
    }
  } catch (...) {
    // To who writes a connection is merely lost; who reads tells why.
    replies_.fail(std::current_exception());
    throw;
  }
  written_bytes_.fetch_add(count, std::memory_order_relaxed);
  return count;
}

void RecordingStream::look_at(ByteSpan bytes) {
  while (!bytes.empty()) {
    if (passing_bytes_ != 0) {
      const auto passing =
          static_cast<std::size_t>(std::min<std::uint64_t>(passing_bytes_, bytes.size()));
      bytes = bytes.subspan(passing);
      passing_bytes_ -= passing;
      continue;
    }
    std::size_t wanted = kFrameHeaderBytes;
    if (frame_.size() >= kFrameHeaderBytes)
      wanted += FrameHeader::decode(ByteSpan(frame_).first(kFrameHeaderBytes)).payload_bytes;
    const std::size_t count = std::min(wanted - frame_.size(), bytes.size());
    frame_.insert(frame_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
    bytes = bytes.subspan(count);
    if (frame_.size() < kFrameHeaderBytes) continue;
    const FrameHeader header = FrameHeader::decode(ByteSpan(frame_).first(kFrameHeaderBytes));
    if (!is_answered(header.type)) {
      passing_bytes_ = header.payload_bytes;
      frame_.clear();
    } else if (frame_.size() == kFrameHeaderBytes + header.payload_bytes) {
      answer(header.type, ByteSpan(frame_).subspan(kFrameHeaderBytes));
      frame_.clear();
    }
  }
}

void RecordingStream::answer(FrameType type, ByteSpan payload) {
  const ByteSpan record = open_record(type, payload);
  if (type == FrameType::offer) {
    const Offer offer = Offer::decode(record);
    const std::vector<Entry> entries = unpack_manifest(offer);
    entries_.push_back(entries.size());
    replies_.push(encode_frame(Want{.batch = offer.batch, .items = want_everything(entries)}));
  } else if (type == FrameType::done) {
    const Done done = Done::decode(record);
    Commit commit{.batch = done.batch, .items = std::vector<Commit::Item>(entries_.front())};
    entries_.pop_front();
    for (const Done::Failure& failure : done.failures)
      commit.items[failure.entry] = {Fate::failed, failure.reason};
    replies_.push(encode_frame(commit));
  } else {
    file_.publish();
    replies_.push(encode_frame(End::decode(record)));
    replies_.close();
  }
}

}  // namespace adoc
