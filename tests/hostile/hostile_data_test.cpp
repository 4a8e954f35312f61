// Offers and data that are well formed and still break the protocol.

#include <gtest/gtest.h>

#include "codec/codec.hpp"
#include "support/made_up_frames.hpp"
#include "support/running_receiver.hpp"
#include "util/checksum.hpp"
#include "wire/hello.hpp"
#include "wire/outcome.hpp"

namespace adoc::testkit {
namespace {

constexpr std::uint64_t kHuge = std::uint64_t{1} << 63;

class HostileDataTest : public testing::Test {
 protected:
  /// After a hello and the frames, the end of the connection: the receiver must say that the
  /// protocol is broken, say so to the peer as well, and have nothing.
  void expect_broken(std::string_view fragment, std::initializer_list<Bytes> frames) {
    const std::string text = expect_broken_unheard(fragment, frames);
    SCOPED_TRACE(fragment);
    const auto frames_back = split_frames(ByteSpan(receiver_.heard()).subspan(kHelloBytes));
    ASSERT_FALSE(frames_back.empty());
    const ByteSpan last = ByteSpan(frames_back.back());
    ASSERT_EQ(FrameHeader::decode(last).type, FrameType::error);
    const auto told = ErrorFrame::decode(open_record(FrameType::error, last.subspan(5)));
    EXPECT_EQ(told.message, text);
  }

  /// The same when the receiver may have said its last word before.
  std::string expect_broken_unheard(std::string_view fragment,
                                    std::initializer_list<Bytes> frames) {
    SCOPED_TRACE(fragment);
    const Ended verdict =
        receiver_.verdict_on(joined({Hello{.role = Role::sender}.encode(), joined(frames)}));
    EXPECT_EQ(failure_kind(verdict), ErrorKind::corrupt);
    EXPECT_NE(failure_text(verdict).find(fragment), std::string::npos) << failure_text(verdict);
    EXPECT_EQ(receiver_.out().final_names(), std::set<std::string>{});
    return failure_text(verdict);
  }

  [[nodiscard]] static Bytes offer(const std::vector<Entry>& entries) {
    return encode_frame(raw_offer(0, entries, true));
  }
  [[nodiscard]] static Bytes done(std::uint64_t stream_bytes) {
    return encode_frame(Done{.batch = 0, .stream_bytes = stream_bytes, .failures = {}});
  }
  [[nodiscard]] static Bytes skip(std::uint64_t offset, std::uint64_t length) {
    return encode_frame(Skip{.batch = 0, .offset = offset, .length = length});
  }

  const Bytes ten_ = offer({file_entry("ten", 10)});
  const Bytes end_ = encode_frame(End{1});
  RunningReceiver receiver_;
};

TEST_F(HostileDataTest, BlocksMustComeInOrderWithoutGapsAndInBounds) {
  // Goal: data is taken only where the stream goes on, and only as much as was wanted.
  expect_broken("goes on", {ten_, raw_block(0, 5, "56789")});
  expect_broken("goes on", {ten_, raw_block(0, 0, "01234"), raw_block(0, 4, "456789")});
  expect_broken("goes on", {ten_, raw_block(0, kHuge, "0")});
  expect_broken("goes on", {ten_, skip(5, 5)});
  expect_broken("more data", {ten_, raw_block(0, 0, "0123456789+")});
  expect_broken("more data", {ten_, skip(0, 11)});
  expect_broken("more data", {ten_, skip(0, kHuge)});
  expect_broken("more data", {ten_, skip(0, ~std::uint64_t{0})});
  expect_broken("more data", {offer({}), raw_block(0, 0, "0")});
  expect_broken("more data", {offer({directory_entry("d")}), raw_block(0, 0, "0")});
}

TEST_F(HostileDataTest, DataMustBelongToABatchThatWasOffered) {
  // Goal: blocks, skips and dones of other batches are refused.
  expect_broken("not offered", {raw_block(0, 0, "0")});
  expect_broken("another batch", {ten_, raw_block(1, 0, "0123456789")});
  expect_broken("another batch", {ten_, raw_block(kHuge, 0, "0123456789")});
  expect_broken("not offered", {encode_frame(Done{.batch = 0, .stream_bytes = 0, .failures = {}})});
}

TEST_F(HostileDataTest, ABatchIsDoneWhenItsDataIsThere) {
  // Goal: a done that comes early, twice or with another length commits nothing.
  expect_broken("before all of it", {ten_, done(0)});
  expect_broken("before all of it", {ten_, done(10)});
  expect_broken("before all of it", {ten_, raw_block(0, 0, "01234"), done(5)});
  expect_broken("before all of it", {ten_, raw_block(0, 0, "0123456789"), done(11)});
  const auto done_failing = [](std::size_t entry) {
    return encode_frame(Done{.batch = 0, .stream_bytes = 10, .failures = {{entry, "x"}}});
  };
  expect_broken("not there", {ten_, raw_block(0, 0, "0123456789"), done_failing(1)});
  expect_broken("not there", {ten_, raw_block(0, 0, "0123456789"), done_failing(255)});
}

TEST_F(HostileDataTest, TheEndComesAfterTheLastBatchAndNothingAfterTheEnd) {
  // Goal: an end too early, and anything after it, is broken protocol.
  expect_broken("ended before", {end_});
  expect_broken("ended before", {ten_, end_});
  expect_broken("ended before", {ten_, raw_block(0, 0, "01234"), end_});
  const Bytes not_last = encode_frame(raw_offer(0, {}, false));
  expect_broken("ended before", {not_last, done(0), end_});
  expect_broken_unheard("after the sender's end", {offer({}), done(0), end_, end_});
}

TEST_F(HostileDataTest, OffersAreNumberedBoundedAndEndWithTheLast) {
  // Goal: the memory that offers take is bounded, however many a peer sends.
  const auto offer_number = [](std::uint64_t batch) {
    return encode_frame(raw_offer(batch, {file_entry("f", 1)}, false));
  };
  expect_broken("after the last", {ten_, encode_frame(raw_offer(1, {}, true))});
  expect_broken("out of order", {offer_number(1)});
  expect_broken("out of order", {offer_number(0), offer_number(0)});
  expect_broken("out of order", {offer_number(kHuge)});
  // Each is a batch with one entry.
  Bytes many;
  const auto append = [&](const Bytes& frame) {
    many.insert(many.end(), frame.begin(), frame.end());
  };
  for (std::uint64_t batch = 0; batch <= kMaxBatchesInWideWindow; ++batch)
    append(offer_number(batch));
  expect_broken("too many batches", {many});
  // Short ones with many entries.
  many.clear();
  for (std::uint64_t batch = 0; batch <= kMaxEntriesInFlight / kMaxBatchEntries; ++batch)
    append(encode_frame(
        raw_offer(batch, std::vector<Entry>(kMaxBatchEntries, file_entry("f", 1)), false)));
  expect_broken("too many batches", {many});
  // Few entries, with long names.
  many.clear();
  const std::string name = std::string(250, 'd') + "/" + std::string(250, 'f');
  const std::vector<Entry> full(kMaxBatchEntries, file_entry(name, 1));
  for (std::uint64_t batch = 0; batch <= kMaxOfferBytesInFlight / (kMaxBatchEntries * 500); ++batch)
    append(encode_frame(raw_offer(batch, full, false)));
  expect_broken("too many batches", {many});
  // One that names no wide window has none.
  many.clear();
  for (std::uint64_t batch = 0; batch <= kMaxBatchesInFlight; ++batch) append(offer_number(batch));
  const auto features = kAllFeatures & ~static_cast<std::uint64_t>(Feature::wide_window);
  const Ended verdict = receiver_.verdict_on(joined({Hello{.features = features}.encode(), many}));
  EXPECT_EQ(failure_kind(verdict), ErrorKind::corrupt);
  EXPECT_NE(failure_text(verdict).find("too many batches"), std::string::npos);
}

TEST_F(HostileDataTest, ABlockMustBeWhatItSays) {
  // Goal: lengths and checksum of a block are checked before any of it is written.
  const ByteSpan text = as_byte_span("0123456789");
  const BlockHeader right{.batch = 0, .offset = 0, .raw_bytes = 10, .checksum = xxh3_64(text)};
  const Bytes packet = packet_frame(text);
  BlockHeader wrong = right;
  ++wrong.checksum;
  expect_broken("checksum", {ten_, encode_frame(wrong), packet, encode_frame(BlockEnd{10})});
  expect_broken("stored length", {ten_, encode_frame(right), packet, encode_frame(BlockEnd{9})});
  wrong = right;
  wrong.raw_bytes = 9;
  expect_broken("more than its raw length",
                {ten_, encode_frame(wrong), packet, encode_frame(BlockEnd{10})});
  wrong.raw_bytes = 11;
  expect_broken("less than its raw length",
                {ten_, encode_frame(wrong), packet, encode_frame(BlockEnd{10})});
  expect_broken("inside a block", {ten_, encode_frame(right), encode_frame(right)});
  expect_broken("inside a block", {ten_, encode_frame(right), packet, done(10)});
  expect_broken("outside a block", {ten_, packet});
}

TEST_F(HostileDataTest, ABlockThatInflatesPastItsRawLengthIsStopped) {
  // Goal: a bomb of each codec ends the transfer when its raw length is full, not its gigabytes
  // later, and leaves the receiver serving.
  const Bytes zeros(4 << 20);
  const Bytes kilo = offer({file_entry("kilo", 1'000)});
  for (const CodecId id : {CodecId::zlib, CodecId::lz4, CodecId::zstd}) {
    const auto compressor = make_compressor(id);
    compressor->begin(zeros, 1);
    Bytes stored(64 << 10);
    stored.resize(compressor->next_packet(stored));
    const BlockHeader header{.batch = 0,
                             .offset = 0,
                             .raw_bytes = 1'000,
                             .codec = static_cast<std::uint8_t>(id),
                             .checksum = 0};
    // Little enough that the limit for stored bytes is not what stops it.
    const ByteSpan start = ByteSpan(stored).first(std::min<std::size_t>(stored.size(), 1'000));
    expect_broken("more than its raw length", {kilo, encode_frame(header), packet_frame(start),
                                               encode_frame(BlockEnd{start.size()})});
    expect_broken("has grown", {kilo, encode_frame(header), packet_frame(Bytes(2'000))});
  }
}

TEST_F(HostileDataTest, AManifestThatInflatesPastItsRawLengthIsStopped) {
  // Goal: the same for the metadata, which travels compressed as well.
  const Bytes zeros(4 << 20);
  const auto compressor = make_compressor(CodecId::zstd);
  compressor->begin(zeros, 3);
  Offer offer{.batch = 0, .last = true, .codec = 3, .raw_bytes = 100};
  offer.stored.resize(64 << 10);
  offer.stored.resize(compressor->next_packet(offer.stored));
  expect_broken("more than its raw length", {encode_frame(offer)});
}

TEST_F(HostileDataTest, FilesOfImpossibleSizeFailAloneOrWithTheTransfer) {
  // Goal: sizes of up to 2^63 cost neither memory nor disk, and the receiver serves on.
  Entry hole = file_entry("hole", kHuge - 1);
  hole.data.emplace();
  const Ended verdict = receiver_.verdict_on(
      joined({Hello{.role = Role::sender}.encode(), offer({hole}), done(0), end_}));
  EXPECT_FALSE(verdict.failure) << failure_text(verdict);
  EXPECT_EQ(verdict.statistics.failed, 1U);
  EXPECT_EQ(receiver_.out().names(), std::set<std::string>{});
  // Refused at the offer, since no disk has room for it: nothing of it is wanted.
  expect_broken("more data",
                {offer({file_entry("long", kHuge - 1)}), raw_block(0, 0, "0123456789"), done(10)});
}

TEST_F(HostileDataTest, AFileOfUnknownSizeIsTheLastOfItsBatch) {
  // Goal: nobody can know where the next file would begin.
  expect_broken("not the last", {offer({file_entry("a", kUnknownSize), file_entry("b", 1)})});
}

TEST_F(HostileDataTest, AnErrorFrameOfTheSenderIsItsLastWordAndShown) {
  // Goal: what the peer says is shown, made harmless for a terminal.
  const ErrorFrame frame{.kind = 4, .message = "no \x1b[2J room"};
  const Ended verdict =
      receiver_.verdict_on(joined({Hello{.role = Role::sender}.encode(), encode_frame(frame)}));
  EXPECT_EQ(failure_kind(verdict), ErrorKind::remote_file);
  EXPECT_EQ(failure_text(verdict), "the sender gave up: no \\033[2J room");
}

}  // namespace
}  // namespace adoc::testkit
