#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace adoc {

/// How the bytes of a block are stored. The values travel on the wire and never change meaning.
enum class CodecId : std::uint8_t { raw = 0, zlib = 1, lz4 = 2, zstd = 3 };

[[nodiscard]] std::string_view codec_name(CodecId id) noexcept;

/// Compresses one block after the other, handing each out in packets while it is still being
/// compressed (Jeannot 2002, section 3.3): asking for the next packet resumes the compression, and
/// packet borders cost no ratio. One object belongs to one thread and is reused between blocks.
class Compressor {
 public:
  virtual ~Compressor() = default;

  /// Starts a block; an unfinished earlier one is dropped. `raw` is read until the last packet is
  /// out and must live as long. `level` is the codec's own setting (see Rung).
  virtual void begin(std::span<const std::byte> raw, int level) = 0;

  /// Fills `packet` (never empty) and returns the bytes written: packet.size() while more is to
  /// come, less in the last packet, 0 when nothing is left.
  [[nodiscard]] virtual std::size_t next_packet(std::span<std::byte> packet) = 0;
};

/// Decompresses one block after the other from its packets as they arrive. One object belongs to
/// one thread and is reused between blocks.
class Decompressor {
 public:
  virtual ~Decompressor() = default;

  /// Starts a block whose raw bytes fill `raw` exactly; it must live until finish().
  virtual void begin(std::span<std::byte> raw) = 0;

  /// Takes the next packet. Throws Error(corrupt) when the bytes are not this codec's, hold more
  /// than the block's raw length, or go on after the codec's own end.
  virtual void feed(std::span<const std::byte> packet) = 0;

  /// Ends the block. Throws Error(corrupt) when the stream is cut or the block is not full.
  virtual void finish() = 0;
};

/// Never null. Throws Error(corrupt) for an id that is not in CodecId: ids come from the wire.
[[nodiscard]] std::unique_ptr<Compressor> make_compressor(CodecId id);
[[nodiscard]] std::unique_ptr<Decompressor> make_decompressor(CodecId id);

}  // namespace adoc
