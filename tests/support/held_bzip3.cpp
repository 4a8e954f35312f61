// libbzip3 whose blocks take for ever: for LD_PRELOAD into a program. Each call of the function
// that $ADOC_HOLD names, decode or encode, writes a byte to the file $ADOC_HELD and goes on once
// there is one to be read from the FIFO $ADOC_GO. Both are opened before the program confines
// itself.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

// The arguments of all versions, which are passed on as they are.
using Call = std::int32_t (*)(void*, void*, std::uint64_t, std::uint64_t, std::uint64_t);

int open_named(const char* variable, int flags) {
  const char* path = std::getenv(variable);
  return path != nullptr ? ::open(path, flags | O_CLOEXEC, 0600) : -1;
}

const int kHeld = open_named("ADOC_HELD", O_WRONLY | O_CREAT | O_APPEND);
const int kGo = open_named("ADOC_GO", O_RDWR);
const std::string_view kHold = kHeld >= 0 ? std::getenv("ADOC_HOLD") : "";

template <typename... Arguments>
std::int32_t call(const char* name, std::string_view what, Arguments... arguments) {
  if (kHold == what) {
    char byte = 'x';
    static_cast<void>(!::write(kHeld, &byte, 1));
    static_cast<void>(!::read(kGo, &byte, 1));
  }
  return reinterpret_cast<Call>(::dlsym(RTLD_NEXT, name))(arguments...);
}

}  // namespace

extern "C" {

std::int32_t bz3_decode_block(void* state, void* buffer, std::uint64_t a, std::uint64_t b,
                              std::uint64_t c) {
  return call("bz3_decode_block", "decode", state, buffer, a, b, c);
}

std::int32_t bz3_encode_block(void* state, void* buffer, std::uint64_t a, std::uint64_t b,
                              std::uint64_t c) {
  return call("bz3_encode_block", "encode", state, buffer, a, b, c);
}
}
