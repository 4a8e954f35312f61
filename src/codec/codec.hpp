#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace adoc {

/// How the bytes of a block are stored. The values travel on the wire and never change meaning.
enum class CodecId : std::uint8_t { raw = 0, zlib = 1, lz4 = 2, zstd = 3, bzip3 = 4 };
inline constexpr std::size_t kCodecs = 5;

[[nodiscard]] std::string_view codec_name(CodecId id) noexcept;

/// False for bzip3 in a build without its library, and for what is not in CodecId.
[[nodiscard]] bool has_codec(CodecId id) noexcept;

/// Whether nothing of a block leaves before all of it is made, and its decompressor takes several
/// times the block in memory. A peer gets such blocks only if it said that it takes them.
[[nodiscard]] constexpr bool is_dense(CodecId id) noexcept { return id == CodecId::bzip3; }

/// What a decompressor takes while it is at a block of `raw_bytes`, beside the bytes that it is
/// given. 0 but for a dense codec: the others take less than a MiB, whatever the block.
[[nodiscard]] std::size_t decompressor_bytes(CodecId id, std::size_t raw_bytes) noexcept;

/// Bytes that the decompressor will have, which a block may refer to as if they stood before it.
struct Prefix {
  Prefix() = default;
  /// They live as long as the block is being compressed. With an owner, who keeps them where they
  /// are, whoever indexes them can be left alone (see Meanwhile).
  Prefix(std::span<const std::byte> given, std::shared_ptr<const void> kept_by = {})
      : bytes(given), owner(std::move(kept_by)) {}

  std::span<const std::byte> bytes{};
  std::shared_ptr<const void> owner{};
};

/// Compresses one block after the other, handing each out in packets while it is still being
/// compressed (Jeannot 2002, section 3.3): asking for the next packet resumes the compression, and
/// packet borders cost no ratio. One object belongs to one thread and is reused between blocks.
class Compressor {
 public:
  virtual ~Compressor() = default;

  /// Starts a block; an unfinished earlier one is dropped. `raw` is read until the last packet is
  /// out and must live as long. Only zstd uses a prefix; with other codecs it is ignored. It is
  /// indexed here and now, at zstd 19 for 0.2 to 1 s a MiB. `level` is the codec's own setting (see
  /// Rung).
  virtual void begin(std::span<const std::byte> raw, int level, const Prefix& prefix = {}) = 0;

  /// Fills `packet` (never empty) and returns the bytes written: packet.size() while more is to
  /// come, less in the last packet, 0 when nothing is left.
  [[nodiscard]] virtual std::size_t next_packet(std::span<std::byte> packet) = 0;

  /// Ends the block after what was taken in so far, and returns how many raw bytes that is; the
  /// packets that follow hold the rest of those. A codec that cannot do that, has taken in
  /// everything, or nothing yet (no packet was asked for), goes on and returns all of the block's
  /// bytes. zstd can, in blocks of at least 1 MiB, after each 128 KiB.
  [[nodiscard]] virtual std::size_t cut() noexcept = 0;

  /// Processor time that this block took in another thread than the caller's (see Meanwhile).
  [[nodiscard]] virtual double seconds_elsewhere() const noexcept { return 0; }
};

/// Decompresses whole blocks. One object belongs to one thread and is reused between blocks.
class Decompressor {
 public:
  virtual ~Decompressor() = default;

  /// `stored` is exactly one block, which fills `raw` exactly; `prefix` is what it was compressed
  /// with. Throws Error(corrupt) when the bytes are not this codec's, are cut, go on after the
  /// codec's own end, or hold more or less than `raw` has room for.
  virtual void decompress(std::span<const std::byte> stored, std::span<std::byte> raw,
                          std::span<const std::byte> prefix = {}) = 0;
};

/// Called every few milliseconds, by the thread that waits, while a library is in one call for
/// long: a dense codec for a block, which takes up to a second, and zstd 19 for a prefix, which
/// takes several; and now and then while a slow level takes in its block. What this throws ends the
/// waiting; the library goes on with what it owns until it is through, and nobody gets what it
/// made.
using Meanwhile = std::function<void()>;

/// Never null. Without `meanwhile`, all work is done by the caller's thread. Throws Error(corrupt)
/// for an id that is not in CodecId or that this build does not have: ids come from the wire.
///
/// What is left alone goes on with `memory`, which stands for what it takes (decompressor_bytes())
/// and is let go of when it is through. For compressors there is wait_for_work_left_alone().
[[nodiscard]] std::unique_ptr<Compressor> make_compressor(CodecId id, Meanwhile meanwhile = {});
[[nodiscard]] std::unique_ptr<Decompressor> make_decompressor(
    CodecId id, Meanwhile meanwhile = {}, std::shared_ptr<const void> memory = {});

}  // namespace adoc
