// A sender that sends, and reads nothing of what the receiver says.

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "destination/output_tree.hpp"
#include "pipeline/threads.hpp"
#include "support/made_up_frames.hpp"
#include "support/temporary_directory.hpp"
#include "support/test_streams.hpp"
#include "transfer/serve_connection.hpp"
#include "wire/arrived.hpp"
#include "wire/hello.hpp"
#include "wire/keep_alive.hpp"
#include "wire/outcome.hpp"

namespace adoc {
namespace {

using testkit::joined;

/// Says its script, and takes nothing but a hello before that is at its end.
class BusyTalker final : public testkit::StubStream {
 public:
  explicit BusyTalker(Bytes script) : script_(std::move(script)) {}

  std::size_t read_some(std::span<std::byte> into) override {
    const std::size_t count = std::min(into.size(), script_.size() - position_);
    std::copy_n(script_.begin() + static_cast<std::ptrdiff_t>(position_), count, into.begin());
    position_ += count;
    if (position_ == script_.size()) stop_reading();
    return count;
  }
  std::size_t write_some(std::span<const ByteSpan> pieces) override {
    std::unique_lock lock(mutex_);
    reads_again_.wait(lock, [this] { return reads_ || heard_.empty(); });
    heard_.insert(heard_.end(), pieces.front().begin(), pieces.front().end());
    return pieces.front().size();
  }
  void stop_reading() noexcept override {
    const std::lock_guard lock(mutex_);
    reads_ = true;
    reads_again_.notify_all();
  }

  /// After the end.
  [[nodiscard]] const Bytes& heard() const noexcept { return heard_; }

 private:
  const Bytes script_;
  std::size_t position_ = 0;
  std::mutex mutex_;
  std::condition_variable reads_again_;
  Bytes heard_;
  bool reads_ = false;
};

TEST(UnreadRepliesTest, ASenderThatReadsNothingIsToldOfWhatHasArrivedOnlyOnce) {
  // Goal: what waits for a sender that does not read is as little after any number of bytes.
  constexpr std::size_t kSaid = 16 * kMostUntold;
  const Bytes keep_alive = encode_frame(KeepAlive{});
  Bytes script =
      joined({Hello{.role = Role::sender}.encode(), encode_frame(Arrived{kHelloBytes}),
              encode_frame(testkit::raw_offer(0, {testkit::file_entry("ten", 10)}, true))});
  while (script.size() < kSaid) script.insert(script.end(), keep_alive.begin(), keep_alive.end());
  const Bytes end = encode_frame(End{1});
  script = joined({script, testkit::raw_block(0, 0, "0123456789"),
                   encode_frame(Done{.stream_bytes = 10, .failures = {}}), end, end});
  const std::size_t all = script.size();
  BusyTalker sender(std::move(script));

  const testkit::TemporaryDirectory out;
  const ReceiveOptions options{.out_directory = out.path(), .timeout = std::chrono::seconds(0)};
  const DirectoryPtr destination = open_destination(options.out_directory);
  DiskRoom room(destination, options.min_free);
  DescriptorBudget files(100);
  const auto memory = std::make_shared<MemoryShares>(decompression_shares(options));
  TransferFigures figures;
  const Served served =
      serve_connection({.options = options,
                        .destination = destination,
                        .room = room,
                        .files = files,
                        .memory = *memory,
                        .owners = nullptr,
                        .observer = nullptr,
                        .figures = figures,
                        .stream = sender,
                        .streams = StreamsOffer{.most = 1, .window = kMinStreamWindow}},
                       {});
  ASSERT_FALSE(served.verdict.failure);
  EXPECT_EQ(served.verdict.statistics.committed, 1U);

  std::vector<std::uint64_t> arrived;
  for (const Bytes& frame : testkit::split_frames(ByteSpan(sender.heard()).subspan(kHelloBytes)))
    if (FrameHeader::decode(ByteSpan(frame).first(kFrameHeaderBytes)).type == FrameType::arrived)
      arrived.push_back(
          Arrived::decode(ByteSpan(frame).subspan(kFrameHeaderBytes,
                                                  frame.size() - kFrameHeaderBytes - kCheckBytes))
              .bytes);
  // One that was on its way and the latest: it reads when all of its own is said, and not before.
  const auto before_it_reads =
      std::ranges::count_if(arrived, [&](auto bytes) { return bytes < all; });
  EXPECT_LE(before_it_reads, 2);
  ASSERT_FALSE(arrived.empty());
  EXPECT_GE(arrived.back(), all - end.size()) << "and the last one says all";
}

}  // namespace
}  // namespace adoc
