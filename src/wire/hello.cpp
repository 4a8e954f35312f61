#include "wire/hello.hpp"

#include <algorithm>
#include <string>

#include "adoc/error.hpp"
#include "util/safe_name.hpp"

namespace adoc {

Bytes Hello::encode() const {
  Bytes bytes;
  ByteWriter out(bytes);
  for (const std::uint8_t byte : kMagic) out.u8(byte);
  out.u16(version);
  out.u8(static_cast<std::uint8_t>(role));
  out.u32(patience_ms);
  out.u8(threads);
  out.u64(features);
  return bytes;
}

bool starts_like_hello(ByteSpan bytes) noexcept {
  const std::size_t known = std::min(bytes.size(), kMagic.size());
  return std::equal(
      bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(known), kMagic.begin(),
      [](std::byte a, std::uint8_t b) { return std::to_integer<std::uint8_t>(a) == b; });
}

bool starts_like_tls(ByteSpan bytes) noexcept {
  constexpr std::byte kAlert{0x15};
  constexpr std::byte kHandshake{0x16};
  return !bytes.empty() && (bytes.front() == kHandshake || bytes.front() == kAlert);
}

Hello Hello::decode(ByteSpan bytes, Role expected) {
  if (bytes.empty())
    throw Error(ErrorKind::connect, "the peer closed the connection without a word (is it AdOC?)");
  if (starts_like_tls(bytes))
    throw Error(ErrorKind::refused, "the peer encrypts, and this side does not",
                Hint::both_or_neither_insecure);
  if (!starts_like_hello(bytes)) {
    const std::string start(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    throw Error(ErrorKind::connect,
                "the peer does not speak AdOC: it began with " + adoc::quoted(start));
  }
  if (bytes.size() < kHelloBytes)
    throw Error(ErrorKind::connect, "the peer closed the connection in the middle of its hello");

  ByteReader in(bytes, "hello");
  static_cast<void>(in.bytes(kMagic.size()));
  Hello hello;
  hello.version = in.u16();
  if (hello.version != kProtocolVersion)
    throw Error(ErrorKind::connect, "the peer speaks version " + std::to_string(hello.version) +
                                        " of the protocol, this is version " +
                                        std::to_string(kProtocolVersion) +
                                        ": install the same AdOC on both sides");
  const std::uint8_t role = in.u8();
  hello.role = static_cast<Role>(role);
  if (hello.role != Role::sender && hello.role != Role::receiver)
    throw Error(ErrorKind::connect,
                "the peer's hello names role " + std::to_string(role) + ", which does not exist");
  if (hello.role != expected)
    throw expected == Role::receiver
        ? Error(ErrorKind::connect, "the peer is a sender too", Hint::one_side_receives)
        : Error(ErrorKind::connect, "the peer is a receiver too", Hint::one_side_sends);
  hello.patience_ms = in.u32();
  hello.threads = in.u8();
  hello.features = in.u64();
  return hello;
}

}  // namespace adoc
