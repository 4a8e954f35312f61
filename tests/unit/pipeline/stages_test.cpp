// The stages of both sides coupled over a socket, under schedules made up from a seed.

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

#include "io/tcp_stream.hpp"
#include "pipeline/block_assembler.hpp"
#include "pipeline/communication_stage.hpp"
#include "pipeline/decompress_stage.hpp"
#include "pipeline/frame_reader.hpp"
#include "support/pipeline_ends.hpp"
#include "support/test_streams.hpp"
#include "transfer/lifeline.hpp"

namespace adoc {
namespace {

using testkit::any_size;
using testkit::Rng;
using testkit::up_to;

/// A source that also pauses, gives less than it could, and says the end behind its last block.
class RandomSource final : public BlockSource {
 public:
  RandomSource(Bytes data, Fifo& fifo, std::uint64_t seed)
      : data_(std::move(data)), fifo_(fifo), rng_(seed) {}

  std::optional<RawBlock> next(std::span<std::byte> into) override {
    testkit::random_pause(rng_);
    const std::size_t left = data_.size() - position_;
    if (left == 0) {
      fifo_.push_last(encode_frame(End{1}));
      return std::nullopt;
    }
    if (position_ >= throw_at) throw Error(ErrorKind::local_file, "the source broke");
    const std::size_t most = std::min(into.size(), left);
    const std::size_t count = up_to(rng_, 3) == 0 ? 1 + up_to(rng_, most - 1) : most;
    std::copy_n(data_.begin() + static_cast<std::ptrdiff_t>(position_), count, into.begin());
    position_ += count;
    return RawBlock{0, position_ - count, into.first(count)};
  }

  std::size_t throw_at = SIZE_MAX;

 private:
  Bytes data_;
  Fifo& fifo_;
  Rng rng_;
  std::size_t position_ = 0;
};

class RandomPolicy final : public Policy {
 public:
  RandomPolicy(int top, std::uint64_t seed) : top_(static_cast<std::uint64_t>(top)), rng_(seed) {}

  [[nodiscard]] Plan plan(const LinkState&) override {
    return {.block_bytes = 1'024 + any_size(rng_, 100'000), .paper_yield = up_to(rng_, 3) == 0};
  }
  [[nodiscard]] Choice choose(const LinkState&, const SampleStats&, std::size_t) override {
    // Low levels more often than high ones, which take their time; and high ones in runs, since
    // only neighbours are linked.
    if (up_to(rng_, 3) == 0) level_ = static_cast<int>(any_size(rng_, top_));
    return {.level = level_, .reason = "chance", .may_cut = up_to(rng_, 1) == 0};
  }
  void learn(const LinkState&, const BlockResult&) override {}

 private:
  int level_ = 0;
  std::uint64_t top_;
  Rng rng_;
};

struct RandomSink final : testkit::MemorySink {
  explicit RandomSink(std::uint64_t seed) : rng(seed) {}
  void write(const ArrivedBlock& block) override {
    testkit::random_pause(rng);
    if (block.offset >= throw_at) throw Error(ErrorKind::local_file, "the sink broke");
    MemorySink::write(block);
  }
  Rng rng;
  std::size_t throw_at = SIZE_MAX;
};

/// One run of the whole pipeline with everything chosen from a seed.
class Pipeline {
 public:
  explicit Pipeline(std::uint64_t seed)
      : rng_(seed),
        ladder_(Ladder::named(kLadders[up_to(rng_, 3)])),
        packet_bytes_(64 + any_size(rng_, 20'000)),
        data_(make_data()),
        fifo_(1 + any_size(rng_, 20)),
        stored_(1 + any_size(rng_, 50'000)),
        inbound_(1 + any_size(rng_, 50'000)),
        features_(up_to(rng_, kAllFeatures)),
        policy_(ladder_.top(), rng_()),
        source(data_, fifo_, rng_()),
        sink(rng_()),
        compress_stage_(
            {.ladder = ladder_,
             .policy = policy_,
             .packet_bytes = packet_bytes_,
             .block_bytes = 0,
             .threads = threads_,
             .memory_bytes = up_to(rng_, 1) == 0 ? SIZE_MAX : 1 + any_size(rng_, 1 << 28),
             .source = source,
             .fifo = fifo_,
             .stock = sending_stock_,
             .counters = sent_,
             .receiver = receiver_,
             .peer_features = features_,
             .observer = nullptr}) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    near_ = std::make_unique<TcpStream>(Fd{ends[0]}, "far");
    far_ = std::make_unique<TcpStream>(Fd{ends[1]}, "near");
  }

  /// Runs to the end; gives the first failure, or null.
  std::exception_ptr run() {
    Lifeline lifeline([this](const std::exception_ptr& failure) {
      fifo_.fail(failure);
      compress_stage_.fail(failure);
      stored_.fail(failure);
      window_.fail(failure);
      inbound_.fail(failure);
      over_.request_stop();
      near_->abort();
      far_->abort();
    });
    {
      std::vector<std::jthread> workers;
      for (std::size_t i = 0; i < threads_; ++i) {
        workers.push_back(lifeline.start([this] { compress(); }));
        workers.push_back(lifeline.start([this] { decompress(); }));
      }
      const std::jthread communicating = lifeline.start([this] { communicate(); });
      const std::jthread reading = lifeline.start([this] { read(); });
      lifeline.guard([this] { write(); });
    }
    return lifeline.failure();
  }

  void break_connection() { near_->abort(); }
  [[nodiscard]] const Bytes& data() const { return data_; }
  [[nodiscard]] std::uint64_t counted_bytes() const { return sent_.raw_bytes; }

 private:
  static constexpr const char* kLadders[] = {"zlib", "lz4", "zstd", "auto"};

  Bytes make_data() {
    Bytes all;
    for (std::uint64_t runs = 1 + up_to(rng_, 6); runs != 0; --runs) {
      const std::size_t size = any_size(rng_, 60'000);
      const Bytes more =
          up_to(rng_, 2) == 0 ? testkit::some_noise(size, rng_) : testkit::some_words(size, rng_);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }

  void compress() {
    if (compress_stage_.run()) compress_stage_.watch_rest();
  }
  void communicate() {
    testkit::JitteryStream stream(*near_, data_.size());
    CommunicationStage stage({.fifo = fifo_,
                              .stock = sending_stock_,
                              .stream = stream,
                              .counters = sent_,
                              .pace = pace_});
    stage.run();
    if (stage.lost()) throw Error(ErrorKind::connect, "the connection broke");
  }
  void read() {
    testkit::JitteryStream stream(*far_, data_.size());
    FrameReader reader(stream);
    BlockAssembler assembler({.reader = reader,
                              .stored = stored_,
                              .inbound = inbound_,
                              .stock = receiving_stock_,
                              .meter = meter_,
                              .window = &window_});
    bool ended = false;
    while (const auto frame = reader.next()) {
      ended = frame->type == FrameType::end;
      assembler.take(*frame);
    }
    if (!ended) throw Error(ErrorKind::connect, "the connection broke");
    stored_.close();
  }
  void decompress() {
    DecompressStage({stored_, inbound_, receiving_stock_, meter_, in_order_, window_}).run();
  }
  void write() {
    WriteStage stage(inbound_, receiving_stock_, sink, received_, meter_);
    stage.run();
    EXPECT_EQ(stage.batches(), 1U);
  }

  Rng rng_;
  std::size_t threads_ = 1 + up_to(rng_, 7);
  Ladder ladder_;
  std::size_t packet_bytes_;
  Bytes data_;
  Fifo fifo_;
  StoredQueue stored_;
  InboundQueue inbound_;
  std::atomic<std::uint64_t> features_;
  BufferStock sending_stock_;
  BufferStock receiving_stock_;
  PipelineCounters sent_;
  KeepAlivePace pace_;
  PipelineCounters received_;
  ReceiverBoard receiver_;
  ReceiveMeter meter_;
  std::shared_ptr<MemoryShares> memory_ = std::make_shared<MemoryShares>(3);
  MatchWindow window_;
  std::stop_source over_;
  SharesInOrder in_order_{*memory_, over_.get_token()};
  RandomPolicy policy_;
  std::unique_ptr<TcpStream> near_;
  std::unique_ptr<TcpStream> far_;

 public:
  RandomSource source;
  RandomSink sink;

 private:
  CompressStage compress_stage_;
};

/// As many seeds as fit into a few seconds, on a slow build too.
template <typename Try>
void for_many_seeds(Try attempt) {
  Rng rng = testkit::seeded_rng();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(4);
  for (int i = 0; i < 5 || (i < 400 && std::chrono::steady_clock::now() < end); ++i) {
    const std::uint64_t seed = rng();
    SCOPED_TRACE("run " + std::to_string(i) + ", its own seed " + std::to_string(seed));
    attempt(seed);
    if (testing::Test::HasFailure()) return;
  }
}

std::string message_of(const std::exception_ptr& failure) {
  if (!failure) return "no failure";
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

TEST(StagesTest, ForAnyScheduleOfTheThreadsTheBytesArrive) {
  // Goal: whatever the sizes, the ladder, the levels and the turns of the threads, FIFOs of one
  // packet included.
  for_many_seeds([](std::uint64_t seed) {
    Pipeline pipeline(seed);
    EXPECT_EQ(message_of(pipeline.run()), "no failure");
    EXPECT_EQ(pipeline.sink.data, pipeline.data());
    EXPECT_EQ(pipeline.counted_bytes(), pipeline.data().size());
  });
}

TEST(StagesTest, ASourceThatThrowsTakesAllStagesAlong) {
  // Goal: no stage stays asleep, and the reason is the source's.
  for_many_seeds([](std::uint64_t seed) {
    Pipeline pipeline(seed);
    if (pipeline.data().empty()) return;
    pipeline.source.throw_at = pipeline.data().size() / 2;
    const std::string message = message_of(pipeline.run());
    // A source that gave all of it in one piece had no second half to throw at.
    if (pipeline.sink.data != pipeline.data()) {
      EXPECT_EQ(message, "the source broke");
    }
  });
}

TEST(StagesTest, ASinkThatThrowsTakesAllStagesAlong) {
  // Goal: the same from the other end, where the FIFOs before it are full.
  for_many_seeds([](std::uint64_t seed) {
    Pipeline pipeline(seed);
    if (pipeline.data().empty()) return;
    pipeline.sink.throw_at = 0;
    EXPECT_EQ(message_of(pipeline.run()), "the sink broke");
  });
}

TEST(StagesTest, AConnectionThatBreaksTakesAllStagesAlong) {
  // Goal: the same for the stream between them, at any moment.
  for_many_seeds([](std::uint64_t seed) {
    Pipeline pipeline(seed);
    std::jthread breaking([&, seed] {
      std::this_thread::sleep_for(std::chrono::microseconds(seed % 2'000));
      pipeline.break_connection();
    });
    const auto failure = pipeline.run();
    breaking.join();
    if (!failure) {
      EXPECT_EQ(pipeline.sink.data, pipeline.data());
    }
  });
}

}  // namespace
}  // namespace adoc
