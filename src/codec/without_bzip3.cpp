// What stands in for bzip3_codec.cpp in a build without the library.
#include "codec/codec_error.hpp"
#include "codec/factories.hpp"

namespace adoc {
namespace {

[[noreturn]] void throw_missing() {
  throw_corrupt(CodecId::bzip3, "this AdOC was built without that codec");
}

}  // namespace

bool has_bzip3() noexcept { return false; }

std::size_t bzip3_bytes(std::size_t) noexcept { return 0; }

std::unique_ptr<Compressor> make_bzip3_compressor(Meanwhile) { throw_missing(); }
std::unique_ptr<Decompressor> make_bzip3_decompressor(Meanwhile, std::shared_ptr<const void>) {
  throw_missing();
}

}  // namespace adoc
