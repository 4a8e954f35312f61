#include "source/content_reader.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstring>

#include "codec/lossy.hpp"
#include "codec/lossy/measure_loss.hpp"
#include "support/seed.hpp"
#include "support/temporary_directory.hpp"
#include "util/fd.hpp"

namespace adoc {
namespace {

class ContentReaderTest : public testing::Test {
 protected:
  /// Numbers of all sizes, and a few bytes of one more.
  Bytes write(std::size_t bytes) {
    std::string text(bytes, '\0');
    for (std::size_t i = 0; i + 4 <= bytes; i += 4) {
      const float number = static_cast<float>(rng_() % 100'000) / 7;
      std::memcpy(text.data() + i, &number, 4);
    }
    file_ = Fd(::open(dir_.write("f", text).c_str(), O_RDONLY | O_CLOEXEC));
    const ByteSpan span = as_byte_span(text);
    return {span.begin(), span.end()};
  }

  /// What is to be left, grain by grain.
  static Bytes expected(const Lossy& lossy, Bytes all) {
    const std::size_t grain = lossy_grain_bytes(lossy);
    const std::size_t end = all.size() - all.size() % number_bytes(lossy.type);
    const Bytes numbers(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(end));
    std::vector<std::int64_t> scratch;
    for (std::size_t at = 0; at < end; at += grain) {
      const std::size_t size = std::min(grain, end - at);
      lose(lossy, ByteSpan(numbers).subspan(at, size), std::span(all).subspan(at, size), scratch);
    }
    return all;
  }

  testkit::Rng rng_ = testkit::seeded_rng();
  testkit::TemporaryDirectory dir_;
  Fd file_;
};

TEST_F(ContentReaderTest, AnyCutOfItIsTheSame) {
  // Goal: reads that begin and end anywhere, in numbers and in windows, make one whole, and every
  // number is measured once.
  for (const Lossy& lossy : {Lossy{ItemType::float32, Lossy::Mode::absolute, 0.5},
                             Lossy{ItemType::float64, Lossy::Mode::bits, 20},
                             Lossy{ItemType::uint8, Lossy::Mode::absolute, 4},
                             Lossy{ItemType::float32, Lossy::Mode::snr, 30},
                             Lossy{ItemType::int16, Lossy::Mode::relative, 0.01},
                             Lossy{ItemType::float32, Lossy::Mode::absolute, 0.5, true},
                             Lossy{ItemType::complex64, Lossy::Mode::snr, 30, true}}) {
    SCOPED_TRACE(to_string(lossy));
    for (int round = 0; round < 20; ++round) {
      const Bytes raw = write(testkit::any_size(rng_, 300'000));
      const Bytes wanted = expected(lossy, raw);
      ContentReader reader(file_.get(), lossy);
      Bytes got;
      LossyFigures figures;
      Bytes part(1);
      while (true) {
        part.resize(1 + testkit::any_size(rng_, 200'000));
        const std::size_t bytes = reader.read(got.size(), part, {}, &figures);
        got.insert(got.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(bytes));
        if (bytes < part.size()) break;
      }
      ASSERT_EQ(got, wanted) << raw.size();
      const std::size_t end = raw.size() - raw.size() % number_bytes(lossy.type);
      const LossyFigures all =
          measure_loss(lossy.type, ByteSpan(raw).first(end), ByteSpan(wanted).first(end));
      EXPECT_EQ(figures.numbers, all.numbers);
      EXPECT_EQ(figures.max_error, all.max_error);
      EXPECT_NEAR(figures.error_squares, all.error_squares, 1e-9 * all.error_squares);
    }
  }
}

TEST_F(ContentReaderTest, WithoutLossItIsTheFile) {
  const Bytes raw = write(100'003);
  Bytes all(raw.size() + 1);
  EXPECT_EQ(ContentReader(file_.get()).read(0, all, {}), raw.size());
  all.pop_back();
  EXPECT_EQ(all, raw);
}

TEST_F(ContentReaderTest, TextIsToldFromNumbers) {
  const auto is_text = [&](const std::string& text) {
    file_ = Fd(::open(dir_.write("f", text).c_str(), O_RDONLY | O_CLOEXEC));
    return ContentReader(file_.get()).looks_like_text();
  };
  EXPECT_TRUE(is_text("1.5, 2.5\r\n\t3.5, 4.5"));
  EXPECT_TRUE(is_text(std::string(512, 'x') + std::string(9, '\0')));
  EXPECT_FALSE(is_text(""));
  EXPECT_FALSE(is_text("fifteen letters"));
  EXPECT_FALSE(is_text(std::string("\0\0\x80\x3f", 4)));
}

}  // namespace
}  // namespace adoc
