// The golden answers with one field wrong, check values made to fit, as the sender hears them.

#include <gtest/gtest.h>

#include "support/fields.hpp"
#include "support/golden_bytes.hpp"
#include "support/running_sender.hpp"
#include "wire/want.hpp"

namespace adoc::testkit {
namespace {

using Form = Field::Form;

class WrongFieldToSenderTest : public testing::Test {
 protected:
  [[nodiscard]] RunningSender::Result answer_with(const Bytes& answer, const Bytes& rest) {
    RunningSender sender(listener_, path_);
    ScriptedPeer peer = listener_.accept();
    play_receiver(peer, joined({answer, rest}), answer.size(), std::chrono::milliseconds(500));
    peer.close();
    return sender.result();
  }

  /// Frame `index` of the answers, made of these parts, with each of them wrong in turn.
  void expect_each_refused(std::size_t index, const Parts& parts) {
    const FrameType type = FrameHeader::decode(frames_[index]).type;
    const auto frame_of = [&](const Parts& record) {
      return made_up_frame(type, [&](ByteWriter& out) { write_parts(record, out); });
    };
    ASSERT_EQ(frame_of(parts), frames_[index]) << "these are not the fields of the record";
    for (const Mutation& mutation : mutations(parts)) {
      SCOPED_TRACE(std::string(frame_name(type)) + " " + mutation.what);
      std::vector<Bytes> frames = frames_;
      frames[index] = frame_of(mutation.parts);
      const auto result = answer_with(joined({hello_, frames[0]}), joined({frames[1], frames[2]}));
      EXPECT_TRUE(result.kind || mutation.free) << "it was accepted";
      EXPECT_EQ(result.kind.value_or(ErrorKind::corrupt), ErrorKind::corrupt) << result.message;
    }
  }

  Bytes said_ = golden_bytes("good/to-sender");
  Bytes hello_{said_.begin(), said_.begin() + kHelloBytes};
  std::vector<Bytes> frames_ = split_frames(ByteSpan(said_).subspan(kHelloBytes));
  TemporaryDirectory source_;
  std::string path_ = source_.write(kGoldenName, kGoldenText);
  ScriptedListener listener_;
};

TEST_F(WrongFieldToSenderTest, OfTheWantEndsTheTransfer) {
  // Goal: nothing that a want may say wrongly crashes or hangs a sender; of which bytes it asks is
  // the receiver's choice.
  expect_each_refused(0, {{{"batch"}},
                          {{"count", Form::varint, 1}},
                          {{"verb", Form::u8, 2}},
                          {{"runs", Form::varint, 1}},
                          {{"gap", Form::varint, 0, true}},
                          {{"length", Form::varint, 11, true}}});
}

TEST_F(WrongFieldToSenderTest, OfTheCommitEndsTheTransfer) {
  // Goal: a commit answers for every entry of the batch that is due; which fate is its to say.
  expect_each_refused(1,
                      {{{"batch"}}, {{"count", Form::varint, 1}}, {{"fate", Form::u8, 0, true}}});
}

TEST_F(WrongFieldToSenderTest, OfTheEndEndsTheTransfer) {
  // Goal: the receiver's count of batches is checked.
  expect_each_refused(2, {{{"batches", Form::varint, 1}}});
}

TEST_F(WrongFieldToSenderTest, OfTheHelloIsNoConversation) {
  // Goal: another version or role is refused as such.
  for (const Mutation& mutation : mutations(
           {{{"version", Form::u16, kProtocolVersion}}, {{"role", Form::u8, 2}, Bytes(13)}})) {
    SCOPED_TRACE(mutation.what);
    Bytes hello(hello_.begin(), hello_.begin() + kMagic.size());
    ByteWriter out(hello);
    write_parts(mutation.parts, out);
    const auto result = answer_with(joined({hello, frames_[0]}), joined({frames_[1], frames_[2]}));
    EXPECT_EQ(result.kind, ErrorKind::connect) << result.message;
  }
}

TEST_F(WrongFieldToSenderTest, AnAnswerLeftOutSaidTwiceOrTooEarlyEndsTheTransfer) {
  // Goal: a sender ends well only after want, commit and end, each once and when it is due.
  const Bytes& want = frames_[0];
  const Bytes& commit = frames_[1];
  const Bytes& end = frames_[2];
  struct Case {
    Bytes answer;
    Bytes rest;
  };
  const std::vector<Case> cases{{{}, joined({commit, end})},
                                {want, end},
                                {want, commit},
                                {joined({want, want}), joined({commit, end})},
                                {want, joined({commit, commit, end})},
                                {want, joined({commit, end, end})},
                                {want, joined({end, commit})},
                                {commit, joined({want, end})},
                                {end, joined({want, commit})}};
  for (const Case& wrong : cases) {
    SCOPED_TRACE(&wrong - cases.data());
    const auto result = answer_with(joined({hello_, wrong.answer}), wrong.rest);
    EXPECT_TRUE(result.kind == ErrorKind::corrupt || result.kind == ErrorKind::connect)
        << result.message;
  }
}

TEST_F(WrongFieldToSenderTest, FramesThatOnlyASenderSaysEndTheTransfer) {
  // Goal: the directions are not mixed up; the message names what came.
  const Bytes said = golden_bytes("good/to-receiver");
  for (const Bytes& frame : split_frames(ByteSpan(said).subspan(kHelloBytes))) {
    const FrameType type = FrameHeader::decode(frame).type;
    if (type == FrameType::end) continue;
    const auto result = answer_with(joined({hello_, frame}), {});
    EXPECT_EQ(result.kind, ErrorKind::corrupt);
    EXPECT_NE(result.message.find(frame_name(type)), std::string::npos) << result.message;
  }
}

TEST_F(WrongFieldToSenderTest, RunsAskedOfAFileThatGoFarBeyondItGiveWhatThereIs) {
  // Goal: lengths of up to 2^64 in a want cost nothing and ask for no more than the file.
  const Want want{.batch = 0, .items = {{Verb::take, {{0, ~std::uint64_t{0}}}, ""}}};
  const auto result =
      answer_with(joined({hello_, encode_frame(want)}), joined({frames_[1], frames_[2]}));
  EXPECT_FALSE(result.kind) << result.message;
  EXPECT_EQ(result.statistics.bytes, std::string_view(kGoldenText).size());
}

}  // namespace
}  // namespace adoc::testkit
