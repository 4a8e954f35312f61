#include "transfer/joins.hpp"

#include <sys/random.h>

#include <cerrno>

#include "util/errno_error.hpp"

namespace adoc {

namespace {

/// Takes as long for any two.
bool is_same(const StreamToken& left, const StreamToken& right) noexcept {
  auto differs = std::byte{0};
  for (std::size_t i = 0; i < left.size(); ++i) differs |= left[i] ^ right[i];
  return differs == std::byte{0};
}

}  // namespace

StreamToken Joins::new_token() {
  StreamToken token{};
  if (::getrandom(token.data(), token.size(), 0) != static_cast<ssize_t>(token.size()))
    throw errno_error(ErrorKind::internal, "get a random number", errno);
  return token;
}

Joins::Open::Open(Joins& joins, const StreamToken& token, StreamBundle& bundle)
    : joins_(joins), bundle_(bundle) {
  joins_.entries_.lock()->push_back({.token = token, .bundle = &bundle});
}

Joins::Open::~Open() {
  std::erase_if(*joins_.entries_.lock(),
                [&](const Entry& entry) { return entry.bundle == &bundle_; });
}

// With the lock, so that the transfer is not over meanwhile; nothing is waited for.
bool Joins::join(const StreamToken& token, JoiningStream& stream) {
  const auto entries = entries_.lock();
  for (Entry& entry : *entries) {
    if (!is_same(entry.token, token)) continue;
    // One that takes the place of others adds none.
    const bool adds = !stream.replaces;
    if ((adds && entry.joined >= kMaxJoins) || !entry.bundle->join(stream)) return false;
    if (adds) ++entry.joined;
    return true;
  }
  return false;
}

}  // namespace adoc
