#pragma once

#include <string>

#include "support/temporary_directory.hpp"
#include "util/bytes.hpp"

namespace adoc::testkit {

/// A golden file of the wire protocol, as "good/to-receiver".
[[nodiscard]] inline Bytes golden_bytes(const std::string& name) {
  const std::string text = contents_of(ADOC_GOLDEN_DIR "/" + name + ".bin");
  const ByteSpan bytes = as_byte_span(text);
  return {bytes.begin(), bytes.end()};
}

/// What the golden conversation transfers.
inline constexpr const char* kGoldenName = "hello.txt";
inline constexpr const char* kGoldenText = "hello AdOC\n";

}  // namespace adoc::testkit
