// The reader of a stream of messages against any bytes, in pieces of any length, into reads of any
// length: the first byte says whether it is to be made right headers around them. What comes of it
// must be the same however it is cut, and adoc_pending()'s promise must hold.

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "fuzz/session_fuzzing.hpp"
#include "messages/incoming.hpp"

namespace {

using namespace adoc;
using messages::Count;
using messages::Incoming;

constexpr std::size_t kMostRead = 8 << 20;

/// Gives `piece` bytes a call, or EAGAIN before each of them.
class Pieces final : public Incoming::Source {
 public:
  Pieces(ByteSpan bytes, std::size_t piece, bool again)
      : rest_(bytes), piece_(piece), again_(again) {}

  Count read(std::span<const iovec> parts) override {
    if (again_ && std::exchange(waits_, !waits_)) return -EAGAIN;
    std::size_t left = std::min(piece_, rest_.size());
    std::size_t given = 0;
    for (const iovec& part : parts) {
      const std::size_t some = std::min(left, part.iov_len);
      if (some != 0) std::memcpy(part.iov_base, rest_.data(), some);
      rest_ = rest_.subspan(some);
      left -= some;
      given += some;
    }
    return static_cast<Count>(given);
  }

 private:
  ByteSpan rest_;
  std::size_t piece_;
  bool again_;
  bool waits_ = true;
};

/// All that comes, and what it ended with.
std::pair<Bytes, Count> read_all(Pieces source, std::size_t at_once) {
  Incoming in;
  Bytes all;
  Bytes some(at_once);
  while (all.size() < kMostRead) {
    const Count promised = in.pending();
    const Count came = in.read(source, some);
    if (promised > 0) fuzz::require(came > 0 || came == -EBADMSG);
    if (came == -EAGAIN) continue;
    if (came == -ENOMSG) {
      FileMark mark;
      fuzz::require(in.read_mark(source, mark) == 1);
      continue;
    }
    if (came <= 0) return {all, came};
    fuzz::require(static_cast<std::size_t>(came) <= some.size());
    all.insert(all.end(), some.begin(), some.begin() + came);
  }
  return {all, 1};
}

/// Frames that get as far as what is behind their header.
Bytes made_up(fuzz::Input& input) {
  Bytes stream;
  const auto add = [&](const auto& header) {
    stream.insert(stream.end(), header.begin(), header.end());
  };
  for (int i = 0; i < 8; ++i) {
    const std::uint8_t kind = input.u8();
    const Bytes behind = input.take(1 + input.u8());
    const auto size = static_cast<std::uint32_t>(behind.size());
    if (kind % 4 == 0) {
      add(FileMark{static_cast<FileMark::Mark>(kind / 4 % 3), 0}.encode());
    } else if (kind % 4 == 1) {
      add(PlainRun{size + kind / 128}.encode());
    } else {
      add(PackedRun{.codec = static_cast<std::uint8_t>(1 + kind % 3),
                    .raw_bytes = std::uint32_t{1} + kind * std::uint32_t{257} + size,
                    .stored_bytes = size,
                    .checksum = kind}
              .encode());
    }
    stream.insert(stream.end(), behind.begin(), behind.end());
  }
  return stream;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(std::as_bytes(std::span(data, size)));
  const std::uint8_t selector = input.u8();
  const std::size_t piece = 1 + input.u8();
  const std::size_t at_once = 1 + input.u16();
  const Bytes stream = selector % 2 == 0 ? input.take(size) : made_up(input);
  const auto whole = read_all({stream, stream.size() + 1, false}, kMostRead);
  const auto cut = read_all({stream, piece, selector >= 128}, at_once);
  fuzz::require(whole == cut);
  return 0;
}
