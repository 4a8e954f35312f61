// Files that several senders bring, each its part.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "destination/incoming_batch.hpp"
#include "destination/own_directory.hpp"
#include "support/expect_error.hpp"
#include "support/made_up_frames.hpp"
#include "support/temporary_directory.hpp"
#include "util/content_hasher.hpp"

namespace adoc {
namespace {

namespace fs = std::filesystem;
using testkit::file_entry;

constexpr std::uint64_t kPieces = 10;
constexpr std::uint64_t kRun = 1'000;  ///< of each piece; the rest of it is a hole

class PartTest : public testing::Test {
 protected:
  /// Of a source that was last changed then.
  [[nodiscard]] static Entry part(std::uint32_t number, std::uint32_t count = 2,
                                  std::int64_t changed = 100) {
    Entry entry = file_entry("dir/large", kPieces * kMinPieceBytes);
    entry.data.emplace();
    for (std::uint64_t i = 0; i < kPieces; ++i)
      entry.data->push_back({i * kMinPieceBytes + 17, kRun});
    entry.share = {.shard = {number, count}, .changed_seconds = changed};
    return entry;
  }
  [[nodiscard]] static std::string piece_contents(std::uint64_t index, std::int64_t changed) {
    return std::string(kRun,
                       static_cast<char>('a' + (index + static_cast<std::uint64_t>(changed)) % 26));
  }
  [[nodiscard]] static std::string whole_contents(std::int64_t changed = 100) {
    std::string all(kPieces * kMinPieceBytes, '\0');
    for (std::uint64_t i = 0; i < kPieces; ++i)
      all.replace(i * kMinPieceBytes + 17, kRun, piece_contents(i, changed));
    return all;
  }

  /// One transfer of one part.
  struct Transfer {
    Transfer(const Entry& entry_, OutputTree& tree_, const IncomingBatch::Setup& setup)
        : entry(entry_), tree(tree_), batch(testkit::raw_offer(0, {entry_}, true), setup) {
      const Want want = batch.want();
      EntryPieces wanted(0, entry, want.items[0]);
      while (const auto piece = wanted.next()) pieces.push_back(*piece);
    }
    /// The next `count` pieces that are wanted.
    void write(std::size_t count = SIZE_MAX) {
      for (; count > 0 && at < pieces.size(); --count, ++at) {
        const std::string text =
            piece_contents(pieces[at].file_offset / kMinPieceBytes, entry.share->changed_seconds);
        const ByteSpan raw = as_byte_span(text);
        batch.write({.offset = position, .raw = raw, .checksum = xxh3_64(raw)}, tree);
        position += raw.size();
      }
    }
    [[nodiscard]] Commit::Item commit() {
      write();
      batch.done({.batch = 0, .stream_bytes = position});
      return batch.commit(tree).items[0];
    }

    Entry entry;
    OutputTree& tree;
    IncomingBatch batch;
    std::vector<Piece> pieces;
    std::size_t at = 0;
    std::uint64_t position = 0;
  };
  [[nodiscard]] std::unique_ptr<Transfer> begin(const Entry& entry, bool resume = true) {
    return std::make_unique<Transfer>(entry, tree_, IncomingBatch::Setup{tree_, intake_, resume});
  }
  [[nodiscard]] Fate sent(const Entry& entry) { return begin(entry)->commit().fate; }
  [[nodiscard]] std::string failure(const Entry& entry) {
    const Commit::Item item = begin(entry)->commit();
    EXPECT_EQ(item.fate, Fate::failed);
    return item.reason;
  }
  [[nodiscard]] bool is_there() const { return fs::exists(dir_.path() + "/dir/large"); }
  void expect_whole(std::int64_t changed = 100) {
    tree_.partials().close();
    remove_empty_store(root_);
    EXPECT_EQ(fs::file_size(dir_ / "dir/large"), kPieces * kMinPieceBytes);
    std::ifstream file(dir_ / "dir/large");
    for (std::uint64_t i = 0; i < kPieces; ++i) {
      std::string run(kRun, '?');
      file.seekg(static_cast<std::streamoff>(i * kMinPieceBytes + 17));
      file.read(run.data(), std::ssize(run));
      EXPECT_EQ(run, piece_contents(i, changed));
    }
    EXPECT_EQ(dir_.names(), (std::set<std::string>{"dir", "dir/large"})) << "nothing else is left";
  }
  [[nodiscard]] std::string left(std::string_view suffix) const {
    for (const std::string& name : dir_.names())
      if (name.ends_with(suffix)) return dir_ / name;
    return {};
  }

  testkit::TemporaryDirectory dir_;
  DirectoryPtr root_ = open_destination(dir_.path());
  OutputTree tree_{root_};
  ReceiveOptions options_;
  DiskRoom room_{open_destination(dir_.path()), std::nullopt};
  Intake intake_{options_, room_};
};

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_F(PartTest, TheLastPartGivesTheFileItsName) {
  // Goal: whichever it is, and whichever was begun first.
  auto first = begin(part(1, 3));
  auto second = begin(part(2, 3));
  auto third = begin(part(3, 3));
  EXPECT_EQ(first->pieces.size() + second->pieces.size() + third->pieces.size(), kPieces);
  third->write(1);
  first->write(1);
  EXPECT_EQ(second->commit().fate, Fate::part);
  EXPECT_EQ(third->commit().fate, Fate::part);
  EXPECT_FALSE(is_there());
  EXPECT_EQ(first->commit().fate, Fate::committed);
  first.reset(), second.reset(), third.reset();
  expect_whole();
  EXPECT_EQ(sent(part(2, 3)), Fate::have);
}

TEST_F(PartTest, APartThatIsRepeatedWantsNothing) {
  // Goal: what a sender was told to be there is not asked for again, nor looked at.
  EXPECT_EQ(sent(part(2)), Fate::part);
  auto again = begin(part(2));
  EXPECT_TRUE(again->pieces.empty());
  EXPECT_EQ(again->commit().fate, Fate::part);
  again.reset();
  EXPECT_EQ(sent(part(1)), Fate::committed);
  expect_whole();
}

TEST_F(PartTest, APartThatIsCutOffGoesOnBehindItsLastWholePiece) {
  // Goal: pieces that were not told to be there are read before they are believed.
  auto cut = begin(part(1));
  ASSERT_EQ(cut->pieces.size(), 5U);
  const std::vector<Piece> all = cut->pieces;
  cut->write(3);
  cut.reset();
  auto next = begin(part(1));
  EXPECT_EQ(next->pieces, (std::vector<Piece>(all.begin() + 2, all.end())));
  next.reset();
  const int file = ::open(left(kSharedSuffix).c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_EQ(::pwrite(file, "?", 1, static_cast<off_t>(all[0].file_offset)), 1);
  ::close(file);
  next = begin(part(1));
  EXPECT_EQ(next->pieces.front(), all[0]) << "it is damaged";
  EXPECT_EQ(next->pieces.size(), 4U);
  EXPECT_EQ(next->commit().fate, Fate::part);
  next.reset();
  EXPECT_EQ(sent(part(2)), Fate::committed);
  expect_whole();
}

TEST_F(PartTest, WhoBeginsAPieceLastHasIt) {
  // Goal: the session of a connection that was lost writes nothing any more once the next one does.
  auto lost = begin(part(1));
  lost->write(2);
  auto next = begin(part(1));
  EXPECT_EQ(next->pieces.size(), 4U);
  next->write(1);
  lost->write(1);
  const Commit::Item item = lost->commit();
  EXPECT_EQ(item.fate, Fate::failed);
  EXPECT_TRUE(contains(item.reason, "taken over")) << item.reason;
  lost.reset();
  EXPECT_EQ(next->commit().fate, Fate::part);
  next.reset();
  EXPECT_EQ(sent(part(2)), Fate::committed);
  expect_whole();
}

TEST_F(PartTest, NobodyWritesToAFileThatHasItsName) {
  // Goal: a second transfer of a part, late, does not change what the first has brought.
  auto late = begin(part(1));
  late->write(1);
  EXPECT_EQ(sent(part(1)), Fate::part);
  EXPECT_EQ(sent(part(2)), Fate::committed);
  late->write(1);
  EXPECT_EQ(late->commit().fate, Fate::failed);
  late.reset();
  expect_whole();
}

TEST_F(PartTest, PartsOfTwoStatesAreNoFile) {
  // Goal: no mixture, and no sender hears that all is well while a part is of an earlier state.
  EXPECT_EQ(sent(part(1)), Fate::part);
  EXPECT_TRUE(contains(failure(part(2, 2, 200)), "has changed"));
  EXPECT_TRUE(contains(failure(part(2, 2, 200)), "has changed"));
  EXPECT_FALSE(is_there());
  auto again = begin(part(1, 2, 200));
  EXPECT_EQ(again->pieces.size(), 5U);
  EXPECT_EQ(again->commit().fate, Fate::committed);
  again.reset();
  expect_whole(200);
}

TEST_F(PartTest, AnEarlierStateDoesNotDropALaterOne) {
  // Goal: a sender that has listed the source before it changed does no harm.
  auto early = begin(part(2));
  early->write(1);
  EXPECT_EQ(sent(part(1, 2, 200)), Fate::part);
  EXPECT_EQ(early->commit().fate, Fate::failed);
  early.reset();
  EXPECT_TRUE(contains(begin(part(2))->batch.want().items[0].reason, "later state"));
  EXPECT_EQ(sent(part(2, 2, 200)), Fate::committed);
  expect_whole(200);
}

TEST_F(PartTest, OneHashIsOneState) {
  // Goal: with --checksum copies of the source, changed at other times, are the same, and the whole
  // is compared.
  Entry first = part(1, 2, 100);
  Entry second = part(2, 2, 126);  // contents repeat after 26
  ContentHasher hasher;
  hasher.update(as_byte_span(whole_contents()));
  first.hash = second.hash = hasher.digest();
  EXPECT_EQ(sent(first), Fate::part);
  EXPECT_EQ(sent(second), Fate::committed);
  expect_whole();
  fs::remove(dir_ / "dir/large");
  (*first.hash)[0] ^= std::byte{1};
  second.hash = first.hash;
  EXPECT_EQ(sent(first), Fate::part);
  EXPECT_TRUE(contains(failure(second), "all parts of it are to be sent again"));
  EXPECT_FALSE(is_there());
  EXPECT_TRUE(contains(failure(second), "has changed")) << "until the other has come again";
}

TEST_F(PartTest, AFailureOfOneSenderCostsItsPartAlone) {
  // Goal: a source that it could not read, or that changed meanwhile, takes no other part along.
  EXPECT_EQ(sent(part(1)), Fate::part);
  auto failed = begin(part(2));
  failed->write(3);
  failed->batch.skip({.batch = 0, .offset = failed->position, .length = 2 * kRun});
  failed->batch.done({.batch = 0,
                      .stream_bytes = failed->position + 2 * kRun,
                      .failures = {{0, "it changed while it was read"}}});
  EXPECT_EQ(failed->batch.commit(tree_).items[0].fate, Fate::failed);
  failed.reset();
  auto again = begin(part(2));
  EXPECT_EQ(again->pieces.size(), 5U) << "nothing of it is believed";
  EXPECT_EQ(again->commit().fate, Fate::committed);
  again.reset();
  expect_whole();
}

TEST_F(PartTest, WithoutResumingAPartIsSentAnew) {
  // Goal: --no-resume asks for what is there, and leaves nothing that is not whole.
  EXPECT_EQ(sent(part(1)), Fate::part);
  auto anew = begin(part(1), false);
  EXPECT_EQ(anew->pieces.size(), 5U);
  EXPECT_EQ(anew->commit().fate, Fate::part);
  anew.reset();
  auto cut = begin(part(2), false);
  cut->write(3);
  cut.reset();
  EXPECT_EQ(begin(part(2))->pieces.size(), 5U);
  EXPECT_EQ(sent(part(2)), Fate::committed);
  expect_whole();
}

TEST_F(PartTest, HolesAreThereWithoutAByte) {
  // Goal: a part without data is one that counts.
  Entry first = part(1), second = part(2);
  first.data.emplace(), second.data.emplace();
  EXPECT_EQ(sent(second), Fate::part);
  EXPECT_EQ(sent(first), Fate::committed);
  EXPECT_EQ(fs::file_size(dir_ / "dir/large"), kPieces * kMinPieceBytes);
}

TEST_F(PartTest, AnyNumberOfSendersGoesOnWithAnyOther) {
  // Goal: pieces count, not who was to bring them.
  EXPECT_EQ(sent(part(1, 2)), Fate::part);
  EXPECT_EQ(sent(part(3, 3)), Fate::part);
  EXPECT_EQ(sent(part(1, 3)), Fate::part);
  EXPECT_EQ(sent(part(2, 3)), Fate::committed);
  expect_whole();
}

TEST_F(PartTest, WhatIsOldIsRemovedUnlessSomebodyIsAtWorkOnIt) {
  // Goal: parts whose others never come do not stay for ever.
  EXPECT_EQ(sent(part(1)), Fate::part);
  tree_.partials().close();
  EXPECT_EQ(clean_partials(root_, std::chrono::hours(1)).files, 1U);
  auto working = begin(part(2));
  tree_.partials().close();
  EXPECT_EQ(clean_partials(root_, std::chrono::seconds(0)).removed_files, 0U);
  working.reset();
  EXPECT_EQ(clean_partials(root_, std::chrono::seconds(0)).removed_files, 1U);
  EXPECT_EQ(dir_.names(), std::set<std::string>{"dir"});
}

TEST_F(PartTest, NothingIsLeftOfWhatNeverCame) {
  // Goal: a transfer that ends before its first piece leaves no file behind.
  begin(part(1)).reset();
  tree_.partials().close();
  remove_empty_store(root_);
  EXPECT_EQ(dir_.names(), std::set<std::string>{"dir"});
}

TEST_F(PartTest, ATableThatIsDamagedIsNotBelieved) {
  // Goal: what is not as it was written says nothing, and its pieces come again.
  EXPECT_EQ(sent(part(1)), Fate::part);
  const std::string table = left(kPiecesSuffix);
  std::string bytes = testkit::contents_of(table);
  for (std::size_t i = 4'096; i < bytes.size(); i += 32) bytes[i] ^= 1;
  dir_.write(fs::path(table).lexically_relative(dir_.path()), bytes);
  EXPECT_EQ(begin(part(1))->pieces.size(), 5U);
  bytes[20] ^= 1;
  dir_.write(fs::path(table).lexically_relative(dir_.path()), bytes);
  EXPECT_EQ(sent(part(1)), Fate::part);
  EXPECT_EQ(sent(part(2)), Fate::committed);
  expect_whole();
}

TEST_F(PartTest, WhatWasNotAgreedOnEndsTheTransfer) {
  // Goal: a share of a sender that has not named the feature breaks the protocol.
  testkit::expect_error(ErrorKind::corrupt, "not agreed on", [&] {
    IncomingBatch batch(testkit::raw_offer(0, {part(1)}, true),
                        {.tree = tree_, .intake = intake_, .shares = false});
  });
}

}  // namespace
}  // namespace adoc
