#include "codec/measure.hpp"

#include <algorithm>
#include <ctime>
#include <vector>

#include "adoc/error.hpp"

namespace adoc {
namespace {

constexpr std::size_t kPacketBytes = 8'192;
constexpr int kMaxPasses = 5;
constexpr double kEnoughSeconds = 0.2;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Pass {
  double compress_seconds = 0;
  double decompress_seconds = 0;
  std::size_t stored_bytes = 0;
};

class Bench {
 public:
  explicit Bench(const Rung& rung)
      : rung_(rung),
        compressor_(make_compressor(rung.codec)),
        decompressor_(make_decompressor(rung.codec)) {}

  Pass run(std::span<const std::byte> data, std::size_t block_bytes) {
    Pass pass;
    while (!data.empty()) {
      const auto block = data.first(std::min(block_bytes, data.size()));
      data = data.subspan(block.size());
      const double start = thread_seconds();
      compress(block);
      const double middle = thread_seconds();
      decompress(block.size());
      pass.decompress_seconds += thread_seconds() - middle;
      pass.compress_seconds += middle - start;
      pass.stored_bytes += std::min(stored_bytes_, block.size());
      if (!std::ranges::equal(raw_, block)) {
        throw Error(ErrorKind::internal, to_string(rung_) + " did not give back what it was given");
      }
    }
    return pass;
  }

 private:
  void compress(std::span<const std::byte> block) {
    compressor_->begin(block, rung_.setting);
    stored_bytes_ = 0;
    std::size_t bytes = 0;
    do {
      if (stored_.size() < stored_bytes_ + kPacketBytes) {
        stored_.resize(2 * stored_.size() + block.size() + kPacketBytes);
      }
      bytes = compressor_->next_packet(std::span(stored_).subspan(stored_bytes_, kPacketBytes));
      stored_bytes_ += bytes;
    } while (bytes == kPacketBytes);
  }

  void decompress(std::size_t raw_bytes) {
    raw_.resize(raw_bytes);
    decompressor_->begin(raw_);
    for (auto rest = std::span<const std::byte>(stored_).first(stored_bytes_); !rest.empty();) {
      const auto packet = rest.first(std::min(kPacketBytes, rest.size()));
      decompressor_->feed(packet);
      rest = rest.subspan(packet.size());
    }
    decompressor_->finish();
  }

  Rung rung_;
  std::unique_ptr<Compressor> compressor_;
  std::unique_ptr<Decompressor> decompressor_;
  std::vector<std::byte> stored_;
  std::size_t stored_bytes_ = 0;
  std::vector<std::byte> raw_;
};

}  // namespace

LevelMeasurement measure_rung(const Rung& rung, std::span<const std::byte> data,
                              std::size_t block_bytes) {
  Bench bench(rung);
  Pass best = bench.run(data, block_bytes);
  double spent = best.compress_seconds + best.decompress_seconds;
  for (int pass = 1; pass < kMaxPasses && spent < kEnoughSeconds; ++pass) {
    const Pass next = bench.run(data, block_bytes);
    best.compress_seconds = std::min(best.compress_seconds, next.compress_seconds);
    best.decompress_seconds = std::min(best.decompress_seconds, next.decompress_seconds);
    spent += next.compress_seconds + next.decompress_seconds;
  }
  const auto raw_bytes = static_cast<double>(data.size());
  return {.rung = rung,
          .compress_bytes_per_second = raw_bytes / best.compress_seconds,
          .ratio = raw_bytes / static_cast<double>(best.stored_bytes),
          .decompress_bytes_per_second = raw_bytes / best.decompress_seconds};
}

}  // namespace adoc
