// What is left of an unfinished file against any damage: the bytes make a choice of data and of a
// journal with records that are true, untrue or torn. Whatever is taken for present must be what a
// true record says, and what was taken out must not come back.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "destination/verify_partial.hpp"
#include "fuzz/session_fuzzing.hpp"
#include "util/fd.hpp"

namespace {

using namespace adoc;

Fd in_memory(ByteSpan contents) {
  Fd file(::memfd_create("fuzz", MFD_CLOEXEC));
  fuzz::require(file &&
                ::write(file.get(), contents.data(), contents.size()) == std::ssize(contents));
  return file;
}

void append(Bytes& to, ByteSpan bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

/// The data that is there, which may be shorter or longer than the source, and its journal.
struct Unfinished {
  Entry source;
  Bytes data;
  Bytes journal;
  std::vector<bool> told;  ///< by a true record, of each byte
};

Unfinished make_unfinished(fuzz::Input& input) {
  Unfinished made{.source = {.name = SafeName::check("name"), .size = input.u16()},
                  .data = Bytes(input.u16(), std::byte{0}),
                  .journal = {},
                  .told = {}};
  for (std::size_t i = 0; i < made.data.size(); ++i)
    made.data[i] = static_cast<std::byte>(i * 31 + i / 251);
  if (input.rarely(8)) {
    made.journal = input.take(1'000);
    made.told.assign(made.data.size(), true);  // a fuzzer may find out how a record is made
    return made;
  }
  made.told.resize(made.data.size());
  made.journal = encode_journal_header(made.source);
  while (!input.empty()) {
    const std::size_t before = made.journal.size();
    const std::uint16_t offset = input.u16();
    const std::uint16_t length = input.u16();
    const bool inside = offset + length <= made.data.size() && offset + length <= made.source.size;
    const bool is_true = inside && length > 0 && !input.rarely(4);
    const auto of_data = [&] { return ByteSpan(made.data).subspan(offset, length); };
    append(made.journal,
           encode_journal_record({offset, length, is_true ? xxh3_64(of_data()) : input.u16()}));
    if (input.rarely(8)) {
      // Torn: what follows is out of step, unless as much is put in its place.
      made.journal.resize(before + input.u8() % kJournalRecordBytes);
      const std::size_t filling = input.u8() % (kJournalRecordBytes + 1);
      append(made.journal, Bytes(filling, static_cast<std::byte>(input.u8())));
    }
    if (is_true) std::fill_n(made.told.begin() + offset, length, true);
  }
  if (input.rarely(4) && !made.journal.empty())
    made.journal[input.u16() % made.journal.size()] ^= std::byte{1};
  return made;
}

void check(const Unfinished& made, const VerifiedPartial& verified) {
  std::uint64_t end = 0;
  bool first = true;
  for (const Extent& extent : verified.present) {
    fuzz::require(extent.length > 0 && (first || extent.offset > end));
    end = extent.offset + extent.length;
    first = false;
    fuzz::require(end <= made.source.size && end <= made.data.size());
    const auto begin = made.told.begin() + static_cast<std::ptrdiff_t>(extent.offset);
    fuzz::require(std::all_of(begin, begin + static_cast<std::ptrdiff_t>(extent.length),
                              [](bool told) { return told; }));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(std::as_bytes(std::span(data, size)));
  const Unfinished made = make_unfinished(input);
  const Fd partial = in_memory(made.data);
  const Fd journal = in_memory(made.journal);
  const auto verified = verify_partial(partial.get(), journal.get(), made.source);
  if (!verified) return 0;
  check(made, *verified);
  const auto again = verify_partial(partial.get(), journal.get(), made.source);
  fuzz::require(again && again->journal_end == verified->journal_end &&
                std::ranges::equal(again->present, verified->present));
  Entry changed = made.source;
  ++changed.mtime_nanoseconds;
  fuzz::require(!verify_partial(partial.get(), journal.get(), changed));
  return 0;
}
