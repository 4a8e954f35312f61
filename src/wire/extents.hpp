#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <vector>

#include "util/bytes.hpp"

namespace adoc {

/// A run of bytes of a file.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;

  bool operator==(const Extent&) const = default;
};

/// Runs of one file, ascending, in the form that they have on the wire: a peer can name thousands
/// of them in two bytes each, and so they take no more than that here, either.
///
///   extents = count:varint ( gap:varint length:varint )*       each gap from the end of the last
class Extents {
 public:
  class Iterator {
   public:
    using value_type = Extent;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;
    using pointer = const Extent*;
    using reference = const Extent&;

    Iterator() = default;
    /// Of what push_back() wrote.
    Iterator(const std::byte* at, const std::byte* end) noexcept : next_(at), end_(end) { step(); }

    [[nodiscard]] const Extent& operator*() const noexcept { return run_; }
    [[nodiscard]] const Extent* operator->() const noexcept { return &run_; }
    Iterator& operator++() noexcept {
      step();
      return *this;
    }
    Iterator operator++(int) noexcept {
      Iterator before = *this;
      step();
      return before;
    }
    bool operator==(const Iterator& other) const noexcept { return at_ == other.at_; }

   private:
    void step() noexcept;

    const std::byte* at_ = nullptr;  ///< of the run; the end is that of the bytes
    const std::byte* next_ = nullptr;
    const std::byte* end_ = nullptr;
    Extent run_{};
  };

  Extents() = default;
  Extents(std::initializer_list<Extent> runs) : Extents(std::vector<Extent>(runs)) {}
  Extents(const std::vector<Extent>& runs) {
    for (const Extent& run : runs) push_back(run);
  }

  /// A run behind the others.
  void push_back(const Extent& run);
  [[nodiscard]] Iterator begin() const noexcept { return {bytes_.data(), end_of_bytes()}; }
  [[nodiscard]] Iterator end() const noexcept { return {end_of_bytes(), end_of_bytes()}; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  bool operator==(const Extents& other) const noexcept { return bytes_ == other.bytes_; }

  void encode(ByteWriter& out) const;
  /// Of a file of this size. Throws Error(corrupt) for runs that are empty, do not ascend or leave
  /// the file, and for more than kMaxExtents.
  [[nodiscard]] static Extents decode(ByteReader& in, std::uint64_t size);

 private:
  [[nodiscard]] const std::byte* end_of_bytes() const noexcept {
    return bytes_.data() + bytes_.size();
  }

  Bytes bytes_;
  std::size_t count_ = 0;
  std::uint64_t end_ = 0;  ///< of the last
};

}  // namespace adoc
