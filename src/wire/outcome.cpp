#include "wire/outcome.hpp"

#include <string_view>

namespace adoc {

namespace {

/// A reason as it may go on the wire: long ones lose their end.
std::string_view clipped(std::string_view reason) noexcept {
  return reason.substr(0, kMaxMessageBytes);
}

}  // namespace

void Done::encode(ByteWriter& out) const {
  out.varint(batch);
  out.varint(stream_bytes);
  out.varint(failures.size());
  for (const Failure& failure : failures) {
    out.varint(failure.entry);
    out.string(clipped(failure.reason));
  }
}

Done Done::decode(ByteSpan record) {
  ByteReader in(record, "done");
  Done done;
  done.batch = in.varint();
  done.stream_bytes = in.varint();
  done.failures.resize(in.bounded(kMaxBatchEntries, "the number of failures"));
  for (Failure& failure : done.failures) {
    failure.entry = in.bounded(kMaxBatchEntries - 1, "an entry's index");
    failure.reason = in.string(kMaxMessageBytes);
  }
  in.expect_end();
  return done;
}

void Commit::encode(ByteWriter& out) const {
  out.varint(batch);
  out.varint(items.size());
  for (const Item& item : items) {
    out.u8(static_cast<std::uint8_t>(item.fate));
    if (item.fate == Fate::failed) out.string(clipped(item.reason));
  }
}

Commit Commit::decode(ByteSpan record) {
  ByteReader in(record, "commit");
  Commit commit;
  commit.batch = in.varint();
  commit.items.resize(in.bounded(kMaxBatchEntries, "the number of items"));
  for (Item& item : commit.items) {
    const std::uint8_t fate = in.u8();
    if (fate > static_cast<std::uint8_t>(Fate::failed))
      in.fail("there is no fate " + std::to_string(fate));
    item.fate = static_cast<Fate>(fate);
    if (item.fate == Fate::failed) item.reason = in.string(kMaxMessageBytes);
  }
  in.expect_end();
  return commit;
}

End End::decode(ByteSpan record) {
  ByteReader in(record, "end");
  const End end{in.varint()};
  in.expect_end();
  return end;
}

void ErrorFrame::encode(ByteWriter& out) const {
  out.u8(kind);
  out.string(clipped(message));
}

ErrorFrame ErrorFrame::decode(ByteSpan record) {
  ByteReader in(record, "error");
  ErrorFrame error;
  error.kind = in.u8();
  error.message = in.string(kMaxMessageBytes);
  in.expect_end();
  return error;
}

}  // namespace adoc
