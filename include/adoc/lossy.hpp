#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace adoc {

/// What numbers are, from the first byte of a file to its last, little-endian.
enum class ItemType : std::uint8_t {
  int8 = 1,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,   ///< two of float32
  complex128,  ///< two of float64
};

/// Of one number: of a complex item that is one of its two parts. 1, 2, 4 or 8.
[[nodiscard]] constexpr std::size_t number_bytes(ItemType type) noexcept {
  switch (type) {
    case ItemType::int8:
    case ItemType::uint8:
      return 1;
    case ItemType::int16:
    case ItemType::uint16:
    case ItemType::float16:
    case ItemType::bfloat16:
      return 2;
    case ItemType::int32:
    case ItemType::uint32:
    case ItemType::float32:
    case ItemType::complex64:
      return 4;
    default:
      return 8;
  }
}

/// As --dtype has it: "float32".
[[nodiscard]] const char* name_of(ItemType type) noexcept;

/// What may be lost of numbers. Zeros, subnormals, infinities and NaN stay as they are, and so does
/// what is left over behind the last whole number of a file. What a number becomes depends on it
/// alone; with Mode::snr on the numbers of its window, kLossyWindowBytes from a multiple of that in
/// its file, and where it is predicted, kPredictedWindowBytes.
struct Lossy {
  enum class Mode : std::uint8_t {
    bits = 1,  ///< the low `bound` bits become 10...0: of a float's fraction, or of an integer
    /// To the nearest multiple of the largest power of two that is at most 2 * `bound`: no number
    /// is off by more than `bound`.
    absolute,
    /// Of each number as few leading bits stay that it is off by no more than `bound` times itself.
    relative,
    /// As absolute, by the largest step with which a window's sum of squares is at least `bound`
    /// dB above that of what its numbers are off by.
    snr,
  };
  ItemType type = ItemType::float32;
  Mode mode = Mode::bits;
  double bound = 0;
  /// Numbers become what is near a prediction by their neighbours, not a multiple of something, so
  /// that much less is to be sent. A sender says so of itself, where can_be_predicted() and the
  /// receiver knows how; it is not for who asks for a loss.
  bool predicted = false;

  bool operator==(const Lossy&) const = default;
};

inline constexpr std::size_t kLossyWindowBytes = 65'536;
inline constexpr std::size_t kPredictedWindowBytes = 32'768;

/// Of floats of 32 and 64 bits, complex ones too, with Mode::absolute and Mode::snr.
[[nodiscard]] constexpr bool can_be_predicted(const Lossy& lossy) noexcept {
  return lossy.type >= ItemType::float32 &&
         (lossy.mode == Lossy::Mode::absolute || lossy.mode == Lossy::Mode::snr);
}

/// As --lossy has it: "abs:0.001".
[[nodiscard]] std::string to_string(const Lossy& lossy);

/// Empty, or why there is no such loss, in words that follow to_string().
[[nodiscard]] std::string why_not(const Lossy& lossy);

/// What was lost. What is not a finite number is not among the sums.
struct LossyFigures {
  std::uint64_t numbers = 0;
  double max_error = 0;      ///< the most that one is off by
  double error_squares = 0;  ///< sum over all
  double squares = 0;        ///< sum over all, of what they were

  void add(const LossyFigures& more) noexcept {
    numbers += more.numbers;
    max_error = more.max_error > max_error ? more.max_error : max_error;
    error_squares += more.error_squares;
    squares += more.squares;
  }
  [[nodiscard]] double rms_error() const noexcept {
    return numbers == 0 ? 0 : std::sqrt(error_squares / static_cast<double>(numbers));
  }
  /// Infinite where nothing was lost.
  [[nodiscard]] double snr_db() const noexcept {
    if (error_squares == 0) return std::numeric_limits<double>::infinity();
    return 10 * std::log10(squares / error_squares);
  }
};

/// What Sender::lose() came to; at a receiver without figures, which are not known there. Bytes
/// that were sent twice, as a connection was lost, count twice.
struct LossyTotals {
  std::optional<Lossy> how{};  ///< absent: nothing was to be lost
  std::uint64_t files = 0;     ///< of which something was sent so, and that were committed
  LossyFigures figures{};      ///< of what was sent of them
};

/// As Observer, of what is lost; `path` is on this side, but where that is said.
class LossyObserver {
 public:
  virtual ~LossyObserver() = default;

  /// A file was committed, and what was sent of it is off by this. Before its on_entry().
  virtual void on_lossy(std::string_view path, const LossyFigures& figures) {
    static_cast<void>(path), static_cast<void>(figures);
  }
  /// A file that was sent lossy begins like text, and no text is made of numbers. Of each
  /// connection only the first.
  virtual void on_lossy_text(std::string_view path) { static_cast<void>(path); }
  /// Of a receiver: a file was committed, and the sender says what it has lost. `path` as in
  /// on_entry(), before that.
  virtual void on_lossy_file(std::string_view path, const Lossy& lossy) {
    static_cast<void>(path), static_cast<void>(lossy);
  }
};

}  // namespace adoc
