#include "pipeline/frame_reader.hpp"

#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/made_up_frames.hpp"
#include "support/test_streams.hpp"
#include "wire/outcome.hpp"

namespace adoc {
namespace {

using testkit::expect_error;
using testkit::joined;
using testkit::packet_frame;
using testkit::RecordedStream;

std::function<std::size_t()> pieces_of(std::size_t count) {
  return [count] { return count; };
}

Bytes text(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 31 + i / 256);
  return bytes;
}

/// Packets of all sizes with records between them, behind a hello: some larger than the reader's
/// buffer, and on either side of each size from which one is read in another way.
constexpr std::chrono::seconds kLimit{20};

const std::vector<std::size_t> kPackets{
    0, 1, 64, 8'191, 8'192, 65'535, 65'536, 300'000, 5, 1 << 20, 65'536, 65'536, 100'000, 8'193, 1};

Bytes payload(FrameReader& reader, const Frame& frame) {
  Bytes bytes(frame.payload_bytes);
  reader.read_payload(bytes);
  return bytes;
}

Bytes conversation() {
  Bytes all = Hello{.role = Role::sender}.encode();
  for (const std::size_t size : kPackets)
    all = joined({all, packet_frame(text(size)), encode_frame(End{size})});
  return all;
}

void expect_conversation(FrameReader& reader) {
  EXPECT_EQ(reader.hello(Role::sender, kLimit).role, Role::sender);
  for (const std::size_t size : kPackets) {
    auto frame = reader.next();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->type, FrameType::packet);
    EXPECT_EQ(frame->payload_bytes, size);
    EXPECT_TRUE(payload(reader, *frame) == text(size));
    frame = reader.next();
    ASSERT_TRUE(frame);
    ASSERT_EQ(frame->type, FrameType::end);
    EXPECT_EQ(End::decode(frame->bytes).batches, size);
  }
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.received_bytes(), conversation().size());
}

TEST(FrameReaderTest, FramesAreTheSameHoweverTheirBytesArrive) {
  // Goal: one byte at a time, everything at once, and anything between.
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{8'197}, SIZE_MAX}) {
    RecordedStream stream(conversation(), pieces_of(piece));
    FrameReader reader(stream);
    expect_conversation(reader);
  }
  testkit::Rng rng = testkit::seeded_rng();
  for (int i = 0; i < 20; ++i) {
    RecordedStream stream(conversation(), [&] { return 1 + testkit::any_size(rng, 1 << 20); });
    FrameReader reader(stream);
    expect_conversation(reader);
  }
}

TEST(FrameReaderTest, AnEndInsideAFrameIsALostConnectionAndOneBetweenFramesIsNone) {
  // Goal: truncation at every byte of a few frames is told from the end of the stream.
  const std::vector<Bytes> frames{packet_frame(text(30)), encode_frame(End{3}),
                                  packet_frame(text(0)), encode_frame(ErrorFrame{1, "why"})};
  Bytes all;
  std::vector<std::size_t> borders{0};
  for (const Bytes& frame : frames) {
    all = joined({all, frame});
    borders.push_back(all.size());
  }
  for (std::size_t count = 0; count <= all.size(); ++count) {
    SCOPED_TRACE(count);
    RecordedStream stream(Bytes(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)),
                          pieces_of(4));
    FrameReader reader(stream);
    const auto read_all = [&] {
      std::size_t read = 0;
      while (const auto frame = reader.next()) {
        if (frame->type == FrameType::packet) static_cast<void>(payload(reader, *frame));
        ++read;
      }
      return read;
    };
    const auto border = std::ranges::find(borders, count);
    if (border == borders.end())
      expect_error(ErrorKind::connect, "in the middle of a", read_all);
    else
      EXPECT_EQ(read_all(), static_cast<std::size_t>(border - borders.begin()));
  }
}

TEST(FrameReaderTest, ALongPacketThatIsCutAnywhereIsALostConnection) {
  // Goal: what is read straight to where it belongs ends as what comes through the buffer does.
  const Bytes frame = packet_frame(text(100'000));
  for (const std::size_t count : {6UL, 1'000UL, 70'000UL, 99'000UL, 100'004UL}) {
    SCOPED_TRACE(count);
    RecordedStream stream(Bytes(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(count)),
                          pieces_of(9'000));
    FrameReader reader(stream);
    const auto packet = reader.next();
    ASSERT_TRUE(packet);
    expect_error(ErrorKind::connect, "in the middle of a packet",
                 [&] { static_cast<void>(payload(reader, *packet)); });
  }
}

TEST(FrameReaderTest, AHelloCutAnywhereIsALostConnection) {
  // Goal: the reader says what it is that ended.
  const Bytes hello = Hello{.role = Role::receiver}.encode();
  for (std::size_t count = 0; count < hello.size(); ++count) {
    RecordedStream stream(Bytes(hello.begin(), hello.begin() + static_cast<std::ptrdiff_t>(count)),
                          pieces_of(1));
    FrameReader reader(stream);
    expect_error(ErrorKind::connect, count == 0 ? "without a word" : "in the middle of its hello",
                 [&] { reader.hello(Role::receiver, kLimit); });
  }
}

TEST(FrameReaderTest, APeerThatIsNotAdocIsFoundOutBeforeItHasSentAWholeHello) {
  // Goal: what waits for our request after a short greeting is not waited for in turn.
  const ByteSpan greeting = as_byte_span("220 hi\r\n");
  int reads = 0;
  RecordedStream stream(Bytes(greeting.begin(), greeting.end()), [&] {
    ++reads;
    return std::size_t{100};
  });
  FrameReader reader(stream);
  expect_error(ErrorKind::connect, "began with '220 hi",
               [&] { reader.hello(Role::receiver, kLimit); });
  EXPECT_EQ(reads, 1);
}

TEST(FrameReaderTest, AFrameThatIsNotOneIsCorrupt) {
  // Goal: unknown types, lengths above the limit and wrong check values are not waited for.
  const auto refuses = [](std::string_view fragment, Bytes bytes) {
    RecordedStream stream(std::move(bytes), pieces_of(SIZE_MAX));
    FrameReader reader(stream);
    testkit::expect_corrupt(fragment, [&] { static_cast<void>(reader.next()); });
  };
  const auto header = [](std::uint8_t type, std::uint32_t length) {
    Bytes bytes;
    ByteWriter out(bytes);
    out.u8(type);
    out.u32(length);
    return bytes;
  };
  refuses("no frame type 0", header(0, 4));
  refuses("no frame type 16", header(16, 4));
  refuses("the limit is", header(4, (1 << 20) + 1));
  refuses("the limit is", header(1, 0xffff'ffff));
  refuses("shorter than its check value", joined({header(9, 3), Bytes(3)}));
  Bytes flipped = encode_frame(End{1});
  flipped.back() ^= std::byte{1};
  refuses("check value does not match", flipped);
}

}  // namespace
}  // namespace adoc
