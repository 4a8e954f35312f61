#include "wire/block.hpp"

namespace adoc {

void BlockHeader::encode(ByteWriter& out) const {
  out.varint(batch);
  out.varint(offset);
  out.varint(raw_bytes);
  out.u8(codec);
  out.u8(level);
  out.u64(checksum);
}

BlockHeader BlockHeader::decode(ByteSpan record) {
  ByteReader in(record, "block");
  BlockHeader block;
  block.batch = in.varint();
  block.offset = in.varint();
  block.raw_bytes = in.bounded(kMaxRawBlockBytes, "the block's length");
  if (block.raw_bytes == 0) in.fail("it is empty");
  if (block.offset + block.raw_bytes < block.offset) in.fail("its offset is too large");
  block.codec = in.u8();
  block.level = in.u8();
  block.checksum = in.u64();
  in.expect_end();
  return block;
}

BlockEnd BlockEnd::decode(ByteSpan record) {
  ByteReader in(record, "block end");
  const BlockEnd end{in.bounded(max_stored_bytes(kMaxRawBlockBytes), "the stored length")};
  in.expect_end();
  return end;
}

void Skip::encode(ByteWriter& out) const {
  out.varint(batch);
  out.varint(offset);
  out.varint(length);
}

Skip Skip::decode(ByteSpan record) {
  ByteReader in(record, "skip");
  Skip skip;
  skip.batch = in.varint();
  skip.offset = in.varint();
  skip.length = in.varint();
  if (skip.offset + skip.length < skip.offset) in.fail("its length is too large");
  in.expect_end();
  return skip;
}

}  // namespace adoc
