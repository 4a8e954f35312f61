// The journal of a partial file: what is written is read again, and what was torn, damaged or lost
// costs its own records and nothing else.

#include "destination/journal.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "destination/output_tree.hpp"
#include "destination/verify_partial.hpp"
#include "support/made_up_frames.hpp"
#include "support/temporary_directory.hpp"

namespace adoc {
namespace {

using testkit::file_entry;
using Records = std::vector<JournalRecord>;

class JournalTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kPiece = 1'000;

  JournalTest() {
    for (char letter = 'a'; letter < 'f'; ++letter) contents_ += std::string(kPiece, letter);
    // Not in order: a transfer that went on with another one's gaps.
    for (const std::uint64_t piece : {0UL, 3UL, 1UL, 4UL, 2UL})
      records_.push_back(record_of(piece * kPiece));
    dir_.write("data", contents_);
    write_journal(records_);
  }

  [[nodiscard]] JournalRecord record_of(std::uint64_t offset) const {
    return {offset, kPiece,
            xxh3_64(as_byte_span(std::string_view(contents_).substr(offset, kPiece)))};
  }
  void write_journal(const Records& records) {
    Bytes bytes = encode_journal_header(entry_);
    for (const JournalRecord& record : records) {
      const Bytes encoded = encode_journal_record(record);
      bytes.insert(bytes.end(), encoded.begin(), encoded.end());
    }
    write_journal(bytes);
  }
  void write_journal(ByteSpan bytes) const {
    // Some file systems flush a file that is written over.
    std::filesystem::remove(dir_ / "journal");
    dir_.write("journal", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  [[nodiscard]] Bytes journal() const {
    const std::string text = testkit::contents_of(dir_ / "journal");
    const ByteSpan bytes = as_byte_span(text);
    return {bytes.begin(), bytes.end()};
  }
  [[nodiscard]] Fd open(const char* name) const {
    return Fd(::open((dir_ / name).c_str(), O_RDWR | O_CLOEXEC));
  }
  [[nodiscard]] Records read() const {
    const Fd file = open("journal");
    JournalReader reader(file.get());
    Records records;
    while (const auto record = reader.next()) records.push_back(*record);
    return records;
  }
  [[nodiscard]] std::optional<VerifiedPartial> verify(const Entry& entry) const {
    const Fd data = open("data");
    const Fd journal = open("journal");
    return verify_partial(data.get(), journal.get(), entry);
  }
  [[nodiscard]] std::vector<Extent> present() const {
    const auto verified = verify(entry_);
    return verified ? verified->present : std::vector<Extent>{};
  }

  testkit::TemporaryDirectory dir_;
  std::string contents_;
  Entry entry_ = file_entry("some/name", 5 * kPiece);
  Records records_;
};

TEST_F(JournalTest, WhatIsWrittenIsRead) {
  // Goal: header and records, also by the writer that appends, in one go or one after a pause.
  EXPECT_EQ(read(), records_);
  const Fd file = open("journal");
  EXPECT_EQ(JournalReader(file.get()).source(), entry_);

  const DirectoryPtr directory = open_destination(dir_.path());
  Journal written({directory, "other"}, entry_);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "other")) << "nothing to say";
  for (std::size_t i = 0; i < records_.size(); ++i) {
    written.note(records_[i]);
    if (i == 2) written.pause();
  }
  written.flush();
  EXPECT_EQ(testkit::contents_of(dir_ / "other"), testkit::contents_of(dir_ / "journal"));
  written.remove();
  EXPECT_FALSE(std::filesystem::exists(dir_ / "other"));
}

TEST_F(JournalTest, ATornTailCostsTheRecordThatIsTorn) {
  // Goal: cut after each byte, the journal gives the records that are whole, and goes on after
  // them.
  const Bytes whole = journal();
  const std::size_t header = encode_journal_header(entry_).size();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    SCOPED_TRACE("cut after byte " + std::to_string(length));
    write_journal(ByteSpan(whole).first(length));
    const std::size_t left = length < header ? 0 : (length - header) / kJournalRecordBytes;
    EXPECT_EQ(read(), Records(records_.begin(), records_.begin() + static_cast<long>(left)));
    const auto verified = verify(entry_);
    ASSERT_EQ(verified.has_value(), left > 0);
    if (!verified) continue;
    EXPECT_EQ(verified->journal_end, header + left * kJournalRecordBytes);
    Journal more({open_destination(dir_.path()), "journal"}, open("journal"),
                 verified->journal_end);
    more.note(records_[4]);
    more.flush();
    Records expected(records_.begin(), records_.begin() + static_cast<long>(left));
    expected.push_back(records_[4]);
    EXPECT_EQ(read(), expected);
  }
}

TEST_F(JournalTest, AFlippedBitCostsOneRecordOrAll) {
  // Goal: no bit of the journal can be flipped without its record, or the journal, being dropped.
  const Bytes whole = journal();
  const std::size_t header = encode_journal_header(entry_).size();
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    SCOPED_TRACE("bit " + std::to_string(bit));
    Bytes damaged = whole;
    damaged[bit / 8] ^= std::byte{1} << (bit % 8);
    write_journal(damaged);
    Records expected;
    if (bit / 8 >= header) {
      expected = records_;
      expected.erase(expected.begin() +
                     static_cast<long>((bit / 8 - header) / kJournalRecordBytes));
    }
    ASSERT_EQ(read(), expected);
  }
}

TEST_F(JournalTest, AnotherVersionIsOfNoUse) {
  // Goal: a later format is not misread.
  Bytes other = journal();
  other[kJournalMagic.size()] = std::byte{kJournalVersion + 1};
  write_journal(other);
  EXPECT_EQ(read(), Records{});
  EXPECT_FALSE(verify(entry_));
}

TEST_F(JournalTest, RecordsOutsideTheFileAreNotRead) {
  // Goal: no record makes anybody allocate or read what cannot be.
  const std::uint64_t size = entry_.size;
  for (const JournalRecord& wrong :
       {JournalRecord{size, 1, 0}, JournalRecord{0, size + 1, 0}, JournalRecord{1, size, 0},
        JournalRecord{0, 0, 0}, JournalRecord{~0UL, 2, 0}, JournalRecord{2, ~0UL, 0}}) {
    write_journal({records_[0], wrong, records_[1]});
    EXPECT_EQ(read(), (Records{records_[0], records_[1]}));
  }
}

TEST_F(JournalTest, WhatIsThereIsBelieved) {
  // Goal: all that was recorded, as few runs as it makes.
  EXPECT_EQ(present(), (std::vector<Extent>{{0, entry_.size}}));
  write_journal({records_[0], records_[1], records_[2]});
  EXPECT_EQ(present(), (std::vector<Extent>{{0, 2 * kPiece}, {3 * kPiece, kPiece}}));
}

TEST_F(JournalTest, DataThatIsNotAsClaimedIsDroppedForGood) {
  // Goal: one flipped byte costs the record around it, and only that.
  for (const std::uint64_t byte : {0UL, 999UL, 1'000UL, 2'500UL, 4'999UL}) {
    SCOPED_TRACE("byte " + std::to_string(byte));
    std::string damaged = contents_;
    damaged[byte] ^= 1;
    dir_.write("data", damaged);
    write_journal(records_);
    const std::uint64_t begin = byte / kPiece * kPiece;
    std::vector<Extent> expected;
    if (begin > 0) expected.push_back({0, begin});
    if (begin + kPiece < entry_.size)
      expected.push_back({begin + kPiece, entry_.size - begin - kPiece});
    EXPECT_EQ(present(), expected);
    dir_.write("data", contents_);
    EXPECT_EQ(present(), expected) << "it is no longer in the journal";
    EXPECT_EQ(read().size(), records_.size() - 1);
  }
}

TEST_F(JournalTest, DataThatIsShorterThanClaimedIsDropped) {
  // Goal: after each length, what is wholly there counts.
  for (std::uint64_t length = 0; length <= entry_.size; length += 250) {
    SCOPED_TRACE("data of " + std::to_string(length));
    write_journal(records_);
    dir_.write("data", contents_.substr(0, length));
    const std::uint64_t whole = length / kPiece * kPiece;
    EXPECT_EQ(present(), whole > 0 ? (std::vector<Extent>{{0, whole}}) : std::vector<Extent>{});
  }
}

TEST_F(JournalTest, NoMetadataAreTooManyForIt) {
  // Goal: a file with all the attributes that one may have can be gone on with.
  entry_.metadata.emplace().attributes.emplace().add("user.large", Bytes(60'000));
  write_journal(records_);
  EXPECT_EQ(present(), (std::vector<Extent>{{0, entry_.size}}));
}

TEST_F(JournalTest, AnotherSourceIsAnotherFile) {
  // Goal: name, size, time and, where it is asked for, the hash must be the same.
  const auto differs = [&](const Entry& entry) { return !verify(entry).has_value(); };
  EXPECT_FALSE(differs(entry_));
  EXPECT_TRUE(differs(file_entry("some/names", entry_.size)));
  EXPECT_TRUE(differs(file_entry("some/name", entry_.size + 1)));
  Entry later = entry_;
  ++later.mtime_nanoseconds;
  EXPECT_TRUE(differs(later));
  later = entry_;
  --later.mtime_seconds;
  EXPECT_TRUE(differs(later));
  Entry other_mode = entry_;
  other_mode.mode ^= 0111;
  EXPECT_FALSE(differs(other_mode)) << "that is not a matter of contents";

  Entry hashed = entry_;
  hashed.hash = ContentHash{std::byte{1}};
  EXPECT_TRUE(differs(hashed)) << "it is not known whether these are the contents";
  std::swap(entry_, hashed);
  write_journal(records_);
  EXPECT_FALSE(differs(entry_));
  EXPECT_FALSE(differs(hashed)) << "nobody asks for it";
  entry_.hash->front() = std::byte{2};
  EXPECT_TRUE(differs(entry_));
}

}  // namespace
}  // namespace adoc
