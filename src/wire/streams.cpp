#include "wire/streams.hpp"

#include <algorithm>
#include <string>

namespace adoc {

namespace {

StreamToken read_token(ByteReader& in) {
  StreamToken token{};
  std::ranges::copy(in.bytes(token.size()), token.begin());
  return token;
}

std::uint64_t read_window(ByteReader& in) {
  const std::uint64_t window = in.bounded(kMaxStreamWindow, "window");
  if (window < kMinStreamWindow)
    in.fail("the window is " + std::to_string(window) + ", at least " +
            std::to_string(kMinStreamWindow) + " is needed");
  return window;
}

}  // namespace

void StreamsOffer::encode(ByteWriter& out) const {
  out.bytes(token);
  out.u8(most);
  out.varint(window);
}

StreamsOffer StreamsOffer::decode(ByteSpan record) {
  ByteReader in(record, "streams");
  StreamsOffer offer;
  offer.token = read_token(in);
  offer.most = in.u8();
  if (offer.most >= kMaxStreams)
    in.fail("it allows " + std::to_string(offer.most) + " further connections, the limit is " +
            std::to_string(kMaxStreams - 1));
  offer.window = read_window(in);
  in.expect_end();
  return offer;
}

void Join::encode(ByteWriter& out) const { out.bytes(token); }

Join Join::decode(ByteSpan record) {
  ByteReader in(record, "join");
  Join join;
  join.token = read_token(in);
  in.expect_end();
  return join;
}

}  // namespace adoc
