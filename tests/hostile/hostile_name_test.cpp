// Names and links that try to leave the destination.

#include <gtest/gtest.h>

#include "support/made_up_frames.hpp"
#include "support/running_receiver.hpp"
#include "wire/hello.hpp"
#include "wire/outcome.hpp"
#include "wire/want.hpp"

namespace adoc::testkit {
namespace {

namespace fs = std::filesystem;

class HostileNameTest : public testing::Test {
 protected:
  HostileNameTest() {
    receiver_.around().write("outside/canary", "alive");
    before_ = outside();
  }
  ~HostileNameTest() override {
    EXPECT_EQ(outside(), before_) << "something outside of the destination has changed";
    EXPECT_EQ(contents_of(receiver_.around() / "outside/canary"), "alive");
  }

  /// Everything around the destination.
  [[nodiscard]] std::set<std::string> outside() const {
    auto names = receiver_.around().names();
    std::erase_if(names, [](const std::string& name) { return name.starts_with("out/"); });
    return names;
  }

  /// Connects and says hello.
  [[nodiscard]] ScriptedPeer begin() {
    ScriptedPeer peer = receiver_.connect();
    peer.say(Hello{.role = Role::sender}.encode());
    EXPECT_EQ(peer.hear(kHelloBytes).size(), kHelloBytes);
    return peer;
  }

  template <typename Record>
  [[nodiscard]] static Record hear(ScriptedPeer& peer) {
    while (true) {
      const Bytes header = peer.hear(kFrameHeaderBytes);
      if (header.size() != kFrameHeaderBytes) throw std::runtime_error("the receiver is gone");
      const FrameHeader frame = FrameHeader::decode(header);
      const Bytes payload = peer.hear(frame.payload_bytes);
      // How it is doing, and what has arrived, it says whenever some time has passed; by what
      // further connections come to this transfer, at its begin.
      if (frame.type == FrameType::status || frame.type == FrameType::arrived ||
          frame.type == FrameType::streams)
        continue;
      EXPECT_EQ(frame.type, Record::kType);
      return Record::decode(open_record(Record::kType, payload));
    }
  }

  /// One batch whose files all hold "evil"; gives what became of its entries.
  std::vector<Fate> transfer(ScriptedPeer& peer, std::uint64_t batch,
                             const std::vector<Entry>& entries) {
    peer.say(encode_frame(raw_offer(batch, entries, false)));
    const Want want = hear<Want>(peer);
    return send_data(peer, batch, want);
  }
  std::vector<Fate> send_data(ScriptedPeer& peer, std::uint64_t batch, const Want& want) {
    std::uint64_t offset = 0;
    for (const WantItem& item : want.items)
      if (!item.ranges.empty())
        peer.say(raw_block(batch, std::exchange(offset, offset + 4), "evil"));
    peer.say(encode_frame(Done{.batch = batch, .stream_bytes = offset, .failures = {}}));
    std::vector<Fate> fates;
    for (const Commit::Item& item : hear<Commit>(peer).items) fates.push_back(item.fate);
    return fates;
  }
  void finish(ScriptedPeer& peer) {
    peer.close();
    static_cast<void>(receiver_.verdict());
  }

  [[nodiscard]] static Entry evil(std::string name) { return file_entry(std::move(name), 4); }
  [[nodiscard]] std::string outside_path() const { return receiver_.around() / "outside"; }

  RunningReceiver receiver_;
  std::set<std::string> before_;
};

TEST_F(HostileNameTest, NamesThatAreNotBelowTheDestinationEndTheTransfer) {
  // Goal: each form of a name that leads elsewhere, or nowhere, is refused by name.
  const std::string outside_file = outside_path() + "/canary";
  const std::vector<std::string> names{std::string("../x"),
                                       std::string("/x"),
                                       std::string("a/../../x"),
                                       std::string(),
                                       std::string(5'000, 'n'),
                                       std::string(256, 'n'),
                                       std::string("."),
                                       std::string(".."),
                                       std::string("a/.."),
                                       std::string("a//b"),
                                       std::string("a/"),
                                       std::string("a\0b", 3),
                                       outside_file,
                                       "../outside/canary",
                                       "..//outside/canary",
                                       "./a"};
  for (const std::string& name : names) {
    SCOPED_TRACE(name.substr(0, 80));
    Offer offer{.batch = 0, .last = true, .stored = manifest_naming(name)};
    offer.raw_bytes = offer.stored.size();
    const Ended verdict = receiver_.verdict_on(joined(
        {Hello{.role = Role::sender}.encode(), encode_frame(offer),
         encode_frame(Done{.batch = 0, .stream_bytes = 0, .failures = {}}), encode_frame(End{1})}));
    EXPECT_EQ(failure_kind(verdict), ErrorKind::corrupt) << failure_text(verdict);
    EXPECT_EQ(receiver_.out().names(), std::set<std::string>{});
  }
}

TEST_F(HostileNameTest, AFileBelowALinkOfAnEarlierBatchIsNotWritten) {
  // Goal: a link that the receiver made itself is never followed.
  ScriptedPeer peer = begin();
  EXPECT_EQ(transfer(peer, 0, {symlink_entry("l", outside_path())}), std::vector{Fate::committed});
  EXPECT_EQ(transfer(peer, 1,
                     {evil("l/f"), evil("l/canary"), directory_entry("l/d"), directory_entry("l"),
                      symlink_entry("l/s", "x"), evil("l/deep/er")}),
            std::vector(6, Fate::failed));
  EXPECT_EQ(transfer(peer, 2, {evil("still")}), std::vector{Fate::committed});
  finish(peer);
  EXPECT_EQ(receiver_.out().names(), (std::set<std::string>{"l", "still"}));
}

TEST_F(HostileNameTest, AFileBelowALinkOfTheSameBatchIsNotWrittenThroughIt) {
  // Goal: the same when link and file arrive together, in either order.
  ScriptedPeer peer = begin();
  const auto first = transfer(peer, 0, {symlink_entry("l", outside_path()), evil("l/f")});
  const auto second = transfer(peer, 1, {evil("m/f"), symlink_entry("m", outside_path())});
  finish(peer);
  EXPECT_EQ(second, (std::vector{Fate::committed, Fate::failed}));
  EXPECT_EQ(first, (std::vector{Fate::failed, Fate::committed}));
  EXPECT_TRUE(fs::is_directory(fs::symlink_status(receiver_.out() / "l")));
}

TEST_F(HostileNameTest, AFileReplacesALinkOfItsNameAndNotWhatItPointsTo) {
  // Goal: writing a file over a link does not write through it.
  ScriptedPeer peer = begin();
  EXPECT_EQ(transfer(peer, 0, {symlink_entry("f", outside_path() + "/canary")}),
            std::vector{Fate::committed});
  EXPECT_EQ(transfer(peer, 1, {evil("f")}), std::vector{Fate::committed});
  finish(peer);
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(receiver_.out() / "f")));
  EXPECT_EQ(contents_of(receiver_.out() / "f"), "evil");
}

TEST_F(HostileNameTest, ModeAndTimeAreNotSetThroughALink) {
  // Goal: an entry that only needs its metadata set cannot reach what a link points to.
  const auto before = fs::last_write_time(receiver_.around() / "outside/canary");
  const auto mode = fs::status(receiver_.around() / "outside/canary").permissions();
  fs::create_symlink(outside_path() + "/canary", receiver_.out() / "c");
  ScriptedPeer peer = begin();
  Entry empty = file_entry("c", 5);
  empty.hash = xxh3_128(as_byte_span("alive"));
  empty.mode = 0777;
  peer.say(encode_frame(raw_offer(0, {empty}, true)));
  // Not there already, although what the link points to has the same contents.
  EXPECT_EQ(hear<Want>(peer).items.at(0).ranges, (Extents{{0, 5}}));
  finish(peer);
  EXPECT_EQ(fs::last_write_time(receiver_.around() / "outside/canary"), before);
  EXPECT_EQ(fs::status(receiver_.around() / "outside/canary").permissions(), mode);
}

TEST_F(HostileNameTest, ADirectoryThatBecomesALinkBetweenTwoBatchesIsNotFollowed) {
  // Goal: somebody on the receiving machine swaps a directory under the transfer.
  ScriptedPeer peer = begin();
  EXPECT_EQ(transfer(peer, 0, {evil("d/a")}), std::vector{Fate::committed});
  fs::remove_all(receiver_.out() / "d");
  fs::create_symlink(outside_path(), receiver_.out() / "d");
  EXPECT_EQ(transfer(peer, 1, {evil("d/b"), evil("d/canary")}),
            (std::vector{Fate::failed, Fate::failed}));
  finish(peer);
}

TEST_F(HostileNameTest, ADirectoryThatBecomesALinkBeforeItsDataComesIsNotFollowed) {
  // Goal: the same between the receiver's answer and the data.
  ScriptedPeer peer = begin();
  fs::create_directory(receiver_.out() / "d");
  peer.say(encode_frame(raw_offer(0, {evil("d/b"), evil("e")}, false)));
  const Want want = hear<Want>(peer);
  fs::remove(receiver_.out() / "d");
  fs::create_symlink(outside_path(), receiver_.out() / "d");
  EXPECT_EQ(send_data(peer, 0, want), (std::vector{Fate::failed, Fate::committed}));
  finish(peer);
}

TEST_F(HostileNameTest, ADirectoryHasTheNameOfAFileOrAFileThatOfADirectory) {
  // Goal: neither replaces the other; the entry fails and the rest goes on.
  receiver_.out().write("d/inside", "kept");
  receiver_.out().write("f", "kept");
  ScriptedPeer peer = begin();
  EXPECT_EQ(transfer(peer, 0, {evil("d"), directory_entry("f"), evil("f/below"), evil("g")}),
            (std::vector{Fate::failed, Fate::failed, Fate::failed, Fate::committed}));
  finish(peer);
  EXPECT_EQ(receiver_.out().names(), (std::set<std::string>{"d", "d/inside", "f", "g"}));
  EXPECT_EQ(contents_of(receiver_.out() / "f"), "kept");
}

TEST_F(HostileNameTest, TheSameNameTwiceInABatchLeavesOneWholeFile) {
  // Goal: two entries of one name do not mix their data or leave a temporary file.
  ScriptedPeer peer = begin();
  const auto fates = transfer(peer, 0, {evil("twin"), evil("twin"), directory_entry("twin")});
  finish(peer);
  EXPECT_EQ(fates, (std::vector{Fate::committed, Fate::committed, Fate::failed}));
  EXPECT_EQ(receiver_.out().names(), std::set<std::string>{"twin"});
  EXPECT_EQ(contents_of(receiver_.out() / "twin"), "evil");
}

}  // namespace
}  // namespace adoc::testkit
