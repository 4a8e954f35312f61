#include "wire/status.hpp"

namespace adoc {

void Status::encode(ByteWriter& out) const {
  out.varint(interval_us);
  out.varint(stalled_us);
  out.varint(decompressed_bytes);
  out.varint(decompressing_us);
  out.varint(written_bytes);
  out.varint(writing_us);
}

Status Status::decode(ByteSpan record) {
  ByteReader in(record, "status");
  Status status;
  status.interval_us = in.varint();
  status.stalled_us = in.varint();
  status.decompressed_bytes = in.varint();
  status.decompressing_us = in.varint();
  status.written_bytes = in.varint();
  status.writing_us = in.varint();
  in.expect_end();
  return status;
}

}  // namespace adoc
