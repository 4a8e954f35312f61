#include "codec/codec.hpp"

#include <string>
#include <utility>

#include "adoc/error.hpp"
#include "codec/codec_error.hpp"
#include "codec/factories.hpp"

namespace adoc {
namespace {

[[noreturn]] void throw_unknown(CodecId id) {
  throw Error(ErrorKind::corrupt, "a block names codec " +
                                      std::to_string(static_cast<unsigned>(id)) +
                                      ", which does not exist in this version");
}

}  // namespace

std::string_view codec_name(CodecId id) noexcept {
  switch (id) {
    case CodecId::raw:
      return "raw";
    case CodecId::zlib:
      return "zlib";
    case CodecId::lz4:
      return "lz4";
    case CodecId::zstd:
      return "zstd";
    case CodecId::bzip3:
      return "bzip3";
  }
  return "unknown";
}

bool has_codec(CodecId id) noexcept {
  return static_cast<std::size_t>(id) < kCodecs && (id != CodecId::bzip3 || has_bzip3());
}

std::size_t decompressor_bytes(CodecId id, std::size_t raw_bytes) noexcept {
  return id == CodecId::bzip3 ? bzip3_bytes(raw_bytes) : 0;
}

std::unique_ptr<Compressor> make_compressor(CodecId id, Meanwhile meanwhile) {
  switch (id) {
    case CodecId::raw:
      return make_raw_compressor();
    case CodecId::zlib:
      return make_zlib_compressor();
    case CodecId::lz4:
      return make_lz4_compressor();
    case CodecId::zstd:
      return make_zstd_compressor(std::move(meanwhile));
    case CodecId::bzip3:
      return make_bzip3_compressor(std::move(meanwhile));
  }
  throw_unknown(id);
}

std::unique_ptr<Decompressor> make_decompressor(CodecId id, Meanwhile meanwhile,
                                                std::shared_ptr<const void> memory) {
  switch (id) {
    case CodecId::raw:
      return make_raw_decompressor();
    case CodecId::zlib:
      return make_zlib_decompressor();
    case CodecId::lz4:
      return make_lz4_decompressor();
    case CodecId::zstd:
      return make_zstd_decompressor();
    case CodecId::bzip3:
      return make_bzip3_decompressor(std::move(meanwhile), std::move(memory));
  }
  throw_unknown(id);
}

void throw_corrupt(CodecId codec, std::string_view what) {
  throw Error(ErrorKind::corrupt, "a block stored with " + std::string(codec_name(codec)) +
                                      " is corrupt: " + std::string(what));
}

void throw_codec_failure(CodecId codec, std::string_view what) {
  throw Error(ErrorKind::internal,
              std::string(codec_name(codec)) + " failed: " + std::string(what));
}

}  // namespace adoc
