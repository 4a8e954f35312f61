// The golden conversation with one field wrong, check values made to fit, as the receiver hears it.

#include <gtest/gtest.h>

#include "support/fields.hpp"
#include "support/golden_bytes.hpp"
#include "support/running_receiver.hpp"
#include "util/checksum.hpp"
#include "wire/hello.hpp"

namespace adoc::testkit {
namespace {

using Form = Field::Form;

Bytes text_bytes(std::string_view text) {
  const ByteSpan bytes = as_byte_span(text);
  return {bytes.begin(), bytes.end()};
}

class WrongFieldToReceiverTest : public testing::Test {
 protected:
  /// The conversation with frame `index` replaced.
  [[nodiscard]] Bytes with_frame(std::size_t index, const Bytes& frame) const {
    Bytes said(said_.begin(), said_.begin() + kHelloBytes);
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      const Bytes& part = i == index ? frame : frames_[i];
      said.insert(said.end(), part.begin(), part.end());
    }
    return said;
  }

  /// A free mutation may also be taken for what it says; the data is right then.
  void expect_refused(const Bytes& said, bool free) {
    const Ended verdict = receiver_.verdict_on(said);
    const auto kind = failure_kind(verdict);
    EXPECT_TRUE(kind || free) << "it was accepted";
    EXPECT_EQ(kind.value_or(ErrorKind::corrupt), ErrorKind::corrupt) << failure_text(verdict);
    for (const std::string& name : receiver_.out().names()) {
      // Its mode may be one that lets nobody read it, but for root.
      std::filesystem::permissions(receiver_.out() / name, std::filesystem::perms::owner_all);
      EXPECT_EQ(contents_of(receiver_.out() / name), kGoldenText);
      EXPECT_TRUE(free || name == kGoldenName) << name;
      std::filesystem::remove(receiver_.out() / name);
    }
  }

  void expect_each_refused(std::size_t index, const Parts& parts) {
    const FrameType type = FrameHeader::decode(frames_[index]).type;
    const auto frame_of = [&](const Parts& record) {
      return made_up_frame(type, [&](ByteWriter& out) { write_parts(record, out); });
    };
    ASSERT_EQ(frame_of(parts), frames_[index]) << "these are not the fields of the record";
    for (const Mutation& mutation : mutations(parts)) {
      SCOPED_TRACE(std::string(frame_name(type)) + " " + mutation.what);
      expect_refused(with_frame(index, frame_of(mutation.parts)), mutation.free);
    }
  }

  Bytes said_ = golden_bytes("good/to-receiver");
  std::vector<Bytes> frames_ = split_frames(ByteSpan(said_).subspan(kHelloBytes));
  std::uint64_t text_bytes_ = std::string_view(kGoldenText).size();
  RunningReceiver receiver_;
};

TEST_F(WrongFieldToReceiverTest, OfTheOfferEndsTheTransfer) {
  // Goal: nothing that an offer may say wrongly crashes, hangs or writes another file.
  const Bytes manifest = encode_manifest({file_entry(kGoldenName, text_bytes_)});
  expect_each_refused(0, {{{"batch"}},
                          {{"flags", Form::u8, 1}},
                          {{"codec", Form::u8, 0}},
                          {{"raw-bytes", Form::varint, manifest.size()}, manifest}});
}

TEST_F(WrongFieldToReceiverTest, OfTheEntryEndsTheTransferOrIsWhatTheFileGets) {
  // Goal: as above for the entry in the offer; mode and time are the sender's to choose.
  const Parts parts{{{"kind", Form::u8, 1}},
                    {{"flags", Form::u8, 0}},
                    // One more takes a byte of the mode, which leaves another entry as good.
                    {{"name-bytes", Form::varint, std::string_view(kGoldenName).size(), true},
                     text_bytes(kGoldenName)},
                    {{"mode", Form::varint, 0644, true}},
                    {{"mtime", Form::varint, 2'000'000'000, true}},  // zigzag
                    {{"nanoseconds", Form::varint, 0, true}},
                    {{"size", Form::varint, text_bytes_}}};
  const auto offer_of = [](const Parts& entry) {
    Offer offer = raw_offer(0, {}, true);
    ByteWriter out(offer.stored);
    write_parts(entry, out);
    offer.raw_bytes = offer.stored.size();
    return encode_frame(offer);
  };
  ASSERT_EQ(offer_of(parts), frames_[0]);
  for (const Mutation& mutation : mutations(parts)) {
    SCOPED_TRACE(mutation.what);
    expect_refused(with_frame(0, offer_of(mutation.parts)), mutation.free);
  }
}

TEST_F(WrongFieldToReceiverTest, OfTheBlockEndsTheTransfer) {
  // Goal: a block is taken only where it belongs and for what it is; the level is mere statistics.
  expect_each_refused(1, {{{"batch"}},
                          {{"offset"}},
                          {{"raw-bytes", Form::varint, text_bytes_}},
                          {{"codec", Form::u8, 0}},
                          {{"level", Form::u8, 0, true}},
                          {{"checksum", Form::u64, xxh3_64(as_byte_span(kGoldenText))}}});
}

TEST_F(WrongFieldToReceiverTest, OfTheBlockEndEndsTheTransfer) {
  // Goal: the stored length is the length of what was stored.
  expect_each_refused(3, {{{"stored-bytes", Form::varint, text_bytes_}}});
}

TEST_F(WrongFieldToReceiverTest, OfTheDoneEndsTheTransfer) {
  // Goal: a batch is done when all of it is there, and says so.
  expect_each_refused(4, {{{"batch"}}, {{"stream-bytes", Form::varint, text_bytes_}}, {{"count"}}});
}

TEST_F(WrongFieldToReceiverTest, OfTheEndEndsTheTransfer) {
  // Goal: the sender's count of batches is checked.
  expect_each_refused(5, {{{"batches", Form::varint, 1}}});
}

TEST_F(WrongFieldToReceiverTest, OfAnyFrameHeaderEndsTheTransfer) {
  // Goal: a type out of place, an unknown one, and lengths too short, too long and enormous.
  for (std::size_t index = 0; index < frames_.size(); ++index) {
    const ByteSpan payload = ByteSpan(frames_[index]).subspan(kFrameHeaderBytes);
    const auto type = std::to_integer<std::uint8_t>(frames_[index][0]);
    const Parts parts{
        {{"type", Form::u8, type}},
        {{"length", Form::u32, payload.size()}, Bytes(payload.begin(), payload.end())}};
    for (const Mutation& mutation : mutations(parts)) {
      SCOPED_TRACE("frame " + std::to_string(index) + " " + mutation.what);
      Bytes frame;
      ByteWriter out(frame);
      write_parts(mutation.parts, out);
      const Ended verdict = receiver_.verdict_on(with_frame(index, frame));
      // A length that takes in the rest of the conversation makes it look cut off.
      const auto kind = failure_kind(verdict);
      EXPECT_TRUE(kind == ErrorKind::corrupt || kind == ErrorKind::connect)
          << failure_text(verdict);
      std::filesystem::remove(receiver_.out() / kGoldenName);
    }
  }
}

TEST_F(WrongFieldToReceiverTest, OfTheHelloIsNoConversation) {
  // Goal: another version or role is refused as such; what a sender says of threads means
  // nothing.
  const Parts parts{{{"version", Form::u16, kProtocolVersion}},
                    {{"role", Form::u8, 1}, Bytes(4)},
                    {{"threads", Form::u8, 0, true}},
                    {{"features", Form::u64, 0, true}}};
  for (const Mutation& mutation : mutations(parts)) {
    SCOPED_TRACE(mutation.what);
    Bytes said(said_.begin(), said_.begin() + kMagic.size());
    ByteWriter out(said);
    write_parts(mutation.parts, out);
    out.bytes(ByteSpan(said_).subspan(kHelloBytes));
    const Ended verdict = receiver_.verdict_on(said);
    EXPECT_EQ(failure_kind(verdict),
              mutation.free ? std::nullopt : std::optional(ErrorKind::connect));
    EXPECT_EQ(receiver_.out().names().empty(), !mutation.free);
    std::filesystem::remove(receiver_.out() / kGoldenName);
  }
}

TEST_F(WrongFieldToReceiverTest, AFrameLeftOutSaidTwiceOrTooEarlyEndsTheTransfer) {
  // Goal: the order of frames is part of the protocol.
  for (std::size_t index = 0; index < frames_.size(); ++index) {
    SCOPED_TRACE("frame " + std::to_string(index));
    const auto expect_failure = [&](const Bytes& said) {
      const Ended verdict = receiver_.verdict_on(said);
      const auto kind = failure_kind(verdict);
      EXPECT_TRUE(kind == ErrorKind::corrupt || kind == ErrorKind::connect)
          << failure_text(verdict);
      std::filesystem::remove(receiver_.out() / kGoldenName);
      EXPECT_EQ(receiver_.out().names(), std::set<std::string>{});
    };
    expect_failure(with_frame(index, {}));
    expect_failure(with_frame(index, joined({frames_[index], frames_[index]})));
    // An offer may come between any two frames, so the first two may change places.
    if (index <= 1) continue;
    Bytes swapped(said_.begin(), said_.begin() + kHelloBytes);
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      const Bytes& part = frames_[i == index ? i - 1 : i + 1 == index ? i + 1 : i];
      swapped.insert(swapped.end(), part.begin(), part.end());
    }
    expect_failure(swapped);
  }
}

}  // namespace
}  // namespace adoc::testkit
