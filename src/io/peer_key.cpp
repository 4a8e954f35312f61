#include "adoc/peer_key.hpp"

#include <algorithm>
#include <filesystem>

#include "adoc/error.hpp"
#include "io/host_name.hpp"

namespace adoc {

namespace {

std::optional<PeerKey> read_if_there(const std::string& file) {
  if (const auto key = read_key_file(file)) return PeerKey{.key = *key, .file = file};
  return std::nullopt;
}

}  // namespace

PeerName parse_peer(const std::string& text) {
  const bool bracketed = text.starts_with('[');
  const auto colons = std::ranges::count(text, ':');
  const bool has_port = bracketed ? !text.ends_with(']') : colons == 1;
  if (!has_port) return {.host = canonical_host(text)};
  const Endpoint endpoint = parse_endpoint(text);
  if (endpoint.port == 0) throw Error(ErrorKind::usage, "nobody listens on port 0");
  const std::string host = bracketed ? "[" + endpoint.host + "]" : endpoint.host;
  return {.host = canonical_host(host), .port = endpoint.port};
}

std::string to_string(const PeerName& peer) {
  return peer.port ? peer.host + ":" + std::to_string(*peer.port) : peer.host;
}

std::string peer_key_file(const PeerName& peer) {
  const std::filesystem::path own = default_key_file();
  return own.parent_path() / "peers" / to_string(peer);
}

bool is_this_machine(const PeerName& peer) { return is_this_machine(peer.host); }

// A file that cannot be used is no receiver's key, and no matter for a transfer to another one.
bool is_own_key(const Key& key) {
  try {
    return read_key_file(default_key_file()) == key;
  } catch (const Error&) {
    return false;
  }
}

std::optional<PeerKey> find_peer_key(const Endpoint& peer) {
  const std::string host = canonical_host(peer.host);
  auto kept = read_if_there(peer_key_file({.host = host, .port = peer.port}));
  if (!kept) kept = read_if_there(peer_key_file({.host = host}));
  if (!is_this_machine(host)) {
    if (kept) kept->is_shared = is_own_key(kept->key);
    return kept;
  }
  if (!kept) kept = read_if_there(default_key_file());
  if (kept) kept->is_own = kept->file == default_key_file();
  return kept;
}

}  // namespace adoc
