#pragma once

#include <string_view>

#include "codec/codec.hpp"

namespace adoc {

/// The ways in which the bytes of a block can be wrong whatever the codec.
inline constexpr std::string_view kHoldsMore = "it holds more than its raw length";
inline constexpr std::string_view kHoldsLess = "it holds less than its raw length";
inline constexpr std::string_view kCutShort = "it is cut short";
inline constexpr std::string_view kTrailingBytes = "bytes follow its end";

/// The peer's fault: throws Error(corrupt).
[[noreturn]] void throw_corrupt(CodecId codec, std::string_view what);

/// Our fault, or that of a library that we use: throws Error(internal).
[[noreturn]] void throw_codec_failure(CodecId codec, std::string_view what);

}  // namespace adoc
