// Predicted numbers against any bytes: a few windows, and then what is to be unfolded. Whatever
// comes out is folded again, and must come out the same; what is refused is the peer's fault.

#include <algorithm>
#include <optional>
#include <vector>

#include "adoc/error.hpp"
#include "codec/predicted_form.hpp"
#include "fuzz/session_fuzzing.hpp"

namespace {

using namespace adoc;

std::vector<NumberWindow> windows_of(fuzz::Input& input, std::size_t bytes, std::size_t left) {
  std::vector<NumberWindow> windows;
  for (std::size_t count = 1 + input.u8() % 4; count > 0; --count) {
    NumberWindow window{.skipped = input.u8() % 16U,
                        .numbers = 1 + input.u16() % 4'096U,
                        .predictor = static_cast<std::uint8_t>(input.u8() % 4),
                        .exponent = static_cast<std::int16_t>(input.u16() % 2'001 - 1'000),
                        .step = static_cast<std::uint16_t>(std::max<unsigned>(1, input.u16()))};
    if (left < window.skipped + bytes) break;
    window.numbers = std::min(window.numbers, (left - window.skipped) / bytes);
    left -= window.skipped + window.numbers * bytes;
    windows.push_back(window);
  }
  return windows;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(std::as_bytes(std::span(data, size)));
  const auto type =
      static_cast<ItemType>(static_cast<unsigned>(ItemType::float32) + input.u8() % 4);
  const std::size_t raw_bytes = 64 + input.u16();
  const std::size_t literals = input.u8() % (1 + raw_bytes / 8 / number_bytes(type));
  const std::vector<NumberWindow> windows = windows_of(input, number_bytes(type), raw_bytes);
  if (windows.empty()) return 0;
  Bytes folded = input.take(size);
  folded.resize(folded_bytes(type, raw_bytes, literals));
  Bytes raw(raw_bytes);
  try {
    unfold(type, windows, folded, raw);
  } catch (const Error& error) {
    fuzz::require(error.kind() == ErrorKind::corrupt);
  }
  Buffer again;
  const auto count = fold(type, windows, raw, again);
  if (!count) return 0;
  Bytes back(raw_bytes);
  unfold(type, windows, again, back);
  fuzz::require(back == raw);
  return 0;
}
