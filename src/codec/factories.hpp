#pragma once

#include <memory>

#include "codec/codec.hpp"

/// What make_compressor() and make_decompressor() choose from; only this floor includes it.
namespace adoc {

[[nodiscard]] std::unique_ptr<Compressor> make_raw_compressor();
[[nodiscard]] std::unique_ptr<Decompressor> make_raw_decompressor();

/// Raw deflate (RFC 1951, no zlib header or trailer), settings 1..9.
[[nodiscard]] std::unique_ptr<Compressor> make_zlib_compressor();
[[nodiscard]] std::unique_ptr<Decompressor> make_zlib_decompressor();

/// One LZ4 frame of linked 64 KiB blocks without checksums. Settings: below 0 the fast compressor
/// with acceleration 1 - setting, 0..2 the fast compressor, 3..12 the HC compressor.
[[nodiscard]] std::unique_ptr<Compressor> make_lz4_compressor();
[[nodiscard]] std::unique_ptr<Decompressor> make_lz4_decompressor();

/// One Zstandard frame (RFC 8878) without checksum, window at most 16 MiB. Settings: zstd's own
/// levels, negative ones included, except 0.
[[nodiscard]] std::unique_ptr<Compressor> make_zstd_compressor(Meanwhile meanwhile);
[[nodiscard]] std::unique_ptr<Decompressor> make_zstd_decompressor();

/// One block of libbzip3's low-level interface (LZP, Burrows-Wheeler transform, context mixing), as
/// long as the block is; the setting is only for how long that should be (ladder.hpp). A build
/// without the library has neither, and both throw Error(corrupt).
[[nodiscard]] bool has_bzip3() noexcept;
[[nodiscard]] std::unique_ptr<Compressor> make_bzip3_compressor(Meanwhile meanwhile);
[[nodiscard]] std::unique_ptr<Decompressor> make_bzip3_decompressor(
    Meanwhile meanwhile, std::shared_ptr<const void> memory);

/// What either of them takes for a block of this length: what the library takes, and the one buffer
/// that it works in.
[[nodiscard]] std::size_t bzip3_bytes(std::size_t raw_bytes) noexcept;

}  // namespace adoc
