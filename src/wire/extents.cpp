#include "wire/extents.hpp"

#include "wire/protocol.hpp"

namespace adoc {

void encode_extents(ByteWriter& out, const std::vector<Extent>& extents) {
  out.varint(extents.size());
  std::uint64_t end = 0;
  for (const Extent& run : extents) {
    out.varint(run.offset - end);
    out.varint(run.length);
    end = run.offset + run.length;
  }
}

std::vector<Extent> decode_extents(ByteReader& in, std::uint64_t size) {
  std::vector<Extent> extents(in.bounded(kMaxExtents, "the number of runs"));
  std::uint64_t end = 0;
  for (Extent& run : extents) {
    run.offset = end + in.bounded(size - end, "a gap");
    run.length = in.bounded(size - run.offset, "a run");
    if (run.length == 0) in.fail("a run is empty");
    end = run.offset + run.length;
  }
  return extents;
}

}  // namespace adoc
