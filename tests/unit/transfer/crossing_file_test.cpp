#include "transfer/crossing_file.hpp"

#include <gtest/gtest.h>

#include "support/made_up_frames.hpp"

namespace adoc {
namespace {

using testkit::directory_entry;
using testkit::file_entry;

OutgoingBatchPtr batch_of(std::uint64_t id, std::vector<Entry> entries) {
  auto batch = std::make_shared<OutgoingBatch>();
  batch->id = id;
  for (const Entry& entry : entries) {
    const bool has_data = entry.kind == EntryKind::file;
    batch->wants.push_back(
        {.verb = Verb::take, .ranges = has_data ? Extents{{0, kUnknownSize}} : Extents{}});
  }
  batch->entries = std::move(entries);
  return batch;
}

std::string told(CrossingFile& files, std::uint64_t batch, std::uint64_t offset) {
  const std::string* const name = files.at({batch, offset});
  return name == nullptr ? "" : *name;
}

TEST(CrossingFileTest, APlaceIsInTheFileWhoseBytesAreThere) {
  // Goal: each file is told once, when its first byte crosses; empty ones and directories never.
  CrossingFile files;
  files.add(batch_of(
      0, {file_entry("a", 10), file_entry("empty", 0), directory_entry("d"), file_entry("b", 5)}));
  files.add(batch_of(1, {file_entry("c", 100)}));
  EXPECT_EQ(told(files, 0, 0), "a");
  EXPECT_EQ(told(files, 0, 9), "");
  EXPECT_EQ(told(files, 0, 10), "b");
  EXPECT_EQ(told(files, 0, 15), "");
  EXPECT_EQ(told(files, 1, 0), "c");
  EXPECT_EQ(told(files, 2, 0), "") << "a batch that is not known yet";
}

TEST(CrossingFileTest, BatchesThatHavePassedAreForgotten) {
  // Goal: memory does not grow with a receiver that never says what has arrived.
  CrossingFile files;
  const auto batch = batch_of(0, {file_entry("a", 10)});
  files.add(batch);
  EXPECT_EQ(batch.use_count(), 2);
  files.passed(0);
  EXPECT_EQ(batch.use_count(), 1);
  EXPECT_EQ(told(files, 0, 0), "");
}

}  // namespace
}  // namespace adoc
