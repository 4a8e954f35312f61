#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "adoc/lossy.hpp"
#include "codec/lossy/prediction.hpp"
#include "util/bytes.hpp"
#include "wire/block.hpp"

namespace adoc {

/// What is sent of the contents of an open file: all of them, or what is left of its numbers. The
/// same at any time for the same place of the same file, wherever a read begins and ends. Used by
/// one thread at a time.
class ContentReader {
 public:
  /// `file` outlives the reader.
  explicit ContentReader(int file, const std::optional<Lossy>& lossy = {})
      : file_(file), lossy_(lossy) {}

  /// Fills `into` from `offset` and returns the bytes read: fewer only at the end of the file. What
  /// was lost of the numbers that begin there is added to `figures`, if they are given. Throws
  /// Error(local_file), in words that follow the file's name, and Error(interrupted) soon after a
  /// stop request.
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> into,
                                 const std::stop_token& stop, LossyFigures* figures = nullptr);

  /// The windows of the last read that are whole in it and predicted, with what it skips.
  [[nodiscard]] const std::vector<NumberWindow>& windows() const noexcept { return windows_; }

  /// Whether the file begins like text: letters, digits, signs and white space of ASCII
  /// alone, 16 at least.
  [[nodiscard]] bool looks_like_text() const;

 private:
  [[nodiscard]] std::size_t read_raw(std::uint64_t offset, std::span<std::byte> into,
                                     const std::stop_token& stop) const;
  [[nodiscard]] std::size_t read_whole(std::uint64_t offset, std::span<std::byte> into,
                                       const std::stop_token& stop, LossyFigures* figures);
  [[nodiscard]] std::size_t read_part(std::uint64_t offset, std::span<std::byte> into,
                                      const std::stop_token& stop, LossyFigures* figures);
  /// Of whole numbers; what they were is then in numbers_.
  std::optional<Prediction> lose_some(std::span<std::byte> bytes);

  int file_;
  std::optional<Lossy> lossy_;
  Bytes grain_;                            ///< of which only a part was asked for
  Bytes numbers_;                          ///< as they were
  std::optional<std::uint64_t> grain_at_;  ///< of a whole one, which the next part may be of
  std::optional<Prediction> grain_predicted_;
  std::optional<Prediction> predicted_;  ///< what was read last, if it is a whole window
  std::vector<std::int64_t> scratch_;
  std::vector<NumberWindow> windows_;
  std::size_t in_windows_ = 0;  ///< bytes up to the end of the last of them
};

}  // namespace adoc
