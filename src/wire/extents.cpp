#include "wire/extents.hpp"

#include "wire/protocol.hpp"

namespace adoc {

namespace {

std::uint64_t read_varint(const std::byte*& at) noexcept {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = std::to_integer<std::uint64_t>(*at++);
    value |= (byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
}

}  // namespace

void Extents::Iterator::step() noexcept {
  at_ = next_;
  if (at_ == end_) return;
  run_.offset += run_.length + read_varint(next_);
  run_.length = read_varint(next_);
}

void Extents::push_back(const Extent& run) {
  ByteWriter out(bytes_);
  out.varint(run.offset - end_);
  out.varint(run.length);
  end_ = run.offset + run.length;
  ++count_;
}

void Extents::encode(ByteWriter& out) const {
  out.varint(count_);
  out.bytes(bytes_);
}

Extents Extents::decode(ByteReader& in, std::uint64_t size) {
  Extents extents;
  extents.count_ = in.bounded(kMaxExtents, "the number of runs");
  ByteReader runs = in;
  for (std::size_t i = 0; i < extents.count_; ++i) {
    const std::uint64_t offset = extents.end_ + in.bounded(size - extents.end_, "a gap");
    const std::uint64_t length = in.bounded(size - offset, "a run");
    if (length == 0) in.fail("a run is empty");
    extents.end_ = offset + length;
  }
  const ByteSpan bytes = runs.bytes(runs.remaining() - in.remaining());
  extents.bytes_.assign(bytes.begin(), bytes.end());
  return extents;
}

}  // namespace adoc
