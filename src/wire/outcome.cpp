#include "wire/outcome.hpp"

#include <algorithm>
#include <string_view>

#include "adoc/error.hpp"

namespace adoc {

namespace {

// A kind keeps its value for good, since peers of other builds read it.
constexpr auto value(ErrorKind kind) { return static_cast<std::uint8_t>(kind); }
static_assert(value(ErrorKind::usage) == 0 && value(ErrorKind::connect) == 1 &&
              value(ErrorKind::refused) == 2 && value(ErrorKind::corrupt) == 3 &&
              value(ErrorKind::local_file) == 4 && value(ErrorKind::remote_file) == 5 &&
              value(ErrorKind::interrupted) == 6 && value(ErrorKind::internal) == kMaxErrorKind);

constexpr auto kLastFate = static_cast<std::uint8_t>(Fate::part);
constexpr std::uint8_t kNoFate = 4;

constexpr bool has_reason(Fate fate) noexcept {
  return fate == Fate::failed || fate == Fate::incomplete;
}

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
  if (hashes.empty()) return;
  out.varint(hashes.size());
  for (const Whole& whole : hashes) {
    out.varint(whole.entry);
    out.bytes(whole.hash);
  }
}

Done Done::decode(ByteSpan record) {
  ByteReader in(record, "done");
  Done done;
  done.batch = in.varint();
  done.stream_bytes = in.varint();
  done.failures.resize(in.bounded(kMaxBatchEntries, "the number of failures"));
  std::size_t next = 0;
  const auto next_entry = [&] {
    const std::size_t entry = in.bounded(kMaxBatchEntries - 1, "an entry's index");
    if (entry < next) in.fail("its entries do not ascend");
    next = entry + 1;
    return entry;
  };
  for (Failure& failure : done.failures) {
    failure.entry = next_entry();
    failure.reason = in.string(kMaxMessageBytes);
  }
  if (in.remaining() == 0) return done;
  next = 0;
  done.hashes.resize(in.bounded(kMaxBatchEntries, "the number of hashes"));
  if (done.hashes.empty()) in.fail("its list of hashes is empty");
  for (Whole& whole : done.hashes) {
    whole.entry = next_entry();
    if (std::ranges::find(done.failures, whole.entry, &Failure::entry) != done.failures.end())
      in.fail("an entry that failed has a hash");
    std::ranges::copy(in.bytes(whole.hash.size()), whole.hash.begin());
  }
  in.expect_end();
  return done;
}

void Commit::encode(ByteWriter& out) const {
  out.varint(batch);
  out.varint(items.size());
  for (const Item& item : items) {
    out.u8(static_cast<std::uint8_t>(item.fate));
    if (has_reason(item.fate)) out.string(clipped(item.reason));
  }
}

Commit Commit::decode(ByteSpan record) {
  ByteReader in(record, "commit");
  Commit commit;
  commit.batch = in.varint();
  commit.items.resize(in.bounded(kMaxBatchEntries, "the number of items"));
  for (Item& item : commit.items) {
    const std::uint8_t fate = in.u8();
    if (fate > kLastFate || fate == kNoFate) in.fail("there is no fate " + std::to_string(fate));
    item.fate = static_cast<Fate>(fate);
    if (has_reason(item.fate)) item.reason = in.string(kMaxMessageBytes);
  }
  in.expect_end();
  return commit;
}

void Failed::encode(ByteWriter& out) const {
  out.varint(batch);
  out.varint(entry);
}

Failed Failed::decode(ByteSpan record) {
  ByteReader in(record, "failed");
  Failed failed;
  failed.batch = in.varint();
  failed.entry = in.bounded(kMaxBatchEntries - 1, "an entry's index");
  in.expect_end();
  return failed;
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
  if (error.kind > kMaxErrorKind) in.fail("there is no error kind " + std::to_string(error.kind));
  error.message = in.string(kMaxMessageBytes);
  in.expect_end();
  return error;
}

}  // namespace adoc
