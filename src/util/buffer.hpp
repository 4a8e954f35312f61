#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include "util/bytes.hpp"
#include "util/large_memory.hpp"

namespace adoc {

/// Bytes of a block, of packets, or for a system call. Unlike a vector's its memory begins at a
/// cache line, is counted (memory_in_use()), and is not filled with zeros: what it grows by is
/// whatever was there. It is moved and never copied; one that was moved from is empty and holds
/// nothing.
class Buffer {
 public:
  Buffer() noexcept = default;
  /// Of unspecified contents.
  explicit Buffer(std::size_t bytes) { resize(bytes); }
  explicit Buffer(ByteSpan bytes) { append(bytes); }
  /// A record that is to stand in a queue among blocks and packets.
  // NOLINTNEXTLINE(google-explicit-constructor): it is copied, as records are short.
  Buffer(const Bytes& record) : Buffer(ByteSpan(record)) {}

  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer moved(std::move(other));
    std::swap(data_, moved.data_);
    std::swap(size_, moved.size_);
    std::swap(capacity_, moved.capacity_);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { free_memory(data_, capacity_); }

  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::byte* begin() noexcept { return data_; }
  [[nodiscard]] const std::byte* begin() const noexcept { return data_; }
  [[nodiscard]] std::byte* end() noexcept { return data_ + size_; }
  [[nodiscard]] const std::byte* end() const noexcept { return data_ + size_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  /// What is beyond the size that it had is unspecified. Throws std::bad_alloc, as all that follow.
  void resize(std::size_t bytes) {
    reserve(bytes);
    size_ = bytes;
  }

  void reserve(std::size_t bytes) {
    if (bytes <= capacity_) return;
    auto* const place = static_cast<std::byte*>(allocate_memory(bytes));
    if (size_ != 0) std::memcpy(place, data_, size_);
    free_memory(std::exchange(data_, place), std::exchange(capacity_, bytes));
  }

  /// Bytes of another one.
  void append(ByteSpan bytes) {
    if (bytes.empty()) return;
    if (capacity_ - size_ < bytes.size()) reserve(std::max(2 * capacity_, size_ + bytes.size()));
    std::memcpy(data_ + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
  }

  void clear() noexcept { size_ = 0; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace adoc
