// The decoders of the wire against any bytes. The first byte selects the decoder, the rest is its
// input. Whatever is accepted must encode to the same bytes again; whatever is not must be refused
// with the peer's fault.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "adoc/error.hpp"
#include "support/random_records.hpp"
#include "support/recode.hpp"
#include "wire/hello.hpp"

namespace {

using adoc::ByteSpan;

void require(bool holds) {
  if (!holds) std::abort();
}

template <typename Record>
void decode(ByteSpan bytes) {
  const adoc::Bytes again = adoc::testkit::encode_record(Record::decode(bytes));
  require(std::ranges::equal(again, bytes));
}

void recode(const char* name, ByteSpan bytes) {
  static_cast<void>(adoc::testkit::recode(name, bytes));
}

void run(unsigned selector, ByteSpan bytes) {
  switch (selector) {
    case 0:
      return decode<adoc::testkit::EntryRecord>(bytes);
    case 1:
      return decode<adoc::Offer>(bytes);
    case 2:
      return decode<adoc::Want>(bytes);
    case 3:
      return decode<adoc::BlockHeader>(bytes);
    case 4:
      return decode<adoc::BlockEnd>(bytes);
    case 5:
      return decode<adoc::Skip>(bytes);
    case 6:
      return decode<adoc::Done>(bytes);
    case 7:
      return decode<adoc::Commit>(bytes);
    case 8:
      return decode<adoc::End>(bytes);
    case 9:
      return decode<adoc::ErrorFrame>(bytes);
    case 10:
      return static_cast<void>(adoc::Hello::decode(
          bytes.first(std::min(bytes.size(), adoc::kHelloBytes)), adoc::Role::sender));
    case 11:
      return recode("to-receiver", bytes);
    case 12:
      return recode("to-sender", bytes);
    case 13:
      return require(adoc::encode_manifest(adoc::decode_manifest(bytes)).size() == bytes.size());
    case 14:
      return decode<adoc::LinkedBlockHeader>(bytes);
    case 15:
      return decode<adoc::Cut>(bytes);
    case 16:
      return decode<adoc::Status>(bytes);
    case 17:
      return decode<adoc::KeepAlive>(bytes);
    case 18:
      return decode<adoc::QueuePlace>(bytes);
    case 19:
      return decode<adoc::Arrived>(bytes);
    case 20:
      return decode<adoc::MatchedBlockHeader>(bytes);
    case 21:
      return decode<adoc::FilteredBlockHeader>(bytes);
    case 22:
      return decode<adoc::PredictedBlockHeader>(bytes);
    case 24:
      return decode<adoc::Failed>(bytes);
    default:
      return recode("frames", bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    run(data[0] % 25U, std::as_bytes(std::span(data + 1, size - 1)));
  } catch (const adoc::Error& error) {
    // Refused is a hello that is one of TLS.
    require(error.kind() == adoc::ErrorKind::corrupt || error.kind() == adoc::ErrorKind::connect ||
            error.kind() == adoc::ErrorKind::refused);
  }
  return 0;
}
