// Owners, other names and attributes that mean harm.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "support/made_up_frames.hpp"
#include "support/running_receiver.hpp"
#include "wire/hello.hpp"
#include "wire/outcome.hpp"

namespace adoc::testkit {
namespace {

namespace fs = std::filesystem;

Entry other_name(std::string name, std::string first, std::uint64_t size) {
  Entry entry = file_entry(std::move(name), size);
  entry.metadata = Metadata{.first = SafeName::check(std::move(first))};
  return entry;
}

class HostileMetadataTest : public testing::Test {
 protected:
  /// One batch of entries without data, from a sender with these features; what was said of each.
  std::vector<Commit::Item> said_of(const std::vector<Entry>& entries,
                                    std::uint64_t features = kAllFeatures) {
    ended_ = receiver_.verdict_on(joined(
        {Hello{.role = Role::sender, .features = features}.encode(),
         encode_frame(raw_offer(0, entries, true)),
         encode_frame(Done{.batch = 0, .stream_bytes = 0, .failures = {}}), encode_frame(End{1})}));
    const ByteSpan said = ByteSpan(receiver_.heard()).subspan(kHelloBytes);
    for (const Bytes& frame : split_frames(said)) {
      const FrameHeader header = FrameHeader::decode(frame);
      if (header.type == FrameType::commit)
        return Commit::decode(open_record(header.type, ByteSpan(frame).subspan(kFrameHeaderBytes)))
            .items;
    }
    return {};
  }
  /// The only entry failed, for this reason, and has not appeared.
  void expect_refused(const Entry& entry, std::string_view why) {
    const auto items = said_of({entry});
    ASSERT_EQ(items.size(), 1U) << ended_.text;
    EXPECT_EQ(items[0].fate, Fate::failed);
    EXPECT_NE(items[0].reason.find(why), std::string::npos) << items[0].reason;
    EXPECT_FALSE(fs::exists(receiver_.out() / entry.name.str()));
  }

  RunningReceiver receiver_;
  Ended ended_;
};

TEST_F(HostileMetadataTest, WhatWasNotAgreedOnEndsTheTransfer) {
  // Goal: metadata of a sender that has not named the feature break the protocol.
  Entry entry = file_entry("file", 0);
  entry.metadata = Metadata{.user = Owner{0, ""}};
  static_cast<void>(
      said_of({entry}, kAllFeatures & ~static_cast<std::uint64_t>(Feature::metadata)));
  EXPECT_EQ(ended_.failure, ErrorKind::corrupt);
  EXPECT_NE(ended_.text.find("not agreed on"), std::string::npos) << ended_.text;
  EXPECT_TRUE(receiver_.out().names().empty());
}

TEST_F(HostileMetadataTest, AReceiverThatTakesNoneSaysSo) {
  // Goal: --no-metadata names no feature and holds the sender to that.
  RunningReceiver receiver(ReceiveOptions{.metadata = false});
  Entry entry = file_entry("file", 0);
  entry.metadata = Metadata{.user = Owner{0, ""}};
  const Ended ended = receiver.verdict_on(
      joined({Hello{.role = Role::sender}.encode(), encode_frame(raw_offer(0, {entry}, true))}));
  EXPECT_EQ(ended.failure, ErrorKind::corrupt);
  EXPECT_FALSE(Hello::decode(ByteSpan(receiver.heard()).first(kHelloBytes), Role::receiver)
                   .has(Feature::metadata));
}

TEST_F(HostileMetadataTest, OtherNamesAreOnlyOfFilesOfTheTransfer) {
  // Goal: nothing that a sender has not brought gets another name, wherever its name leads.
  receiver_.out().write("secret", "what was there");
  receiver_.around().write("outside/secret", "what is elsewhere");
  fs::create_symlink("../outside", receiver_.out() / "away");
  fs::create_symlink("../outside/secret", receiver_.out() / "link");
  fs::create_directory(receiver_.out() / "directory");
  expect_refused(other_name("new", "secret", 14), "not a file of this transfer");
  expect_refused(other_name("new", "link", 17), "not a file of this transfer");
  expect_refused(other_name("new", "away/secret", 17), "");
  expect_refused(other_name("new", "directory", 0), "not a file of this transfer");
  expect_refused(other_name("new", "missing", 0), "not there");
  EXPECT_EQ(fs::hard_link_count(receiver_.out() / "secret"), 1U);
  EXPECT_EQ(fs::hard_link_count(receiver_.around() / "outside/secret"), 1U);
}

TEST_F(HostileMetadataTest, AFileThatFailsGetsNoOtherName) {
  // Goal: where the first name cannot be made, what was there under it is not taken for it.
  fs::create_directory(receiver_.out() / "first");
  Entry first = file_entry("first", 0);
  first.metadata = Metadata{.has_other_names = true};
  const auto items = said_of({first, other_name("other", "first", 0)});
  ASSERT_EQ(items.size(), 2U) << ended_.text;
  EXPECT_EQ(items[0].fate, Fate::failed);
  EXPECT_EQ(items[1].fate, Fate::failed);
  EXPECT_FALSE(fs::exists(receiver_.out() / "other"));
}

TEST_F(HostileMetadataTest, AFileOfTheTransferGetsItsOtherNames) {
  // Goal: the same words of an honest sender make one file of two names, also one in the place of
  // another file.
  receiver_.out().write("other", "what was there");
  Entry first = file_entry("d/first", 0);
  first.metadata = Metadata{.has_other_names = true};
  const auto items = said_of({first, other_name("other", "d/first", 0)});
  ASSERT_EQ(items.size(), 2U) << ended_.text;
  EXPECT_EQ(items[1].fate, Fate::committed) << items[1].reason;
  EXPECT_TRUE(fs::equivalent(receiver_.out() / "other", receiver_.out() / "d/first"));
  // What was found unchanged is the transfer's as well.
  const auto again = said_of({first, other_name("d/third", "d/first", 0)});
  ASSERT_EQ(again.size(), 2U) << ended_.text;
  EXPECT_EQ(again[0].fate, Fate::have);
  EXPECT_EQ(again[1].fate, Fate::committed) << again[1].reason;
  EXPECT_EQ(fs::hard_link_count(receiver_.out() / "d/third"), 3U);
}

TEST_F(HostileMetadataTest, RightsAreNotSentAlong) {
  // Goal: without --keep-setuid neither a mode nor an attribute nor an owner makes a program that
  // runs with other rights.
  Entry entry = file_entry("program", 0);
  entry.mode = 06755;
  entry.metadata = Metadata{.user = Owner{0, "root"}, .attributes = Attributes()};
  entry.metadata->attributes->add(
      "security.capability",
      as_byte_span(std::string_view("\x01\0\0\x02\0\x20\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20)));
  const auto items = said_of({entry});
  ASSERT_EQ(items.size(), 1U) << ended_.text;
  EXPECT_EQ(items[0].fate, Fate::committed) << items[0].reason;
  struct stat status {};
  ASSERT_EQ(::stat((receiver_.out() / "program").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0755U);
  EXPECT_EQ(status.st_uid, ::geteuid());
  const std::string program = receiver_.out() / "program";
  EXPECT_LT(::getxattr(program.c_str(), "security.capability", nullptr, 0), 0);
}

}  // namespace
}  // namespace adoc::testkit
