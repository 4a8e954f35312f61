#include "support/random_records.hpp"

#include <string>
#include <vector>

namespace adoc::testkit {

namespace {

constexpr std::uint64_t kAny64 = ~std::uint64_t{0};
constexpr std::uint64_t kMaxFileBytes = kAny64 >> 1;

bool coin(Rng& rng) { return up_to(rng, 1) != 0; }

std::uint8_t any_byte(Rng& rng) { return static_cast<std::uint8_t>(up_to(rng, 255)); }

std::string any_text(Rng& rng, std::size_t limit) {
  std::string text(any_size(rng, limit), '\0');
  for (char& c : text) c = static_cast<char>(any_byte(rng));
  return text;
}

std::string any_name(Rng& rng) {
  std::string name;
  do {
    if (!name.empty()) name += '/';
    // A letter first, so that no component is "." or "..".
    name += 'n';
    for (std::uint64_t left = any_size(rng, 254); left != 0; --left) {
      const char c = static_cast<char>(any_byte(rng));
      name += c == '/' || c == '\0' ? '_' : c;
    }
  } while (coin(rng) && name.size() + 256 < SafeName::kMaxBytes);
  return name;
}

std::vector<Extent> any_extents(Rng& rng, std::uint64_t size) {
  std::vector<Extent> extents;
  std::uint64_t end = 0;
  for (std::uint64_t left = up_to(rng, 5); left != 0 && end < size; --left) {
    const std::uint64_t offset = end + any_size(rng, size - end - 1);
    const std::uint64_t length = 1 + any_size(rng, size - offset - 1);
    extents.push_back({offset, length});
    end = offset + length;
  }
  return extents;
}

Entry any_file(Rng& rng, Entry entry) {
  entry.size = coin(rng) ? any_size(rng, kMaxFileBytes) : kUnknownSize;
  if (entry.size != kUnknownSize && coin(rng)) entry.data = any_extents(rng, entry.size);
  if (coin(rng))
    for (std::byte& byte : entry.hash.emplace()) byte = std::byte{any_byte(rng)};
  if (entry.size != kUnknownSize && up_to(rng, 3) == 0) {
    const auto count = static_cast<std::uint32_t>(1 + any_size(rng, kMaxShards - 1));
    entry.share = {.shard = {static_cast<std::uint32_t>(1 + up_to(rng, count - 1)), count},
                   .changed_seconds = static_cast<std::int64_t>(any_size(rng, kAny64)),
                   .changed_nanoseconds = static_cast<std::uint32_t>(up_to(rng, 999'999'999))};
  }
  if (up_to(rng, 3) == 0)
    entry.lossy = Lossy{static_cast<ItemType>(1 + up_to(rng, 13)),
                        static_cast<Lossy::Mode>(1 + up_to(rng, 3)),
                        static_cast<double>(1 + any_size(rng, kAny64 >> 1))};
  if (entry.lossy && can_be_predicted(*entry.lossy)) entry.lossy->predicted = coin(rng);
  return entry;
}

Owner any_owner(Rng& rng) {
  return {static_cast<std::uint32_t>(any_size(rng, kMaxOwnerId)),
          any_text(rng, kMaxOwnerNameBytes)};
}

Attributes any_attributes(Rng& rng) {
  Attributes attributes;
  std::string name = "user.";
  for (std::uint64_t left = up_to(rng, 5); left != 0; --left) {
    name += static_cast<char>('a' + up_to(rng, 25));
    attributes.add(name, as_byte_span(any_text(rng, 2'000)));
  }
  return attributes;
}

AccessList any_access_list(Rng& rng) {
  std::vector<AccessRule> rules(up_to(rng, 6));
  for (AccessRule& rule : rules) {
    rule.kind = static_cast<AccessRule::Kind>(1U << up_to(rng, 5));
    rule.permissions = static_cast<std::uint8_t>(up_to(rng, 7));
    const Owner somebody = any_owner(rng);
    if (!rule.names_somebody()) continue;
    rule.id = somebody.id;
    rule.name = somebody.name;
  }
  return AccessList(rules);
}

void add_metadata(Rng& rng, Entry& entry) {
  Metadata metadata;
  if (coin(rng)) metadata.user = any_owner(rng);
  if (coin(rng)) metadata.group = any_owner(rng);
  if (entry.kind != EntryKind::symlink && coin(rng)) metadata.attributes = any_attributes(rng);
  if (entry.kind != EntryKind::symlink && coin(rng)) metadata.access = any_access_list(rng);
  if (entry.kind == EntryKind::directory && coin(rng))
    metadata.default_access = any_access_list(rng);
  if (entry.kind == EntryKind::file && coin(rng)) {
    metadata.has_other_names = entry.size == kUnknownSize || coin(rng);
    if (!metadata.has_other_names) entry.share.reset();
    if (!metadata.has_other_names) metadata.first = SafeName::check("other/" + entry.name.str());
  }
  if (!metadata.empty()) entry.metadata = std::move(metadata);
}

}  // namespace

template <>
EntryRecord random_record(Rng& rng) {
  Entry entry{.kind = static_cast<EntryKind>(1 + up_to(rng, 2)),
              .name = SafeName::check(any_name(rng)),
              .mode = static_cast<std::uint32_t>(up_to(rng, 07777)),
              .mtime_seconds = static_cast<std::int64_t>(any_size(rng, kAny64)),
              .mtime_nanoseconds = static_cast<std::uint32_t>(any_size(rng, 999'999'999))};
  if (entry.kind == EntryKind::file) entry = any_file(rng, std::move(entry));
  if (entry.kind == EntryKind::symlink) entry.link_target = any_name(rng);
  if (entry.name.str().size() < SafeName::kMaxBytes - 8 && coin(rng)) add_metadata(rng, entry);
  return {entry};
}

template <>
Offer random_record(Rng& rng) {
  Offer offer{.batch = any_size(rng, kAny64),
              .last = coin(rng),
              .dry_run = coin(rng),
              .keep_existing = coin(rng),
              .codec = any_byte(rng),
              .raw_bytes = any_size(rng, kMaxManifestBytes)};
  offer.stored.resize(up_to(rng, 300));
  for (std::byte& byte : offer.stored) byte = std::byte{any_byte(rng)};
  return offer;
}

template <>
Want random_record(Rng& rng) {
  Want want{.batch = any_size(rng, kAny64), .items = {}};
  want.items.resize(any_size(rng, kMaxBatchEntries));
  for (WantItem& item : want.items) {
    item.verb = static_cast<Verb>(up_to(rng, 3));
    if (item.verb == Verb::take) item.ranges = any_extents(rng, kUnknownSize);
    if (item.verb == Verb::refuse) item.reason = any_text(rng, kMaxMessageBytes);
  }
  return want;
}

template <>
BlockHeader random_record(Rng& rng) {
  const std::size_t raw_bytes = 1 + any_size(rng, kMaxRawBlockBytes - 1);
  return {.batch = any_size(rng, kAny64),
          .offset = any_size(rng, kAny64 - raw_bytes),
          .raw_bytes = raw_bytes,
          .codec = any_byte(rng),
          .level = any_byte(rng),
          .checksum = rng()};
}

template <>
LinkedBlockHeader random_record(Rng& rng) {
  return {.block = random_record<BlockHeader>(rng), .prefix_bytes = any_size(rng, kMaxPrefixBytes)};
}

template <>
MatchedBlockHeader random_record(Rng& rng) {
  MatchedBlockHeader matched{.block = random_record<BlockHeader>(rng)};
  matched.block.raw_bytes = 1 + any_size(rng, kMaxMatchedBlockBytes - 1);
  matched.block.offset = any_size(rng, kAny64 - matched.block.raw_bytes);
  std::size_t left = matched.block.raw_bytes;
  while (left > 2 * kMinMatchBytes && matched.matches.size() < 200 && up_to(rng, 9) != 0) {
    const std::size_t literals = up_to(rng, left - kMinMatchBytes);
    left -= literals;
    const std::size_t length = kMinMatchBytes + up_to(rng, left - kMinMatchBytes);
    left -= length;
    matched.matches.push_back({.literals = literals,
                               .length = length,
                               .distance = length + up_to(rng, kMatchWindowBytes - length)});
  }
  return matched;
}

template <>
FilteredBlockHeader random_record(Rng& rng) {
  FilteredBlockHeader filtered{.block = random_record<BlockHeader>(rng),
                               .filter = any_byte(rng),
                               .item_bytes = any_byte(rng),
                               .phase = any_byte(rng)};
  filtered.block.raw_bytes = 1 + any_size(rng, kMaxFilteredBlockBytes - 1);
  filtered.block.offset = any_size(rng, kAny64 - filtered.block.raw_bytes);
  return filtered;
}

template <>
PredictedBlockHeader random_record(Rng& rng) {
  PredictedBlockHeader predicted{.block = random_record<BlockHeader>(rng),
                                 .type = static_cast<ItemType>(11 + up_to(rng, 3))};
  const std::size_t bytes = number_bytes(predicted.type);
  std::size_t left = 100 + any_size(rng, kMaxPredictedBlockBytes - 100);
  predicted.block.raw_bytes = left;
  predicted.block.offset = any_size(rng, kAny64 - left);
  predicted.literals = any_size(rng, left / 8 / bytes);
  do {
    const NumberWindow window{
        .skipped = any_size(rng, left / 2),
        .numbers = 1 + any_size(rng, std::min(left / 2 / bytes, kMaxWindowNumbers) - 1),
        .predictor = static_cast<std::uint8_t>(up_to(rng, 3)),
        .exponent = static_cast<std::int16_t>(static_cast<int>(up_to(rng, 2'000)) - 1'000),
        .step = static_cast<std::uint16_t>(1 + up_to(rng, 65'534))};
    for (std::uint64_t times = 1 + any_size(rng, 20); times > 0; --times) {
      const std::size_t each = window.skipped + window.numbers * bytes;
      if (each > left || predicted.windows.size() == kMaxPredictedWindows) break;
      left -= each;
      predicted.windows.push_back(window);
    }
  } while (left >= 2 * bytes && up_to(rng, 9) != 0);
  return predicted;
}

template <>
Cut random_record(Rng& rng) {
  return {.stored_bytes = any_size(rng, max_stored_bytes(kMaxRawBlockBytes)),
          .raw_bytes = 1 + any_size(rng, kMaxRawBlockBytes - 1),
          .checksum = rng()};
}

template <>
Status random_record(Rng& rng) {
  return {.interval_us = any_size(rng, kAny64),
          .stalled_us = any_size(rng, kAny64),
          .decompressed_bytes = any_size(rng, kAny64),
          .decompressing_us = any_size(rng, kAny64),
          .written_bytes = any_size(rng, kAny64),
          .writing_us = any_size(rng, kAny64)};
}

template <>
QueuePlace random_record(Rng& rng) {
  return {.position = any_size(rng, kAny64), .transfers = any_size(rng, kAny64)};
}

template <>
Arrived random_record(Rng& rng) {
  return {.bytes = any_size(rng, kAny64)};
}

template <>
Failed random_record(Rng& rng) {
  return {.batch = any_size(rng, kAny64), .entry = any_size(rng, kMaxBatchEntries - 1)};
}

template <>
KeepAlive random_record(Rng&) {
  return {};
}

template <>
BlockEnd random_record(Rng& rng) {
  return {any_size(rng, max_stored_bytes(kMaxRawBlockBytes))};
}

template <>
Skip random_record(Rng& rng) {
  const std::uint64_t offset = any_size(rng, kAny64);
  return {.batch = any_size(rng, kAny64), .offset = offset, .length = any_size(rng, ~offset)};
}

template <>
Done random_record(Rng& rng) {
  Done done{.batch = any_size(rng, kAny64), .stream_bytes = any_size(rng, kAny64), .failures = {}};
  for (std::size_t entry = up_to(rng, 9); entry < kMaxBatchEntries; entry += 1 + up_to(rng, 300))
    if (coin(rng)) {
      done.failures.push_back({entry, any_text(rng, kMaxMessageBytes)});
    } else if (coin(rng)) {
      for (std::byte& byte : done.hashes.emplace_back(Done::Whole{.entry = entry}).hash)
        byte = std::byte{any_byte(rng)};
    }
  return done;
}

template <>
Commit random_record(Rng& rng) {
  Commit commit{.batch = any_size(rng, kAny64), .items = {}};
  commit.items.resize(any_size(rng, kMaxBatchEntries));
  for (Commit::Item& item : commit.items) {
    item.fate = static_cast<Fate>(up_to(rng, 3));
    if (up_to(rng, 7) == 0) item.fate = Fate::incomplete;
    if (up_to(rng, 15) == 0) item.fate = Fate::part;
    if (item.fate == Fate::failed || item.fate == Fate::incomplete)
      item.reason = any_text(rng, kMaxMessageBytes);
  }
  return commit;
}

template <>
End random_record(Rng& rng) {
  return {any_size(rng, kAny64)};
}

template <>
ErrorFrame random_record(Rng& rng) {
  return {.kind = static_cast<std::uint8_t>(up_to(rng, 7)),
          .message = any_text(rng, kMaxMessageBytes)};
}

}  // namespace adoc::testkit
