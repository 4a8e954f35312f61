// The decoders of tests/bench/papers against any bytes: the first byte selects one. What is refused
// is a std::runtime_error; what is not has the length that was asked for, and comes back where its
// encoder is the inverse.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "bench/papers/seismic/archive.hpp"
#include "bench/papers/seismic/huffman.hpp"
#include "bench/papers/seismic/segy.hpp"
#include "bench/papers/selective/fpc.hpp"
#include "bench/papers/selective/lsb_cut.hpp"
#include "fuzz/session_fuzzing.hpp"

namespace {

using namespace adoc;

void read_headers(ByteSpan file) {
  const papers::Segy segy = papers::read_segy(file);
  const auto headers = papers::headers_of(file, segy);
  std::size_t samples = 0;
  for (const auto& trace : segy.traces) {
    fuzz::require(papers::samples_of(file, segy, trace).size() == trace.samples);
    samples += trace.samples;
  }
  fuzz::require(headers.size() + samples * segy.sample_bytes() == file.size());
  std::size_t traces = 0;
  for (const papers::Shot& shot : papers::shots_of(segy)) traces += shot.end - shot.first;
  fuzz::require(traces == segy.traces.size());
}

// A whole file, packed and unpacked: headers bit for bit.
void pack(ByteSpan file) {
  std::vector<std::byte> archive;
  try {
    archive = papers::pack_segy(file, {});
  } catch (const std::invalid_argument&) {
    return;  // samples that are not finite
  }
  const auto back = papers::unpack_segy(archive);
  fuzz::require(back.size() == file.size());
  fuzz::require(papers::headers_of(back, papers::read_segy(back)) ==
                papers::headers_of(file, papers::read_segy(file)));
}

// A file of a few traces, packed, and a few bytes of that changed.
void unpack_damaged(fuzz::Input& input) {
  constexpr std::size_t kSamplesAt = 3220;
  constexpr std::size_t kFormatAt = 3225;
  constexpr std::size_t kRecordAt = 11;
  const auto samples = static_cast<std::uint8_t>(1 + input.u8() % 32U);
  Bytes file(papers::Segy::kFirstHeaders);
  file[kSamplesAt + 1] = static_cast<std::byte>(samples);
  file[kFormatAt] = std::byte{3};
  for (std::size_t traces = 1 + input.u8() % 6U; traces > 0; --traces) {
    Bytes trace(papers::Segy::kTraceHeader);
    trace[kRecordAt] = static_cast<std::byte>(input.u8() % 3U);
    const Bytes values = input.take(2U * samples);
    trace.insert(trace.end(), values.begin(), values.end());
    trace.resize(papers::Segy::kTraceHeader + 2U * samples);
    file.insert(file.end(), trace.begin(), trace.end());
  }
  Bytes archive = papers::pack_segy(file, {.bits = 8, .levels = 2, .sections = 1 + input.u8() % 3});
  while (!input.empty()) {
    const std::size_t at = input.u16();
    const auto value = static_cast<std::byte>(input.u8());
    // Numbers are 8 bytes, and the largest of them are worth a try.
    const std::size_t changed = input.rarely(4) ? 8 : 1;
    for (std::size_t i = at; i < std::min(at + changed, archive.size()); ++i) archive[i] = value;
    if (at % 16 == 15) archive.resize(at % archive.size());
    if (archive.empty()) return;
  }
  static_cast<void>(papers::unpack_segy(archive));
}

void decode_symbols(fuzz::Input& input, std::size_t size) {
  const Bytes dictionary = input.take(input.u16());
  const auto code = papers::HuffmanCode::from_dictionary(dictionary);
  fuzz::require(code.dictionary() == dictionary);
  std::vector<std::int16_t> symbols(input.u16());
  const Bytes coded = input.take(size);
  code.decode(coded, symbols);
  const auto again = code.encode(symbols);
  std::vector<std::int16_t> back(symbols.size());
  code.decode(again, back);
  fuzz::require(back == symbols);
}

void decode_integers(fuzz::Input& input, std::size_t size) {
  const std::size_t count = input.u16();
  const Bytes coded = input.take(size);
  const auto values = papers::fpc_decode(coded, count);
  fuzz::require(values.size() == count);
  fuzz::require(papers::fpc_decode(papers::fpc_encode(values).bytes, count) == values);
}

void decode_doubles(fuzz::Input& input, std::size_t size) {
  const unsigned cut = 1 + input.u8() % 63U;
  const std::size_t count = input.u16();
  fuzz::require(papers::lsb_cut_decode(input.take(size), count, cut).size() == count);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(std::as_bytes(std::span(data, size)));
  const unsigned selected = input.u8() % 7U;
  try {
    switch (selected) {
      case 0:
        read_headers(input.take(size));
        break;
      case 1:
        pack(input.take(size));
        break;
      case 2:
        static_cast<void>(papers::unpack_segy(input.take(size)));
        break;
      case 3:
        decode_symbols(input, size);
        break;
      case 4:
        decode_integers(input, size);
        break;
      case 5:
        decode_doubles(input, size);
        break;
      default:
        unpack_damaged(input);
    }
  } catch (const Error& error) {
    fuzz::require(error.kind() == ErrorKind::corrupt);
  } catch (const std::runtime_error&) {
    // What the decoder did not take.
  }
  return 0;
}
