// Where received entries end up: the output tree, atomic files, decisions and batches.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "destination/incoming_batch.hpp"
#include "support/expect_error.hpp"
#include "support/made_up_frames.hpp"
#include "support/temporary_directory.hpp"

namespace adoc {
namespace {

namespace fs = std::filesystem;
using testkit::directory_entry;
using testkit::expect_error;
using testkit::file_entry;
using testkit::symlink_entry;

class OutputTest : public testing::Test {
 protected:
  [[nodiscard]] static SafeName name(const char* text) { return SafeName::check(text); }
  [[nodiscard]] IncomingBatch batch(const std::vector<Entry>& entries, bool keep = false) {
    Offer offer = testkit::raw_offer(0, entries, true);
    offer.keep_existing = keep;
    return IncomingBatch(offer, {tree_, intake_});
  }

  void write(IncomingBatch& batch, std::string_view text, std::uint64_t offset = 0) {
    const ByteSpan raw = as_byte_span(text);
    batch.write({.offset = offset, .raw = raw, .checksum = xxh3_64(raw)}, tree_);
  }

  testkit::TemporaryDirectory dir_;
  OutputTree tree_{open_destination(dir_.path())};
  ReceiveOptions options_;
  DiskRoom room_{open_destination(dir_.path()), std::nullopt};
  Intake intake_{options_, room_};
};

TEST_F(OutputTest, ParentsAreMadeOnlyWhenAskedFor) {
  // Goal: looking does not make directories; making makes all on the way, for us alone.
  EXPECT_EQ(tree_.find_parent(name("a/b/c")), nullptr);
  EXPECT_EQ(dir_.names(), std::set<std::string>{});
  EXPECT_NE(tree_.make_parent(name("a/b/c")), nullptr);
  EXPECT_EQ(dir_.names(), (std::set<std::string>{"a", "a/b"}));
  EXPECT_EQ(fs::status(dir_ / "a").permissions(), fs::perms::owner_all);
  EXPECT_NE(tree_.find_directory(name("a/b")), nullptr);
}

TEST_F(OutputTest, ALinkOrAFileOnTheWayIsNotPassed) {
  // Goal: each component is opened without following links.
  fs::create_directory(dir_ / "real");
  fs::create_symlink("real", dir_ / "link");
  dir_.write("file", "");
  for (const char* path : {"link/x", "file/x", "link/deep/x"}) {
    expect_error(ErrorKind::local_file, "on its way is not a directory",
                 [&] { static_cast<void>(tree_.make_parent(name(path))); });
    expect_error(ErrorKind::local_file, "on its way is not a directory",
                 [&] { static_cast<void>(tree_.find_parent(name(path))); });
  }
  EXPECT_EQ(dir_.names(), (std::set<std::string>{"real", "link", "file"}));
}

TEST_F(OutputTest, AnAtomicFileHasItsNameOnlyOncePublished) {
  // Goal: before that only a temporary file is there, whatever was written.
  const DirectoryPtr root = open_destination(dir_.path());
  dir_.write("name", "old");
  AtomicFile file = AtomicFile::create(root);
  file.write(0, as_byte_span("new contents"));
  file.set_metadata({0640, 77, 5});
  file.flush();
  EXPECT_EQ(testkit::contents_of(dir_ / "name"), "old");
  EXPECT_EQ(dir_.names().size(), 2U);
  EXPECT_TRUE(file.publish("name"));
  EXPECT_EQ(testkit::contents_of(dir_ / "name"), "new contents");
  EXPECT_EQ(dir_.names(), std::set<std::string>{"name"});
  struct stat status {};
  ASSERT_EQ(::stat((dir_ / "name").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
  EXPECT_EQ(status.st_mtim.tv_sec, 77);
  EXPECT_EQ(status.st_mtim.tv_nsec, 5);
}

TEST_F(OutputTest, AnAtomicFileThatIsNotPublishedLeavesNothing) {
  // Goal: the destructor cleans up, once, however often the file was moved.
  const DirectoryPtr root = open_destination(dir_.path());
  {
    AtomicFile first = AtomicFile::create(root);
    AtomicFile second = std::move(first);
    EXPECT_EQ(dir_.names().size(), 1U);
    first = AtomicFile::create(root);
    EXPECT_EQ(dir_.names().size(), 2U);
    first = std::move(second);
    EXPECT_EQ(dir_.names().size(), 1U);
    first.write(0, as_byte_span("moved"));
  }
  EXPECT_EQ(dir_.names(), std::set<std::string>{});
}

TEST_F(OutputTest, DecisionsFollowWhatIsThere) {
  // Goal: have, metadata, replace, keep and refuse, for each kind of entry.
  Entry file = file_entry("file", 3);
  dir_.write("file", "abc");
  const auto action = [&](const Entry& entry, bool keep = false) {
    return decide(entry, keep, tree_).action;
  };
  EXPECT_EQ(action(file), Action::replace) << "another time";
  ASSERT_EQ(::chmod((dir_ / "file").c_str(), 0644), 0);
  const timespec times[2] = {{0, UTIME_OMIT}, {1'000'000'000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (dir_ / "file").c_str(), times, 0), 0);
  EXPECT_EQ(action(file), Action::have);
  EXPECT_EQ(action(file, true), Action::keep);
  file.mode = 0600;
  EXPECT_EQ(action(file), Action::metadata);
  file.size = 4;
  EXPECT_EQ(action(file), Action::replace);
  EXPECT_EQ(action(file_entry("missing", 1), true), Action::replace);
  EXPECT_EQ(action(directory_entry("file")), Action::refuse);
  EXPECT_EQ(action(file_entry("file/below", 1)), Action::refuse);
  fs::create_directory(dir_ / "d");
  EXPECT_EQ(action(file_entry("d", 1)), Action::refuse);
  EXPECT_EQ(action(symlink_entry("d", "x")), Action::refuse);
  fs::create_symlink("there", dir_ / "l");
  EXPECT_EQ(action(symlink_entry("l", "elsewhere")), Action::replace);
}

TEST_F(OutputTest, TheStreamIsWhatIsWantedAndHoldsData) {
  // Goal: ranges times data runs, entry by entry; a range may go far beyond the file.
  Entry sparse = file_entry("s", 100);
  sparse.data = {{10, 20}, {50, 10}};
  const std::vector<Entry> entries{sparse, file_entry("a", 5), file_entry("z", 0),
                                   directory_entry("d")};
  const auto take = [](Extents ranges) { return WantItem{Verb::take, std::move(ranges), {}}; };
  const auto pieces = [&](const std::vector<WantItem>& wants) {
    std::vector<Piece> found;
    for (StreamLayout layout(entries, wants); !layout.at_end(); layout.next())
      found.push_back(layout.piece());
    return found;
  };
  EXPECT_EQ(pieces({take({{0, ~0UL}}), take({{2, 1}, {4, 9}}), take({}), take({})}),
            (std::vector<Piece>{{0, 10, 20}, {0, 50, 10}, {1, 2, 1}, {1, 4, 1}}));
  EXPECT_EQ(pieces({take({{15, 40}}), {Verb::have, {}, {}}, take({}), take({})}),
            (std::vector<Piece>{{0, 15, 15}, {0, 50, 5}}));
}

TEST_F(OutputTest, ABatchThatIsNotCommittedLeavesNothing) {
  // Goal: destroyed at any point it takes its temporary files along.
  {
    IncomingBatch one = batch({file_entry("a", 4), file_entry("b", 4)});
    write(one, "aaaabb");
    EXPECT_EQ(dir_.final_names(), std::set<std::string>{});
    EXPECT_EQ(dir_.names().size(), 3U) << "two, and the directory that they are in";
  }
  EXPECT_EQ(dir_.names(), std::set<std::string>{".adoc"});
  tree_.partials().close();
  remove_empty_store(open_destination(dir_.path()));
  EXPECT_EQ(dir_.names(), std::set<std::string>{});
}

TEST_F(OutputTest, ASkippedEntryFailsAndTheRestIsCommitted) {
  // Goal: one block may hold several files, and a failure is its own entry's alone.
  IncomingBatch one = batch({file_entry("a", 2), file_entry("gone", 3), file_entry("c", 2)});
  write(one, "aag");
  one.skip({.batch = 0, .offset = 3, .length = 2});
  write(one, "cc", 5);
  one.done({.batch = 0, .stream_bytes = 7, .failures = {{1, "it \x1b vanished"}}});
  const Commit commit = one.commit(tree_);
  EXPECT_EQ(commit.items[0].fate, Fate::committed);
  EXPECT_EQ(commit.items[1], (Commit::Item{Fate::failed, "it \\033 vanished"}));
  EXPECT_EQ(commit.items[2].fate, Fate::committed);
  EXPECT_EQ(dir_.final_names(), (std::set<std::string>{"a", "c"}));
  EXPECT_EQ(testkit::contents_of(dir_ / "c"), "cc");
}

}  // namespace
}  // namespace adoc
