// A system whose TCP has no BBR: for LD_PRELOAD.
#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <string_view>

extern "C" int setsockopt(int socket, int level, int name, const void* value,
                          socklen_t length) noexcept {
  static const auto real = reinterpret_cast<decltype(&setsockopt)>(dlsym(RTLD_NEXT, "setsockopt"));
  if (level == IPPROTO_TCP && name == TCP_CONGESTION &&
      std::string_view(static_cast<const char*>(value), length).starts_with("bbr")) {
    errno = ENOENT;
    return -1;
  }
  return real(socket, level, name, value, length);
}
