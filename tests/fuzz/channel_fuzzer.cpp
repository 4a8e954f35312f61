// The reading side of a ChannelStream against any bytes, read in pieces of any size: the first byte
// tells how much is sent before, the second how large the pieces are. Whatever comes out is what
// the records hold, and what does not is corrupt or lost.

#include <unistd.h>

#include "adoc/error.hpp"
#include "fuzz/session_fuzzing.hpp"
#include "io/channel_record.hpp"
#include "support/channel_ends.hpp"

namespace {

using namespace adoc;

/// The data of the records, as far as they go.
Bytes data_of(ByteSpan wire) {
  Bytes data;
  while (wire.size() >= ChannelRecord::kHeaderBytes) {
    ChannelRecord::Header header{};
    std::copy_n(wire.begin(), header.size(), header.begin());
    wire = wire.subspan(header.size());
    const ChannelRecord record = ChannelRecord::decode(header);
    if (record.is_end()) break;
    const ByteSpan piece = wire.first(std::min<std::size_t>(record.length, wire.size()));
    data.insert(data.end(), piece.begin(), piece.end());
    wire = wire.subspan(piece.size());
  }
  return data;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fuzz::Input input(std::as_bytes(std::span(bytes, size)));
  const Bytes sent(input.u8());
  Bytes piece(1 + input.u8());
  const Bytes wire = input.take(32 << 10);  // what an empty pipe takes
  auto [near, far] = testkit::connected_files(testkit::Through::pipes);
  const auto stream = testkit::channel(std::move(near), "a fuzzer");
  if (!sent.empty()) stream->write_all(sent);
  fuzz::require(::write(far.out.get(), wire.data(), wire.size()) ==
                static_cast<ssize_t>(wire.size()));
  far.out.reset();
  Bytes got;
  try {
    while (const std::size_t count = stream->read_some(piece))
      got.insert(got.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
  } catch (const Error& error) {
    fuzz::require(error.kind() == ErrorKind::corrupt || error.kind() == ErrorKind::connect);
  }
  const Bytes expected = data_of(wire);
  fuzz::require(got.size() <= expected.size() &&
                std::equal(got.begin(), got.end(), expected.begin()));
  fuzz::require(stream->delivery()->arrived_bytes <= sent.size());
  return 0;
}
