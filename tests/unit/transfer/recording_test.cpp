// Transfers that are written to a file, and unpacked from it, in this process.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "adoc/receive.hpp"
#include "adoc/send.hpp"
#include "codec/manifest.hpp"
#include "support/expect_error.hpp"
#include "support/golden_bytes.hpp"
#include "support/made_up_frames.hpp"
#include "support/temporary_directory.hpp"
#include "wire/frame.hpp"
#include "wire/hello.hpp"
#include "wire/offer.hpp"
#include "wire/outcome.hpp"
#include "wire/streams.hpp"

namespace adoc {
namespace {

namespace fs = std::filesystem;
using testkit::joined;

constexpr std::size_t kEndFrameBytes = kFrameHeaderBytes + 1 + kCheckBytes;

class RecordingTest : public testing::Test {
 protected:
  static std::string text(ByteSpan bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  [[nodiscard]] std::string file() const { return dir_ / "x.adoc"; }

  Statistics record(std::vector<std::string> paths, PipelineOptions pipeline = {}) {
    Sender sender(
        {.paths = std::move(paths), .to_file = file(), .replace_file = true, .pipeline = pipeline});
    return sender.run();
  }
  Verdict unpack(const std::string& from) {
    Unpacker unpacker({.out_directory = out(), .threads = 1}, from);
    return unpacker.run();
  }
  /// What ends it. Nothing: it was taken.
  std::string failure(const std::string& bytes) {
    fs::remove_all(out());
    dir_.write("made-up", bytes);
    try {
      const Verdict verdict = unpack(dir_ / "made-up");
      if (verdict.failure) std::rethrow_exception(verdict.failure);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
      return error.what();
    }
    return {};
  }
  std::string failure(const Bytes& bytes) { return failure(text(bytes)); }

  [[nodiscard]] std::string out() const { return dir_ / "out"; }
  [[nodiscard]] std::set<std::string> arrived() const {
    if (!fs::exists(out())) return {};
    return testkit::Directory(out()).final_names();
  }

  testkit::TemporaryDirectory dir_;
  const Bytes hello_ = Hello{.role = Role::sender, .features = 0}.encode();
};

TEST_F(RecordingTest, WhatIsUnpackedIsWhatWasThere) {
  // Goal: several batches, one of them of many files, come out as they went in.
  for (int i = 0; i < 300; ++i)
    dir_.write("in/" + std::to_string(i), std::string(static_cast<std::size_t>(i), 'x'));
  const Statistics written = record({dir_ / "in"});
  EXPECT_EQ(written.files, 300U);
  EXPECT_EQ(written.wire_bytes, fs::file_size(file()));
  const Verdict verdict = unpack(file());
  EXPECT_FALSE(verdict.failure);
  EXPECT_EQ(verdict.statistics.committed, 301U);
  for (int i = 0; i < 300; ++i)
    EXPECT_EQ(fs::file_size(out() + "/in/" + std::to_string(i)), static_cast<std::uintmax_t>(i));
}

TEST_F(RecordingTest, BatchesAreNotReadAheadOfTheirCommits) {
  // Goal: a file gives far more offers than a sender may have under way, as fast as it is read.
  // Of links that lead far a batch holds few.
  fs::create_directory(dir_ / "in");
  const std::string target(4'000, 'x');
  for (int i = 0; i < 600; ++i) fs::create_symlink(target, dir_ / ("in/" + std::to_string(i)));
  static_cast<void>(record({dir_ / "in"}));
  const Verdict verdict = unpack(file());
  EXPECT_FALSE(verdict.failure);
  EXPECT_EQ(verdict.statistics.committed, 601U);
}

TEST_F(RecordingTest, MoreOffersThanAnySenderMakesEndIt) {
  // Goal: who reads ahead is not made to keep, or to wait for, what is never done.
  Bytes bytes = hello_;
  for (std::uint64_t batch = 0; batch <= kMaxBatchesInFlight; ++batch)
    bytes = joined({bytes, encode_frame(testkit::raw_offer(batch, {}, false))});
  EXPECT_NE(failure(bytes).find("too many batches"), std::string::npos);
}

TEST_F(RecordingTest, NoByteIsMissingUnnoticed) {
  // Goal: cut off anywhere a file is refused, and nothing of its only entry is there.
  dir_.write("in", "what is in it");
  static_cast<void>(record({dir_ / "in"}));
  const std::string whole = testkit::contents_of(file());
  ASSERT_EQ(failure(whole), "");
  // Behind its done it may have been committed.
  const auto done = whole.size() - kEndFrameBytes;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(failure(whole.substr(0, size)), "") << size;
    if (size >= done) continue;
    EXPECT_EQ(arrived(), std::set<std::string>()) << size;
  }
  EXPECT_NE(failure(whole + '.').find("after the sender's end"), std::string::npos);
  EXPECT_NE(failure(whole + whole).find("after the sender's end"), std::string::npos);
}

TEST_F(RecordingTest, NoBitIsAnotherUnnoticed) {
  // Goal: behind the hello, whose features and patience say nothing that matters, each bit counts.
  dir_.write("in", "what is in it");
  static_cast<void>(record({dir_ / "in"}));
  const std::string whole = testkit::contents_of(file());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    if (at >= kMagic.size() + 3 && at < kHelloBytes) continue;
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (at % 8)));
    EXPECT_NE(failure(bytes), "") << at;
    if (at >= whole.size() - kEndFrameBytes) continue;
    EXPECT_EQ(arrived(), std::set<std::string>()) << at;
  }
}

TEST_F(RecordingTest, HostileNamesLeadNowhere) {
  // Goal: a file from anywhere writes below the directory, and nowhere else.
  for (const std::string name : {"../x", "/x", "a/../../x", "", ".", "..", ".adoc/x"}) {
    Offer offer{.batch = 0, .last = true, .stored = testkit::manifest_naming(name)};
    offer.raw_bytes = offer.stored.size();
    EXPECT_NE(
        failure(joined({hello_, encode_frame(offer), encode_frame(Done{}), encode_frame(End{1})})),
        "")
        << name;
    EXPECT_EQ(dir_.final_names(), (std::set<std::string>{"made-up", "out"})) << name;
  }
}

TEST_F(RecordingTest, WhatAFileCannotHoldEndsIt) {
  // Goal: further connections, and words of the wrong side, are not for a file.
  const auto with = [&](const Bytes& frame) { return failure(joined({hello_, frame})); };
  EXPECT_NE(with(encode_frame(Split{})).find("no other connections"), std::string::npos);
  EXPECT_NE(with(encode_frame(End{0})), "");
  EXPECT_NE(with(encode_frame(Commit{})), "");
  EXPECT_NE(with(testkit::raw_block(0, 0, "data")).find("not offered"), std::string::npos);
  EXPECT_NE(failure(Hello{.role = Role::receiver}.encode()), "");
  Hello other{.role = Role::sender};
  other.version = 2;
  EXPECT_NE(failure(other.encode()).find("version 2"), std::string::npos);
}

TEST_F(RecordingTest, TheGoldenConversationIsAFile) {
  // Goal: what a sender of version 1 has sent is a file of this version, and stays one.
  EXPECT_EQ(failure(testkit::golden_bytes("good/to-receiver")), "");
  EXPECT_EQ(testkit::contents_of(out() + "/" + testkit::kGoldenName), testkit::kGoldenText);
}

TEST_F(RecordingTest, TheFileThatIsWrittenIsTheGoldenOne) {
  // Goal: a file that was written once is written the same, and unpacked.
  const std::string path = dir_.write("hello.txt", testkit::kGoldenText);
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  const timespec times[2] = {{0, UTIME_OMIT}, {1'000'000'000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  static_cast<void>(record({path}, {.policy = PolicyKind::fixed, .level = 0}));
  const std::string golden = text(testkit::golden_bytes("good/to-receiver"));
  // It names what its writer can.
  EXPECT_EQ(testkit::contents_of(file()).substr(kHelloBytes), golden.substr(kHelloBytes));
}

/// One entry of the golden tree.
struct InTree {
  const char* name;
  mode_t mode;
  timespec mtime{.tv_sec = 1'000'000'000, .tv_nsec = 0};
  std::string target{};    ///< of a link
  std::string contents{};  ///< of a file
};

const std::vector<InTree>& golden_tree() {
  static const std::vector<InTree> tree{
      {"tree/deep/quiet", S_IFREG | 0600, {-1, 789'000'000}, "", "quiet\n"},
      {"tree/deep", S_IFDIR | 0750},
      {"tree/empty", S_IFDIR | 0700},
      {.name = "tree/hello.txt", .mode = S_IFREG | 0644, .contents = testkit::kGoldenText},
      {.name = "tree/link", .mode = S_IFLNK | 0777, .target = "deep/quiet"},
      {"tree/no-bytes", S_IFREG | 0444},
      {.name = "tree/nowhere", .mode = S_IFLNK | 0777, .target = "../none"},
      {"tree", S_IFDIR | 0755},
  };
  return tree;
}

TEST_F(RecordingTest, TheGoldenTreeIsUnpacked) {
  // Goal: a tree that was written to a file once comes out of it as it was.
  ASSERT_EQ(failure(testkit::golden_bytes("good/to-receiver-tree")), "");
  std::set<std::string> names;
  for (const InTree& entry : golden_tree()) {
    names.insert(entry.name);
    const std::string path = out() + "/" + entry.name;
    struct stat status {};
    ASSERT_EQ(::lstat(path.c_str(), &status), 0) << path;
    EXPECT_EQ(status.st_mode, entry.mode) << path;
    EXPECT_EQ(status.st_mtim.tv_sec, entry.mtime.tv_sec) << path;
    EXPECT_EQ(status.st_mtim.tv_nsec, entry.mtime.tv_nsec) << path;
    if (S_ISLNK(entry.mode)) {
      EXPECT_EQ(fs::read_symlink(path), entry.target);
    } else if (S_ISREG(entry.mode)) {
      EXPECT_EQ(testkit::contents_of(path), entry.contents) << path;
    }
  }
  EXPECT_EQ(arrived(), names);
}

/// The frame at the beginning of the bytes, which are then those behind it.
Bytes take_frame(ByteSpan& bytes) {
  const FrameHeader header = FrameHeader::decode(bytes.first(kFrameHeaderBytes));
  const ByteSpan frame = bytes.first(kFrameHeaderBytes + header.payload_bytes);
  bytes = bytes.subspan(frame.size());
  return {frame.begin(), frame.end()};
}

std::vector<Entry> entries_of(const Bytes& frame) {
  return unpack_manifest(
      Offer::decode(open_record(FrameType::offer, ByteSpan(frame).subspan(kFrameHeaderBytes))));
}

TEST_F(RecordingTest, TheTreeThatIsWrittenIsTheGoldenOne) {
  // Goal: a tree is written as it was once: the same entries in the same order, and the same frames
  // behind their offer. How a codec stores the offer is the codec's own business.
  const auto& tree = golden_tree();
  // Each behind the directory that it is in.
  for (auto entry = tree.rbegin(); entry != tree.rend(); ++entry)
    if (S_ISDIR(entry->mode)) fs::create_directories(dir_ / entry->name);
  for (const InTree& entry : tree) {
    const std::string path = dir_ / entry.name;
    if (S_ISLNK(entry.mode)) {
      fs::create_symlink(entry.target, path);
      continue;
    }
    if (S_ISREG(entry.mode)) dir_.write(entry.name, entry.contents);
    ASSERT_EQ(::chmod(path.c_str(), entry.mode & 07777), 0);
  }
  for (const InTree& entry : tree) {
    const timespec times[2] = {{0, UTIME_OMIT}, entry.mtime};
    const std::string path = dir_ / entry.name;
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
  }
  static_cast<void>(record({dir_ / "tree"}, {.policy = PolicyKind::fixed, .level = 0}));
  const std::string written = testkit::contents_of(file());
  const Bytes golden = testkit::golden_bytes("good/to-receiver-tree");
  ByteSpan its = as_byte_span(written).subspan(kHelloBytes);
  ByteSpan wanted = ByteSpan(golden).subspan(kHelloBytes);
  const Bytes offer = take_frame(its);
  EXPECT_EQ(entries_of(offer), entries_of(take_frame(wanted)));
  EXPECT_TRUE(std::ranges::equal(its, wanted));
}

TEST_F(RecordingTest, WhatCannotBeReadFailsAndTheRestIsThere) {
  // Goal: as over a connection, a file that is gone is told of on both sides.
  dir_.write("a", "a");
  const Statistics written = record({dir_ / "a", dir_ / "none"});
  EXPECT_EQ(written.failed, 1U);
  EXPECT_EQ(written.committed, 1U);
  const Verdict verdict = unpack(file());
  EXPECT_FALSE(verdict.failure);
  EXPECT_EQ(arrived(), std::set<std::string>{"a"});
}

}  // namespace
}  // namespace adoc
