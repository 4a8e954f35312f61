#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/made_up_frames.hpp"

namespace adoc::testkit {

/// A field of a record, so that a test can write the record with any one of them wrong.
struct Field {
  enum class Form { u8, u16, u32, u64, varint };

  std::string_view name;
  Form form = Form::varint;
  std::uint64_t value = 0;
  /// Some other values are as good: they say something else, and it may be done.
  bool free = false;
};

/// What a record is made of: its fields, with bytes that stay as they are behind any of them.
struct Part {
  Field field;
  Bytes after{};
};
using Parts = std::vector<Part>;

void write_parts(const Parts& parts, ByteWriter& out);

/// One record with one field wrong.
struct Mutation {
  std::string what;  ///< "raw-bytes=0"
  bool free = false;
  Parts parts;
};

/// Each field in turn at 0, one more, 2^63 and the largest of its form, where that is another
/// value.
[[nodiscard]] std::vector<Mutation> mutations(const Parts& parts);

}  // namespace adoc::testkit
