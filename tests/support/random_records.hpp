#pragma once

#include <utility>

#include "support/seed.hpp"
#include "wire/arrived.hpp"
#include "wire/block.hpp"
#include "wire/entry.hpp"
#include "wire/keep_alive.hpp"
#include "wire/offer.hpp"
#include "wire/outcome.hpp"
#include "wire/place.hpp"
#include "wire/status.hpp"
#include "wire/want.hpp"

namespace adoc::testkit {

/// An entry read as if it were a record of its own, so that it takes part in the same tests.
struct EntryRecord {
  Entry entry;

  void encode(ByteWriter& out) const { entry.encode(out); }
  [[nodiscard]] static EntryRecord decode(ByteSpan record) {
    ByteReader in(record, "entry");
    EntryRecord read{Entry::decode(in)};
    in.expect_end();
    return read;
  }

  bool operator==(const EntryRecord&) const = default;
};

/// Any valid record of the type, small ones and extremes more often than chance has it.
template <typename Record>
[[nodiscard]] Record random_record(Rng& rng);

template <typename Record>
[[nodiscard]] Bytes encode_record(const Record& record) {
  Bytes bytes;
  ByteWriter out(bytes);
  record.encode(out);
  return bytes;
}

}  // namespace adoc::testkit
