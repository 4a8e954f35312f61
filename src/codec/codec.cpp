#include "codec/codec.hpp"

#include <string>

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
  }
  return "unknown";
}

std::unique_ptr<Compressor> make_compressor(CodecId id) {
  switch (id) {
    case CodecId::raw:
      return make_raw_compressor();
    case CodecId::zlib:
      return make_zlib_compressor();
    case CodecId::lz4:
      return make_lz4_compressor();
    case CodecId::zstd:
      return make_zstd_compressor();
  }
  throw_unknown(id);
}

std::unique_ptr<Decompressor> make_decompressor(CodecId id) {
  switch (id) {
    case CodecId::raw:
      return make_raw_decompressor();
    case CodecId::zlib:
      return make_zlib_decompressor();
    case CodecId::lz4:
      return make_lz4_decompressor();
    case CodecId::zstd:
      return make_zstd_decompressor();
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
