#include "pipeline/block_assembler.hpp"

#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/made_up_frames.hpp"
#include "support/receiving_end.hpp"
#include "util/checksum.hpp"
#include "wire/status.hpp"

namespace adoc {
namespace {

using testkit::joined;
using testkit::packet_frame;
using testkit::received;

/// A linked block run, in one packet; what is wrong about it is changed by the test.
struct Linked {
  ByteSpan raw{};
  std::size_t offset = 0;
  CodecId codec = CodecId::zstd;
  ByteSpan prefix{};
  std::optional<std::size_t> says_prefix{};
  std::optional<std::size_t> says_raw{};

  [[nodiscard]] Bytes stored() const {
    const auto compressor = make_compressor(codec);
    compressor->begin(raw, 3, prefix);
    Bytes bytes(raw.size() + 100'000);
    bytes.resize(compressor->next_packet(bytes));
    return bytes;
  }
  [[nodiscard]] Bytes opening() const {
    return encode_frame(LinkedBlockHeader{.block = {.offset = offset,
                                                    .raw_bytes = says_raw.value_or(raw.size()),
                                                    .codec = static_cast<std::uint8_t>(codec),
                                                    .checksum = xxh3_64(raw)},
                                          .prefix_bytes = says_prefix.value_or(prefix.size())});
  }
  [[nodiscard]] Bytes run() const {
    const Bytes bytes = stored();
    return joined({opening(), packet_frame(bytes), encode_frame(BlockEnd{bytes.size()})});
  }
};

class BlockAssemblerTest : public testing::Test {
 protected:
  void refuses(std::string_view fragment, const Bytes& frames) {
    SCOPED_TRACE(fragment);
    for (const std::size_t threads : {1U, 4U})
      testkit::expect_corrupt(fragment, [&] { static_cast<void>(received(frames, threads)); });
  }
  [[nodiscard]] ByteSpan bytes(std::size_t offset, std::size_t count) const {
    return ByteSpan(data_).subspan(offset, count);
  }
  [[nodiscard]] Bytes cut(std::size_t stored, std::size_t raw) const {
    return encode_frame(
        Cut{.stored_bytes = stored, .raw_bytes = raw, .checksum = xxh3_64(bytes(0, raw))});
  }

  testkit::Rng rng_ = testkit::seeded_rng();
  Bytes data_ = testkit::some_words(40'000, rng_);
  Bytes first_ = Linked{.raw = ByteSpan(data_).first(10'000)}.run();
};

TEST_F(BlockAssemblerTest, APrefixMayReachIntoAnyNumberOfBlocks) {
  // Goal: it counts bytes, not blocks, and the last of them; with one thread and with more.
  Bytes frames;
  for (std::size_t offset = 0; offset < data_.size(); offset += 1'000) {
    const std::size_t reach = testkit::up_to(rng_, offset);
    frames = joined({frames, Linked{.raw = bytes(offset, 1'000),
                                    .offset = offset,
                                    .prefix = bytes(offset - reach, reach)}
                                 .run()});
  }
  for (const std::size_t threads : {1U, 2U, 8U}) EXPECT_TRUE(received(frames, threads) == data_);
}

TEST_F(BlockAssemblerTest, ABlockThatIsStoredRawCanBeReferredTo) {
  // Goal: a linked block that did not shrink is as good as any.
  const Bytes raw =
      Linked{.raw = bytes(10'000, 500), .offset = 10'000, .codec = CodecId::raw}.run();
  const Bytes next =
      Linked{.raw = bytes(10'500, 500), .offset = 10'500, .prefix = bytes(9'000, 1'500)}.run();
  const ByteSpan all = bytes(0, 11'000);
  EXPECT_TRUE(std::ranges::equal(received(joined({first_, raw, next}), 3), all));
}

TEST_F(BlockAssemblerTest, APrefixLongerThanWhatCameBeforeIsRefused) {
  // Goal: of the linked blocks directly before, and never more than its limit.
  refuses("refers to more", Linked{.raw = bytes(0, 100), .says_prefix = 1}.run());
  refuses("refers to more",
          joined({first_,
                  Linked{.raw = bytes(10'000, 9), .offset = 10'000, .says_prefix = 10'001}.run()}));
  refuses("the prefix is 8388609",
          joined({first_, testkit::made_up_frame(FrameType::linked_block, [](ByteWriter& out) {
                    BlockHeader{.raw_bytes = 1}.encode(out);
                    out.varint(kMaxPrefixBytes + 1);
                  })}));
}

TEST_F(BlockAssemblerTest, AnUnlinkedBlockBetweenMakesThePrefixStartAnew) {
  // Goal: what a receiver has to keep is what the newest run of linked blocks holds.
  const std::string text(100, 'x');
  const Bytes between = testkit::raw_block(0, 10'000, text);
  const Bytes all = joined({Bytes(data_.begin(), data_.begin() + 10'000),
                            Bytes(100, std::byte{'x'}), Bytes(data_.begin(), data_.begin() + 50)});
  Linked next{.raw = bytes(0, 50), .offset = 10'100};
  EXPECT_TRUE(received(joined({first_, between, next.run()}), 2) == all);
  next.says_prefix = 1;
  refuses("refers to more", joined({first_, between, next.run()}));
}

TEST_F(BlockAssemblerTest, APrefixReachesIntoALimitedNumberOfBlocks) {
  // Goal: blocks of a byte do not take a receiver's memory by the number of them.
  Bytes frames;
  const Bytes one = Linked{.raw = bytes(0, 1), .codec = CodecId::raw}.run();
  std::size_t count = 0;
  const auto append = [&](const Bytes& more) {
    frames.insert(frames.end(), more.begin(), more.end());
  };
  for (; count < kMaxPrefixBlocks + 10; ++count)
    append(Linked{.raw = bytes(count, 1), .offset = count, .codec = CodecId::raw}.run());
  const Bytes good =
      joined({frames, Linked{.raw = bytes(count, 99),
                             .offset = count,
                             .prefix = bytes(count - kMaxPrefixBlocks, kMaxPrefixBlocks)}
                          .run()});
  EXPECT_TRUE(std::ranges::equal(received(good, 4), bytes(0, count + 99)));
  append(
      Linked{.raw = bytes(count, 99), .offset = count, .says_prefix = kMaxPrefixBlocks + 1}.run());
  testkit::expect_corrupt("refers to more", [&] { static_cast<void>(received(frames, 4)); });
}

TEST_F(BlockAssemblerTest, DenseBlocksAreRefusedWhereTheyAreTooLongOrUnknown) {
  // Goal: a longer one than others have memory for has no way in, neither has one whose codec this
  // build does not have, or nobody has.
  const auto opening = [&](CodecId codec, std::size_t raw_bytes) {
    return encode_frame(
        BlockHeader{.raw_bytes = raw_bytes, .codec = static_cast<std::uint8_t>(codec)});
  };
  const bool has = has_codec(CodecId::bzip3);
  refuses(has ? "a block of bzip3 is too long" : "does not take blocks of bzip3",
          opening(CodecId::bzip3, kMaxDenseBlockBytes + 1));
  refuses(has ? "inside a block" : "does not take blocks of bzip3",
          joined({opening(CodecId::bzip3, kMaxDenseBlockBytes), opening(CodecId::raw, 1)}));
  refuses("no codec 5", opening(static_cast<CodecId>(kCodecs), 100));
}

TEST_F(BlockAssemblerTest, DenseBlocksStandAmongOthers) {
  // Goal: there is memory for one block at a time, and all arrive in order.
  if (!has_codec(CodecId::bzip3)) GTEST_SKIP() << "built without libbzip3";
  Bytes frames;
  for (std::size_t offset = 0, i = 0; offset < data_.size(); offset += 2'000, ++i)
    frames = joined({frames, Linked{.raw = bytes(offset, 2'000),
                                    .offset = offset,
                                    .codec = i % 3 == 0 ? CodecId::zstd : CodecId::bzip3}
                                 .run()});
  for (const std::size_t threads : {1U, 4U})
    EXPECT_TRUE(received(frames, threads, {.shares = 1}) == data_);
}

TEST_F(BlockAssemblerTest, ACutMakesABlockShorterAndNothingElse) {
  // Goal: not as long as announced, not longer, not empty, and what it holds is what it says.
  const Linked block{.raw = bytes(0, 600), .says_raw = 1'000};
  const Bytes stored = block.stored();
  const auto closed = [&](const Bytes& end) {
    return joined({block.opening(), packet_frame(stored), end});
  };
  EXPECT_TRUE(std::ranges::equal(received(closed(cut(stored.size(), 600))), bytes(0, 600)));
  refuses("or later", closed(cut(stored.size(), 1'000)));
  refuses("or later", closed(cut(stored.size(), 1'001)));
  refuses("less than its raw length", closed(cut(stored.size(), 601)));
  refuses("more than its raw length", closed(cut(stored.size(), 599)));
  refuses("it is empty", closed(testkit::made_up_frame(FrameType::cut, [&](ByteWriter& out) {
            out.varint(stored.size());
            out.varint(0);
            out.u64(0);
          })));
  refuses("stored length", closed(cut(stored.size() - 1, 600)));
  refuses("stored length", closed(cut(stored.size() + 1, 600)));
  refuses("checksum", closed(encode_frame(Cut{.stored_bytes = stored.size(), .raw_bytes = 600})));
  refuses("raw length", closed(encode_frame(BlockEnd{stored.size()})));
}

TEST_F(BlockAssemblerTest, FramesStandWhereTheyBelong) {
  // Goal: nothing is closed that is not open, and nothing opened in a block.
  const Bytes opening = Linked{.raw = bytes(0, 10)}.opening();
  refuses("cut outside a block", cut(0, 1));
  refuses("cut outside a block", joined({first_, cut(0, 1)}));
  refuses("linked block inside a block", joined({opening, opening}));
  refuses("end inside a block", opening);
  refuses("does not send status", encode_frame(Status{}));
  refuses("does not send commit", encode_frame(Commit{}));
}

TEST_F(BlockAssemblerTest, ABlockThatGrowsIsStoppedBeforeItIsKept) {
  // Goal: the stored bytes of a block are bounded by its raw ones, a linked raw one included.
  const Bytes much(1 << 20);
  refuses("has grown", joined({Linked{.raw = bytes(0, 10)}.opening(), packet_frame(much)}));
  const Linked raw{.raw = bytes(0, 10), .codec = CodecId::raw, .says_raw = 9};
  refuses("more than its raw length", raw.run());
}

TEST_F(BlockAssemblerTest, BuffersOfCompressedBlocksGoRound) {
  // Goal: from the second block of a length on none is allocated nor grown, and a short one after
  // them has no long buffer of its own.
  const Bytes data = testkit::some_words(1 << 20, rng_);
  const Bytes block = Linked{.raw = data}.run();
  const Bytes brief = Linked{.raw = ByteSpan(data).first(100)}.run();
  testkit::RecordedStream stream(joined({block, block, block, brief}), [] { return SIZE_MAX; });
  FrameReader reader(stream);
  StoredQueue stored(64 << 20);
  InboundQueue inbound(64 << 20);
  BufferStock stock;
  ReceiveMeter meter;
  BlockAssembler assembler(
      {.reader = reader, .stored = stored, .inbound = inbound, .stock = stock, .meter = meter});
  const std::byte* last = nullptr;
  while (const auto frame = reader.next()) {
    assembler.take(*frame);
    auto done = frame->type == FrameType::block_end ? stored.pop() : std::nullopt;
    if (!done) continue;
    if (done->header.raw_bytes == data.size()) {
      EXPECT_GT(done->stored.size(), 128U << 10);
      if (last != nullptr) {
        EXPECT_EQ(done->stored.data(), last);
      }
      last = done->stored.data();
    } else {
      EXPECT_LE(done->stored.capacity(), 64U << 10);
    }
    stock.give_back(std::move(done->stored));
  }
  EXPECT_NE(last, nullptr);
}

TEST_F(BlockAssemblerTest, ABlockThatFailsTakesThoseAlongThatReferToIt) {
  // Goal: with many threads, those that wait for its bytes do not wait for ever, and the failure is
  // the first block's own.
  Linked bad{.raw = bytes(0, 10'000)};
  Bytes frames =
      joined({encode_frame(LinkedBlockHeader{.block = {.raw_bytes = 10'000, .codec = 3}}),
              packet_frame(bad.stored()), encode_frame(BlockEnd{bad.stored().size()})});
  for (std::size_t offset = 10'000; offset < 40'000; offset += 1'000)
    frames = joined(
        {frames,
         Linked{.raw = bytes(offset, 1'000), .offset = offset, .prefix = bytes(0, offset)}.run()});
  for (int i = 0; i < 20; ++i) refuses("a block's checksum is wrong", frames);
}

}  // namespace
}  // namespace adoc
