#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace papers {

/// A canonical Huffman code over up to 4,096 different symbols (Fajardo 2017, section III.A): codes
/// are numbered in the order of length, then of symbol, so that lengths alone are the dictionary.
class HuffmanCode {
 public:
  static constexpr std::size_t kMostSymbols = 4096;
  static constexpr unsigned kMostBits = 48;  ///< more takes over 10^10 symbols of data

  /// The best code for these symbols. Throws std::invalid_argument for more than kMostSymbols
  /// different ones, and for none at all.
  [[nodiscard]] static HuffmanCode of(std::span<const std::int16_t> symbols);

  /// Symbols, 16 bits, and lengths, 6 bits, behind their number, 16 bits.
  [[nodiscard]] std::vector<std::byte> dictionary() const;
  /// Throws std::runtime_error unless the bytes are exactly what dictionary() writes.
  [[nodiscard]] static HuffmanCode from_dictionary(std::span<const std::byte> bytes);

  [[nodiscard]] std::size_t symbols() const { return entries_.size(); }
  struct Entry {
    std::int16_t symbol = 0;
    std::uint8_t bits = 0;
    std::uint64_t code = 0;
  };
  /// In canonical order.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

  /// Filled up with zeros to a whole byte. Throws std::invalid_argument for a symbol without code.
  [[nodiscard]] std::vector<std::byte> encode(std::span<const std::int16_t> symbols) const;

  /// Fills `symbols`. Throws std::runtime_error if the bytes end before, or go on for a whole byte
  /// or more behind. Threads may decode at the same time.
  void decode(std::span<const std::byte> bytes, std::span<std::int16_t> symbols) const;

 private:
  struct Short {
    std::int16_t symbol = 0;
    std::uint8_t bits = 0;  // 0: a longer code
  };

  explicit HuffmanCode(std::vector<Entry> lengths);

  std::vector<Entry> entries_;
  std::vector<Short> short_;               // by the next kShortBits bits
  std::vector<std::uint64_t> first_code_;  // by length
  std::vector<std::size_t> first_entry_;   // by length, and one behind the last
};

}  // namespace papers
