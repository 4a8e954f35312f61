// Calls of libraries that take for ever: for LD_PRELOAD into a program. Each call of the kind that
// $ADOC_HOLD names writes a byte to the file $ADOC_HELD and goes on once there is one to be read
// from the FIFO $ADOC_GO: "decode" or "encode" a block of bzip3, or "index" a prefix for zstd. Both
// files are opened before the program confines itself.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

int open_named(const char* variable, int flags) {
  const char* path = std::getenv(variable);
  return path != nullptr ? ::open(path, flags | O_CLOEXEC, 0600) : -1;
}

const int kHeld = open_named("ADOC_HELD", O_WRONLY | O_CREAT | O_APPEND);
const int kGo = open_named("ADOC_GO", O_RDWR);
const std::string_view kHold = kHeld >= 0 ? std::getenv("ADOC_HOLD") : "";

void hold(std::string_view what) {
  if (kHold != what) return;
  char byte = 'x';
  static_cast<void>(!::write(kHeld, &byte, 1));
  static_cast<void>(!::read(kGo, &byte, 1));
}

template <typename Result, typename... Arguments>
Result call(const char* name, Arguments... arguments) {
  using Call = Result (*)(Arguments...);
  return reinterpret_cast<Call>(::dlsym(RTLD_NEXT, name))(arguments...);
}

std::atomic<bool> has_prefix{false};

/// As ZSTD_inBuffer.
struct Input {
  const void* bytes;
  std::size_t size;
  std::size_t pos;
};

}  // namespace

extern "C" {

// The arguments of all versions of libbzip3, which are passed on as they are.
std::int32_t bz3_decode_block(void* state, void* buffer, std::uint64_t a, std::uint64_t b,
                              std::uint64_t c) {
  hold("decode");
  return call<std::int32_t>("bz3_decode_block", state, buffer, a, b, c);
}

std::int32_t bz3_encode_block(void* state, void* buffer, std::uint64_t a, std::uint64_t b,
                              std::uint64_t c) {
  hold("encode");
  return call<std::int32_t>("bz3_encode_block", state, buffer, a, b, c);
}

std::size_t ZSTD_CCtx_refPrefix(void* context, const void* prefix, std::size_t size) {
  has_prefix = size != 0;
  return call<std::size_t>("ZSTD_CCtx_refPrefix", context, prefix, size);
}

// What begins a block takes in nothing.
std::size_t ZSTD_compressStream2(void* context, void* output, Input* input, int mode) {
  if (has_prefix && input->size == 0 && mode == 0) hold("index");
  return call<std::size_t>("ZSTD_compressStream2", context, output, input, mode);
}
}
