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
[[nodiscard]] std::unique_ptr<Compressor> make_zstd_compressor();
[[nodiscard]] std::unique_ptr<Decompressor> make_zstd_decompressor();

}  // namespace adoc
