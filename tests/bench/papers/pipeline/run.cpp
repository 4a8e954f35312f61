#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "bench/papers/pipeline/codecs.hpp"

namespace papers {
namespace {

using Clock = std::chrono::steady_clock;

// A message on its way: what each thread waits for is in here.
class Run {
 public:
  Run(std::string_view codec, std::span<const std::byte> message, std::size_t chunk_bytes,
      const PipelineSetup& setup)
      : codec_(codec),
        message_(message),
        chunk_bytes_(chunk_bytes),
        setup_(setup),
        count_((message.size() + chunk_bytes - 1) / chunk_bytes),
        arrived_(message.size()),
        ready_(count_),
        stored_(count_) {}

  double seconds() {
    const auto start = Clock::now();
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < setup_.threads; ++i) {
        threads.emplace_back([this] { guarded([this] { compress_all(); }); });
        threads.emplace_back([this] { guarded([this] { decompress_all(); }); });
      }
      guarded([this] { send_all(); });
    }
    const double taken = std::chrono::duration<double>(Clock::now() - start).count();
    if (error_) std::rethrow_exception(error_);
    if (!std::ranges::equal(arrived_, message_)) {
      throw std::logic_error("the message came back changed");
    }
    return taken;
  }

 private:
  struct Stored {
    std::vector<std::byte> bytes;
    bool raw = false;
    Clock::time_point ready{};
    Clock::time_point arrives{};
  };

  [[nodiscard]] std::span<const std::byte> chunk(std::size_t i) const {
    return message_.subspan(i * chunk_bytes_,
                            std::min(chunk_bytes_, message_.size() - i * chunk_bytes_));
  }

  // A thread that fails ends the others.
  template <typename Work>
  void guarded(const Work& work) {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
      changed_.notify_all();
    }
  }

  void compress_all() {
    const auto codec = make_chunk_codec(codec_);
    std::vector<std::byte> room(codec->bound(chunk_bytes_));
    for (;;) {
      std::size_t own = 0;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] {
          return error_ || next_ == count_ ||
                 next_ < sent_ + static_cast<std::size_t>(setup_.slots);
        });
        if (error_ || next_ == count_) return;
        own = next_++;
      }
      const auto raw = chunk(own);
      const std::size_t size = codec->compress(raw, room);
      Stored made;
      made.raw = setup_.raw_if_grown && size >= raw.size();
      const auto kept = made.raw ? raw : std::span<const std::byte>(room).first(size);
      made.bytes.assign(kept.begin(), kept.end());
      made.ready = Clock::now();
      const std::lock_guard lock(mutex_);
      stored_[own] = std::move(made);
      ready_[own] = true;
      changed_.notify_all();
    }
  }

  void send_all() {
    const auto wire = [this](double bytes) {
      return std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(bytes * 8 / setup_.link));
    };
    Clock::time_point link_free{};
    for (std::size_t i = 0; i < count_; ++i) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return error_ || ready_[i]; });
        if (error_) return;
      }
      // The link goes on by itself: that this thread wakes up late costs it nothing.
      Stored& chunk = stored_[i];
      link_free = std::max(link_free, chunk.ready) + wire(static_cast<double>(chunk.bytes.size()));
      chunk.arrives = link_free;
      const auto room = link_free - wire(setup_.socket_bytes);
      if (room > Clock::now()) std::this_thread::sleep_until(room);
      const std::lock_guard lock(mutex_);
      ++sent_;
      changed_.notify_all();
    }
  }

  void decompress_all() {
    const auto codec = make_chunk_codec(codec_);
    for (;;) {
      std::size_t own = 0;
      Stored taken;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return error_ || taken_ == count_ || taken_ < sent_; });
        if (error_ || taken_ == count_) return;
        own = taken_++;
        taken = std::move(stored_[own]);
      }
      if (taken.arrives > Clock::now()) std::this_thread::sleep_until(taken.arrives);
      const auto room = std::span(arrived_).subspan(own * chunk_bytes_, chunk(own).size());
      if (taken.raw) {
        std::ranges::copy(taken.bytes, room.begin());
      } else {
        codec->decompress(taken.bytes, room);
      }
    }
  }

  const std::string_view codec_;
  const std::span<const std::byte> message_;
  const std::size_t chunk_bytes_;
  const PipelineSetup setup_;
  const std::size_t count_;
  std::vector<std::byte> arrived_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> ready_;
  std::vector<Stored> stored_;
  std::size_t next_ = 0;  // to be compressed
  std::size_t sent_ = 0;
  std::size_t taken_ = 0;  // by a decompressor
  std::exception_ptr error_;
};

}  // namespace

double run_pipeline(std::string_view codec, std::span<const std::byte> message,
                    std::size_t chunk_bytes, const PipelineSetup& setup) {
  if (message.empty() || chunk_bytes == 0 || setup.threads < 1 || setup.slots < 1) {
    throw std::invalid_argument("no such pipeline");
  }
  return Run(codec, message, chunk_bytes, setup).seconds();
}

Handing measure_handing() {
  constexpr std::size_t kChunks = 4000;
  constexpr std::size_t kBytes = 64;
  const std::vector<std::byte> message(kChunks * kBytes);
  const auto seconds_with = [&](int slots) {
    return run_pipeline("copy", message, kBytes, {.threads = 1, .slots = slots, .link = 1e15}) /
           kChunks;
  };
  Handing handing;
  handing.send_seconds = seconds_with(64);
  handing.wake_seconds = std::max(0.0, (seconds_with(1) - handing.send_seconds) / 2);
  return handing;
}

}  // namespace papers
