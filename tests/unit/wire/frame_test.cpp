#include "wire/frame.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

#include "support/expect_error.hpp"
#include "util/checksum.hpp"
#include "wire/entry.hpp"
#include "wire/offer.hpp"
#include "wire/outcome.hpp"
#include "wire/want.hpp"

namespace adoc {
namespace {

using testkit::expect_corrupt;
using testkit::expect_error;

Bytes header_bytes(int type, std::uint32_t length) {
  Bytes bytes;
  ByteWriter out(bytes);
  out.u8(static_cast<std::uint8_t>(type));
  out.u32(length);
  return bytes;
}

std::size_t limit_of(int type) {
  return static_cast<FrameType>(type) == FrameType::packet ? kMaxPacketFrameBytes
                                                           : kMaxControlFrameBytes;
}

std::set<int> known_types() {
  std::set<int> types{17, 18, 19, 20, 24, 25, 26, 27, 28, 29, 30};
  for (int type = 1; type <= 15; ++type) types.insert(type);
  return types;
}

TEST(FrameTest, HeadersComeBackForEveryTypeUpToItsLimit) {
  // Goal: five bytes, type then length; the limit itself is allowed.
  for (const int type : known_types()) {
    const auto limit = static_cast<std::uint32_t>(limit_of(type));
    for (const std::uint32_t length : {std::uint32_t{4}, limit}) {
      const FrameHeader header{static_cast<FrameType>(type), length};
      Bytes bytes;
      ByteWriter out(bytes);
      header.encode(out);
      ASSERT_EQ(bytes, header_bytes(type, length));
      const auto read = FrameHeader::decode(bytes);
      EXPECT_EQ(read.type, header.type);
      EXPECT_EQ(read.payload_bytes, length);
      EXPECT_STRNE(frame_name(read.type), "unknown");
    }
  }
}

TEST(FrameTest, UnknownTypesAreErrors) {
  // Goal: every byte that is no frame type is refused by its number.
  for (int type = 0; type < 256; ++type) {
    if (known_types().contains(type)) continue;
    expect_corrupt("no frame type " + std::to_string(type),
                   [&] { static_cast<void>(FrameHeader::decode(header_bytes(type, 4))); });
  }
}

TEST(FrameTest, LengthsAboveTheLimitAreErrors) {
  // Goal: the length is refused from the header alone, before its payload is waited for.
  for (const int type : known_types())
    for (const auto length : {static_cast<std::uint32_t>(limit_of(type)) + 1,
                              std::uint32_t{1} << 31, std::numeric_limits<std::uint32_t>::max()})
      expect_corrupt("the limit is",
                     [&] { static_cast<void>(FrameHeader::decode(header_bytes(type, length))); });
}

TEST(FrameTest, CutHeadersAreErrors) {
  // Goal: a header is five bytes, never fewer.
  const Bytes whole = header_bytes(1, 4);
  for (std::size_t cut = 0; cut < whole.size(); ++cut)
    expect_corrupt("frame header",
                   [&] { static_cast<void>(FrameHeader::decode(ByteSpan(whole).first(cut))); });
}

TEST(FrameTest, TheCheckIsSeededWithTheType) {
  // Goal: the check is the specification's, and a record passes as its own type only.
  const End end{300};
  const Bytes frame = encode_frame(end);
  Bytes expected = header_bytes(9, 6);
  ByteWriter out(expected);
  out.varint(300);
  out.u32(static_cast<std::uint32_t>(xxh3_64(ByteSpan(expected).subspan(5), 9)));
  EXPECT_EQ(frame, expected);

  const ByteSpan payload = ByteSpan(frame).subspan(kFrameHeaderBytes);
  EXPECT_EQ(End::decode(open_record(FrameType::end, payload)), end);
  expect_corrupt("bad block end: its check value",
                 [&] { static_cast<void>(open_record(FrameType::block_end, payload)); });
}

TEST(FrameTest, PayloadsShorterThanTheirCheckAreErrors) {
  // Goal: lengths 0 to 3 do not underflow.
  for (std::size_t bytes = 0; bytes < kCheckBytes; ++bytes)
    expect_corrupt("shorter than its check value",
                   [&] { static_cast<void>(open_record(FrameType::end, Bytes(bytes))); });
}

TEST(FrameTest, TheLargestManifestFitsItsFrame) {
  // Goal: an offer whose codec added as much as it may is still a frame that the peer takes.
  Offer offer{.batch = std::numeric_limits<std::uint64_t>::max(), .raw_bytes = kMaxManifestBytes};
  offer.stored.resize(max_stored_bytes(kMaxManifestBytes));
  const Bytes frame = encode_frame(offer);
  const auto header = FrameHeader::decode(ByteSpan(frame).first(kFrameHeaderBytes));
  EXPECT_EQ(header.payload_bytes, frame.size() - kFrameHeaderBytes);
}

TEST(FrameTest, TheLargestAnswersFitTheirFrames) {
  // Goal: every entry of a full batch may fail with the longest reason.
  const std::string reason(kMaxMessageBytes, 'r');
  Done done{.batch = 1, .stream_bytes = 1, .failures = {}};
  Commit commit{.batch = 1, .items = {}};
  Want want{.batch = 1, .items = {}};
  for (std::size_t entry = 0; entry < kMaxBatchEntries; ++entry) {
    done.failures.push_back({entry, reason});
    commit.items.push_back({Fate::failed, reason});
    want.items.push_back({Verb::refuse, {}, reason});
  }
  for (const Bytes& frame : {encode_frame(done), encode_frame(commit), encode_frame(want)})
    EXPECT_NO_THROW(
        static_cast<void>(FrameHeader::decode(ByteSpan(frame).first(kFrameHeaderBytes))));
}

TEST(FrameTest, AFrameAboveTheLimitIsOurOwnError) {
  // Goal: what the peer would refuse is never sent, and is not blamed on the peer.
  Offer offer;
  offer.stored.resize(kMaxControlFrameBytes);
  expect_error(ErrorKind::internal, "offer", [&] { static_cast<void>(encode_frame(offer)); });
}

}  // namespace
}  // namespace adoc
