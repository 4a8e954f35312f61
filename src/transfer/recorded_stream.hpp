#pragma once

#include <string>

#include "io/stream.hpp"
#include "util/bytes.hpp"
#include "util/fd.hpp"
#include "util/wakeup.hpp"

namespace adoc {

/// A receiver's connection to a file that a transfer was written to: it reads what is in there, and
/// what it says is heard by nobody.
class RecordedStream final : public Stream {
 public:
  /// "-": standard input. Throws Error(local_file), and Error(corrupt) for a file that does not
  /// begin like a transfer; both name it.
  explicit RecordedStream(const std::string& path);

  /// Throws Error(local_file).
  [[nodiscard]] std::size_t read_some(std::span<std::byte> into) override;
  [[nodiscard]] std::size_t write_some(std::span<const ByteSpan> pieces) override;
  void finish_writing() noexcept override {}
  void stop_reading() noexcept override { stopped_.set(); }
  void linger(std::chrono::milliseconds) noexcept override {}
  void abort() noexcept override { stopped_.set(); }
  void set_read_timeout(std::chrono::milliseconds) override {}
  void set_silence_limit(std::chrono::milliseconds) override {}
  void set_unsent_limit(std::size_t) noexcept override {}
  [[nodiscard]] std::optional<Delivery> delivery() const noexcept override { return std::nullopt; }
  /// The file's name for messages.
  [[nodiscard]] const std::string& peer() const noexcept override { return name_; }

 private:
  std::size_t read_file(std::span<std::byte> into) const;

  std::string name_;
  Fd file_;
  Bytes begin_;  ///< was looked at, and is read first
  std::size_t read_of_begin_ = 0;
  Wakeup stopped_;
};

}  // namespace adoc
