#include "cli/listen_hint.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "adoc/peer_key.hpp"
#include "util/fd.hpp"

namespace adoc::cli {
namespace {

std::string host_and_port(Endpoint endpoint, const std::string& host) {
  endpoint.host = host;
  return endpoint.port == kDefaultPort && host.find(':') == std::string::npos ? host
                                                                              : to_string(endpoint);
}

bool is_any(const std::string& host) { return host == "::" || host == "0.0.0.0"; }
bool is_own(const std::string& host) { return host == "::1" || host.rfind("127.", 0) == 0; }

/// How the key gets to the other machine, once. In a log, which is kept and read by others, there
/// is the way to the key and not the key.
std::string save_key_there(const ListenHint& hint, const std::string& host) {
  const ChosenKey& key = *hint.key;
  // The default key is that of all receivers of this machine.
  const std::string peer =
      key.is_default ? to_string(parse_peer(host))
                     : to_string(parse_peer(to_string(Endpoint{host, hint.listening.port})));
  const std::string save = "adoc-send --save-key " + peer;
  if (hint.shows_key) return save + " and there paste " + key.key.text();
  if (key.file.empty()) return save + " and there paste what ADOC_KEY is here";
  return "ssh " + host + " cat " + key.file + " | " + save;
}

}  // namespace

std::vector<std::string> lines_to_type(const ListenHint& hint) {
  const std::string& host = hint.listening.host;
  const std::string insecure = hint.key ? "" : "--insecure ";
  std::vector<std::string> lines;
  if (!is_own(host)) {
    const std::string name = is_any(host) ? hint.machine : host;
    if (hint.key) lines.push_back("on the other machine, once: " + save_key_there(hint, name));
    lines.push_back("on the other machine: adoc-send " + insecure + "PATH... " +
                    host_and_port(hint.listening, name));
  }
  if (is_any(host) || is_own(host)) {
    std::string variable, key = insecure;
    if (hint.key && hint.key->file.empty())
      variable = "ADOC_KEY=(the same as here) ";
    else if (hint.key && !hint.key->is_default)
      key = "--key-file " + hint.key->file + " ";
    lines.push_back("on this machine: " + variable + "adoc-send " + key + "PATH... " +
                    host_and_port(hint.listening, is_own(host) ? host : "localhost"));
  }
  return lines;
}

std::string machine_address() {
  // To connect a datagram socket sends nothing; it asks which way a datagram would go. The address
  // is one of those that no machine has.
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kDefaultPort);
  address.sin_addr.s_addr = htonl(0xc0000201);  // 192.0.2.1, of RFC 5737
  socklen_t length = sizeof(address);
  std::array<char, 256> text{};
  if (socket && ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), length) == 0 &&
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length) == 0 &&
      ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size()) != nullptr)
    return text.data();
  if (::gethostname(text.data(), text.size() - 1) == 0) return text.data();
  return "HOST";
}

}  // namespace adoc::cli
