#include "wire/want.hpp"

namespace adoc {

void Want::encode(ByteWriter& out) const {
  out.varint(batch);
  out.varint(items.size());
  for (const WantItem& item : items) {
    out.u8(static_cast<std::uint8_t>(item.verb));
    if (item.verb == Verb::take) item.ranges.encode(out);
    if (item.verb == Verb::refuse)
      out.string(std::string_view(item.reason).substr(0, kMaxMessageBytes));
  }
}

Want Want::decode(ByteSpan record) {
  ByteReader in(record, "want");
  Want want;
  want.batch = in.varint();
  want.items.resize(in.bounded(kMaxBatchEntries, "the number of items"));
  for (WantItem& item : want.items) {
    const std::uint8_t verb = in.u8();
    if (verb > static_cast<std::uint8_t>(Verb::refuse))
      in.fail("there is no verb " + std::to_string(verb));
    item.verb = static_cast<Verb>(verb);
    if (item.verb == Verb::take) item.ranges = Extents::decode(in, kUnknownSize);
    if (item.verb == Verb::refuse) item.reason = in.string(kMaxMessageBytes);
  }
  in.expect_end();
  return want;
}

}  // namespace adoc
