#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "util/bytes.hpp"
#include "wire/protocol.hpp"

namespace adoc {

// The stream of the library for middleware (include/adoc/adoc.h), in each direction of a descriptor
// on its own. It has no hello: each frame says by itself that it is one, so that whoever is given a
// descriptor between two frames can go on with it.
//
//   stream  = run* ( file-begin run* file-end run* )*
//   run     = plain raw[raw-bytes] | packed stored[stored-bytes]
//
// A frame is as those of a connection are (protocol.hpp), but its integers are of fixed width: so
// its header has one length, and is written and read together with what follows it.

inline constexpr std::size_t kMaxPlainRunBytes = 1 << 30;
inline constexpr std::size_t kMaxPackedRunBytes = 1 << 20;
/// Those that each build has: zlib, lz4 and zstd.
inline constexpr std::uint8_t kFirstPackedCodec = 1;
inline constexpr std::uint8_t kLastPackedCodec = 3;

/// No connection has frames of these types.
enum class MessageFrame : std::uint8_t {
  plain = 40,
  packed = 41,
  file = 42,
};

/// Opens a run of bytes that follow as they are.
///
///   plain = raw-bytes:u32
struct PlainRun {
  static constexpr MessageFrame kType = MessageFrame::plain;
  static constexpr std::size_t kBytes = 13;  ///< frame header and check value included

  std::uint32_t raw_bytes = 0;  ///< 1 .. kMaxPlainRunBytes

  [[nodiscard]] std::array<std::byte, kBytes> encode() const noexcept;
  bool operator==(const PlainRun&) const = default;
};

/// Opens a run of bytes that follow compressed, on their own terms.
///
///   packed = codec:u8 raw-bytes:u32 stored-bytes:u32 checksum:u64
struct PackedRun {
  static constexpr MessageFrame kType = MessageFrame::packed;
  static constexpr std::size_t kBytes = 26;

  std::uint8_t codec = 0;          ///< a CodecId, neither raw nor a dense one
  std::uint32_t raw_bytes = 0;     ///< 1 .. kMaxPackedRunBytes
  std::uint32_t stored_bytes = 0;  ///< 1 .. raw_bytes
  std::uint64_t checksum = 0;      ///< XXH3-64 of the raw bytes

  [[nodiscard]] std::array<std::byte, kBytes> encode() const noexcept;
  bool operator==(const PackedRun&) const = default;
};

/// Stands before and behind the runs of a file.
///
///   file = mark:u8 raw-bytes:u64
struct FileMark {
  static constexpr MessageFrame kType = MessageFrame::file;
  static constexpr std::size_t kBytes = 18;

  enum class Mark : std::uint8_t {
    begin = 0,
    end = 1,
    failed = 2,  ///< the rest of the file could not be read
  };

  Mark mark = Mark::begin;
  std::uint64_t raw_bytes = 0;  ///< at the end, of all its runs; at the begin 0

  [[nodiscard]] std::array<std::byte, kBytes> encode() const noexcept;
  bool operator==(const FileMark&) const = default;
};

inline constexpr std::size_t kMaxMessageHeaderBytes = PackedRun::kBytes;

using MessageHeader = std::variant<PlainRun, PackedRun, FileMark>;

/// How long the header is that begins with these bytes, of which there may be as few as one; 0 for
/// none. Throws Error(corrupt) as soon as one of them cannot be of any.
[[nodiscard]] std::size_t message_header_bytes(ByteSpan begin);

/// Of a header that is complete. Throws Error(corrupt) for any field beyond its bounds.
[[nodiscard]] MessageHeader decode_message_header(ByteSpan header);

}  // namespace adoc
