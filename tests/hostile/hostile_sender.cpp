// A sender that means harm, for tests/e2e/42-hostile-sender.sh:
//
//   hostile_sender PORT ATTACK OUTSIDE [SENDERS [two-steps]]
//
// OUTSIDE is a directory that nothing may change. Ends with 0 once the attack is over; what came of
// it is for the caller to see.

#include <cstdio>
#include <cstdlib>
#include <latch>
#include <map>
#include <random>
#include <thread>

#include "codec/codec.hpp"
#include "codec/manifest.hpp"
#include "support/made_up_frames.hpp"
#include "support/scripted_peer.hpp"
#include "util/checksum.hpp"
#include "wire/batch_window.hpp"
#include "wire/hello.hpp"
#include "wire/outcome.hpp"

namespace adoc::testkit {
namespace {

using Limit = ScriptedPeer::Limit;

struct Target {
  std::uint16_t port = 0;
  std::string outside;
  int senders = 1;            ///< of an attack that is made by several
  bool in_two_steps = false;  ///< the second one once standard input ends
};

/// One connection that says all of this, and goes when the receiver has, or is silent for so long.
void say(const Target& target, std::initializer_list<Bytes> frames, Limit patience = Limit(300)) {
  ScriptedPeer peer = ScriptedPeer::connect(target.port);
  peer.say(joined({Hello{.role = Role::sender}.encode(), joined(frames)}));
  static_cast<void>(peer.hear_all(patience));
}

Bytes offer(std::uint64_t batch, const std::vector<Entry>& entries) {
  return encode_frame(raw_offer(batch, entries, false));
}
Bytes done(std::uint64_t batch, std::uint64_t stream_bytes) {
  return encode_frame(Done{.batch = batch, .stream_bytes = stream_bytes, .failures = {}});
}
Bytes offer_of(Bytes manifest) {
  const std::size_t bytes = manifest.size();
  return encode_frame(Offer{.batch = 0, .raw_bytes = bytes, .stored = std::move(manifest)});
}

Bytes zeros_compressed(std::size_t bytes) {
  const Bytes zeros(bytes);
  Bytes stored(1 << 20);
  const auto compressor = make_compressor(CodecId::zstd);
  compressor->begin(zeros, 3);
  stored.resize(compressor->next_packet(stored));
  return stored;
}

/// Names that lead out, of every kind of entry.
void names(const Target& target) {
  for (const std::string& name :
       {std::string("../x"), std::string("/x"), target.outside + "/x", std::string("a/../../x"),
        std::string("a/./../../x"), std::string(".."), std::string("a\0/../../x", 11),
        std::string(70'000, 'a')}) {
    for (const int kind : {1, 2, 3}) {
      Bytes manifest = manifest_naming(name);
      manifest[0] = static_cast<std::byte>(kind);
      say(target, {offer_of(manifest), done(0, 0)});
    }
  }
}

/// Kinds of entries that there are not: no device, FIFO or socket can be asked for.
void kinds(const Target& target) {
  for (int kind = 0; kind < 256; ++kind) {
    if (kind >= 1 && kind <= 3) continue;
    Bytes manifest = manifest_naming("kind");
    manifest[0] = static_cast<std::byte>(kind);
    ScriptedPeer peer = ScriptedPeer::connect(target.port);
    peer.say(joined({Hello{.role = Role::sender}.encode(), offer_of(manifest), done(0, 0)}));
    static_cast<void>(peer.hear_all(Limit(20)));
  }
}

/// Links that lead out, and files below them, from several connections at once.
void links(const Target& target) {
  const auto attack = [&](std::uint64_t seed) {
    std::minstd_rand random(static_cast<std::minstd_rand::result_type>(seed));
    for (int round = 0; round < 40; ++round) {
      ScriptedPeer peer = ScriptedPeer::connect(target.port);
      peer.say(Hello{.role = Role::sender}.encode());
      for (std::uint64_t batch = 0; batch < 6; ++batch) {
        const bool link = random() % 2 == 0;
        peer.say(offer(batch, {link ? symlink_entry("d", target.outside) : directory_entry("d"),
                               file_entry("d/canary", 4), file_entry("d/e/f", 4),
                               symlink_entry("d/e", target.outside)}));
        // Whether the receiver wants both files or one cannot be known without its answer.
        peer.say(raw_block(batch, 0, random() % 2 == 0 ? "evilevil" : "evil"));
        peer.say(done(batch, 8));
      }
      static_cast<void>(peer.hear_all(Limit(20)));
    }
  };
  std::vector<std::jthread> threads;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) threads.emplace_back(attack, seed);
}

/// Blocks and manifests that grow to gigabytes.
void inflation(const Target& target) {
  const Bytes bomb = zeros_compressed(512 << 20);
  for (const std::size_t raw_bytes : {std::size_t{1}, std::size_t{1} << 20, kMaxRawBlockBytes}) {
    const BlockHeader header{.batch = 0,
                             .offset = 0,
                             .raw_bytes = raw_bytes,
                             .codec = static_cast<std::uint8_t>(CodecId::zstd)};
    say(target, {offer(0, {file_entry("bomb", 16 << 20)}), encode_frame(header), packet_frame(bomb),
                 encode_frame(BlockEnd{bomb.size()})});
  }
  for (const std::size_t raw_bytes : {std::size_t{1}, kMaxManifestBytes})
    say(target, {encode_frame(Offer{.batch = 0,
                                    .codec = static_cast<std::uint8_t>(CodecId::zstd),
                                    .raw_bytes = raw_bytes,
                                    .stored = bomb})});
}

/// As much as an offer can hold: each run is two bytes of the manifest, and next to nothing once
/// that is compressed.
std::vector<Entry> full_of_runs() {
  std::vector<Extent> runs(kMaxExtents);
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i] = {2 * i + 1, 1};
  std::vector<Entry> entries;
  for (int i = 0; i < 115; ++i) {
    entries.push_back(file_entry("runs" + std::to_string(i), 2 * kMaxExtents + 1));
    entries.back().data = runs;
  }
  return entries;
}

/// The most entries that may be under way, in full batches from this one on: each is refused for a
/// reason of its own, and named at a length that the window has room for.
Bytes most_entries(std::uint64_t batch) {
  Bytes offers;
  std::size_t entries = 0;
  std::size_t bytes = 0;
  for (;; ++batch) {
    std::vector<Entry> named;
    for (std::size_t i = 0; i < kMaxBatchEntries; ++i)
      named.push_back(file_entry(std::string(200, 'n') + std::to_string(batch) + "/" +
                                     std::to_string(i) + std::string(80, 'm'),
                                 ~std::uint64_t{0} >> 2));
    Offer offer{.batch = batch};
    pack_manifest(named, offer);
    entries += named.size();
    bytes += offer.raw_bytes;
    // One entry of the window is the batch before these.
    if (entries + 1 > kMaxEntriesInFlight || bytes + 100 > kMaxOfferBytesInFlight) return offers;
    const Bytes frame = encode_frame(offer);
    offers.insert(offers.end(), frame.begin(), frame.end());
  }
}

/// The longest offers there may be, from this one on.
Bytes longest_offers(std::uint64_t batch) {
  Bytes offers;
  for (; batch < kMaxBatchesInFlight; ++batch) {
    Offer offer{.batch = batch};
    pack_manifest(full_of_runs(), offer);
    offers = joined({offers, encode_frame(offer)});
  }
  return offers;
}

/// All offers of ten senders at once, 5 kB each.
void extents(const Target& target) {
  const Bytes words = joined({Hello{.role = Role::sender}.encode(), longest_offers(0)});
  std::printf("%zu bytes of offers\n", words.size());
  std::vector<ScriptedPeer> peers;
  for (int i = 0; i < 10; ++i) {
    peers.push_back(ScriptedPeer::connect(target.port));
    peers.back().say(words);
  }
  for (ScriptedPeer& peer : peers) static_cast<void>(peer.hear_all(Limit(300)));
}

/// A block as large as they come, that takes as much before it is decompressed, refers to all that
/// it may and is told to be linked.
Bytes large_block(std::uint64_t batch, std::uint64_t offset, bool refers) {
  std::minstd_rand random(1);
  Bytes raw(kMaxRawBlockBytes);
  for (std::byte& byte : raw) byte = static_cast<std::byte>(random() >> 7);
  Bytes stored(max_stored_bytes(raw.size()));
  const auto compressor = make_compressor(CodecId::zstd);
  compressor->begin(raw, 1);
  stored.resize(compressor->next_packet(stored));
  BlockHeader header{.batch = batch, .offset = offset, .raw_bytes = raw.size()};
  header.checksum = xxh3_64(raw);
  header.codec = static_cast<std::uint8_t>(CodecId::zstd);
  Bytes frames = encode_frame(
      LinkedBlockHeader{.block = header, .prefix_bytes = refers ? kMaxPrefixBytes : 0});
  for (std::size_t sent = 0; sent < stored.size(); sent += kMaxPacketFrameBytes) {
    const std::size_t part = std::min(kMaxPacketFrameBytes, stored.size() - sent);
    frames = joined({frames, packet_frame(ByteSpan(stored).subspan(sent, part))});
  }
  return joined({frames, encode_frame(BlockEnd{stored.size()})});
}

/// The largest block of block sorting there is: to decompress it takes eight times as much. It is
/// made once, since that takes a second.
Bytes dense_block(std::uint64_t batch, std::uint64_t offset) {
  static const Bytes kRaw = [] {
    std::minstd_rand random(2);
    Bytes raw(kMaxDenseBlockBytes);
    for (std::byte& byte : raw) byte = static_cast<std::byte>(random() >> 7 & 0x3f);
    return raw;
  }();
  static const Bytes kStored = [] {
    Bytes stored(max_stored_bytes(kRaw.size()));
    const auto compressor = make_compressor(CodecId::bzip3);
    compressor->begin(kRaw, static_cast<int>(kMaxDenseBlockBytes >> 20));
    std::size_t length = 0;
    while (const std::size_t more = compressor->next_packet(std::span(stored).subspan(length)))
      length += more;
    stored.resize(length);
    return stored;
  }();
  BlockHeader header{.batch = batch, .offset = offset, .raw_bytes = kRaw.size()};
  header.checksum = xxh3_64(kRaw);
  header.codec = static_cast<std::uint8_t>(CodecId::bzip3);
  Bytes frames = encode_frame(header);
  for (std::size_t sent = 0; sent < kStored.size(); sent += kMaxPacketFrameBytes) {
    const std::size_t part = std::min(kMaxPacketFrameBytes, kStored.size() - sent);
    frames = joined({frames, packet_frame(ByteSpan(kStored).subspan(sent, part))});
  }
  return joined({frames, encode_frame(BlockEnd{kStored.size()})});
}

/// All that a transfer can take at once: eight blocks, behind the worst offers there are, from 1
/// on; from as many senders as there are places.
void take_memory(const Target& target, const std::vector<Bytes>& made, std::uint64_t raw_bytes,
                 const Bytes& offers) {
  Offer first{.batch = 0};
  pack_manifest({file_entry("large", raw_bytes)}, first);
  const Bytes words = joined({Hello{.role = Role::sender}.encode(), encode_frame(first), offers});
  std::latch offered(target.senders + 1);
  std::latch goes_on(target.in_two_steps ? 1 : 0);
  std::vector<std::jthread> senders;
  for (int sender = 0; sender < target.senders; ++sender)
    senders.emplace_back([&] {
      ScriptedPeer peer = ScriptedPeer::connect(target.port);
      peer.say(words);
      offered.count_down();
      goes_on.wait();
      for (const Bytes& block : made) peer.say(block);
      peer.say(done(0, raw_bytes));
      static_cast<void>(peer.hear_all(Limit(1'500)));
    });
  if (!target.in_two_steps) return;
  offered.arrive_and_wait();
  std::puts("here");
  std::fflush(stdout);
  static_cast<void>(std::getchar());
  goes_on.count_down();
  senders.clear();
}

/// The largest blocks there are, each of which refers to all that it may.
void take_memory(const Target& target, const Bytes& offers) {
  constexpr std::uint64_t kBlocks = 8;
  std::vector<Bytes> blocks;
  for (std::uint64_t i = 0; i < kBlocks; ++i)
    blocks.push_back(large_block(0, i * kMaxRawBlockBytes, i != 0));
  take_memory(target, blocks, kBlocks * kMaxRawBlockBytes, offers);
}
void memory(const Target& target) { take_memory(target, longest_offers(1)); }
void entries(const Target& target) { take_memory(target, most_entries(1)); }

/// Those that take most to decompress, between some of the others.
void dense(const Target& target) {
  std::vector<Bytes> blocks;
  std::uint64_t offset = 0;
  for (int i = 0; i < 4; ++i) {
    blocks.push_back(dense_block(0, offset));
    offset += kMaxDenseBlockBytes;
    blocks.push_back(large_block(0, offset, false));
    offset += kMaxRawBlockBytes;
  }
  take_memory(target, blocks, offset, longest_offers(1));
}

/// Such a block and no more, again and again: each time once the one before has lost its place.
void leaving(const Target& target) {
  for (int round = 0; round < 8; ++round) {
    const std::string name = "large" + std::to_string(round);
    ScriptedPeer peer = ScriptedPeer::connect(target.port);
    peer.say(joined({Hello{.role = Role::sender}.encode(),
                     offer(0, {file_entry(name, kMaxDenseBlockBytes)}), dense_block(0, 0)}));
    // Time to begin with it; less is no failure.
    static_cast<void>(peer.hear_all(Limit(300)));
    peer.finish();
    static_cast<void>(peer.hear_all(Limit(5'000)));
  }
}

/// Senders that offer as much as is kept of those who wait, and stay until standard input ends.
void waiting(const Target& target) {
  Bytes words = joined({Hello{.role = Role::sender}.encode(), offer(0, full_of_runs())});
  words.resize(std::min<std::size_t>(words.size(), 16 << 10));
  std::vector<ScriptedPeer> peers;
  for (int i = 0; i < target.senders; ++i) {
    peers.push_back(ScriptedPeer::connect(target.port));
    peers.back().say(words);
  }
  std::puts("here");
  std::fflush(stdout);
  static_cast<void>(std::getchar());
}

/// Twelve thousand directories in 700 bytes: names imply them.
void implied(const Target& target) {
  std::vector<Entry> entries;
  for (int i = 0; i < 61; ++i) {
    std::string name = std::to_string(i);
    for (int depth = 0; depth < 199; ++depth) name += "/d";
    entries.push_back(file_entry(name + "/f", 0));
  }
  Offer offer{.batch = 0, .last = true};
  pack_manifest(entries, offer);
  std::printf("%zu bytes of offers\n", offer.stored.size());
  say(target, {encode_frame(offer), done(0, 0)}, Limit(3'000));
}

/// Has a large file compared, does not wait for the answer, and goes: as a program that ends, and
/// then as one whose connection is reset.
void comparing(const Target& target) {
  for (const bool resets : {false, true}) {
    ScriptedPeer peer = ScriptedPeer::connect(target.port);
    Entry entry = file_entry("big", 16 << 20);
    entry.hash.emplace();
    peer.say(joined({Hello{.role = Role::sender}.encode(), offer(0, {entry})}));
    for (std::uint64_t block = 0; block < 4; ++block)
      peer.say(raw_block(0, block << 20, std::string(1 << 20, 'x')));
    std::puts("offered");
    std::fflush(stdout);
    // Time to begin; less is no failure.
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    resets ? peer.vanish() : peer.close();
  }
}

/// As much as offers can hold, as many as are allowed, and one more.
void offers(const Target& target) {
  const std::vector<Entry> entries = full_of_runs();
  for (int round = 0; round < 3; ++round) {
    ScriptedPeer peer = ScriptedPeer::connect(target.port);
    peer.say(Hello{.role = Role::sender}.encode());
    for (std::uint64_t batch = 0; batch <= kMaxBatchesInFlight; ++batch)
      peer.say(offer(batch, entries));
    static_cast<void>(peer.hear_all(Limit(1'000)));
  }
  // Small ones without end.
  ScriptedPeer peer = ScriptedPeer::connect(target.port);
  peer.say(Hello{.role = Role::sender}.encode());
  for (std::uint64_t batch = 0; batch < 20'000; ++batch) {
    if (!peer.say(joined({offer(batch, {directory_entry("d")}), done(batch, 0)}))) break;
    if (batch % 8 == 7) static_cast<void>(peer.hear(1, Limit(100)));
  }
}

/// More connections than are served, which say nothing, or a hello and nothing more; again and
/// again.
void connections(const Target& target) {
  for (int round = 0; round < 4; ++round) {
    std::vector<ScriptedPeer> peers;
    for (int i = 0; i < 80; ++i) {
      peers.push_back(ScriptedPeer::connect(target.port));
      if (i % 2 == 0) peers.back().say(Hello{.role = Role::sender}.encode());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    for (ScriptedPeer& peer : peers) peer.vanish();
  }
}

/// Files of up to 8 EiB that are one hole, or a byte at their end.
void sizes(const Target& target) {
  std::vector<Entry> entries;
  for (const int shift : {40, 50, 62}) {
    const std::uint64_t size = std::uint64_t{1} << shift;
    entries.push_back(file_entry("hole" + std::to_string(shift), size));
    entries.back().data.emplace();
    entries.push_back(file_entry("solid" + std::to_string(shift), size));
    entries.push_back(file_entry("end" + std::to_string(shift), size));
    entries.back().data = {{size - 1, 1}};
  }
  say(target, {offer(0, entries), raw_block(0, 0, "e"), raw_block(0, 1, "e"), done(0, 2)});
}

/// Frames that are none.
void noise(const Target& target) {
  std::minstd_rand random(1);
  for (int round = 0; round < 200; ++round) {
    Bytes bytes(random() % 4'000);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    ScriptedPeer peer = ScriptedPeer::connect(target.port);
    if (round % 2 == 0) peer.say(Hello{.role = Role::sender}.encode());
    peer.say(bytes);
    if (round % 3 == 0) peer.vanish();
  }
}

int attack(int argc, char** argv) {
  static const std::map<std::string, void (*)(const Target&)> kAttacks{
      {"names", names},         {"kinds", kinds},         {"links", links},
      {"sizes", sizes},         {"offers", offers},       {"connections", connections},
      {"noise", noise},         {"inflation", inflation}, {"extents", extents},
      {"comparing", comparing}, {"implied", implied},     {"memory", memory},
      {"waiting", waiting},     {"dense", dense},         {"leaving", leaving},
      {"entries", entries}};
  const auto found = argc >= 4 ? kAttacks.find(argv[2]) : kAttacks.end();
  if (found == kAttacks.end()) {
    std::fputs("usage: hostile_sender PORT ATTACK OUTSIDE\n", stderr);
    return 2;
  }
  found->second({static_cast<std::uint16_t>(std::atoi(argv[1])), argv[3],
                 argc > 4 ? std::atoi(argv[4]) : 1, argc > 5});
  return 0;
}

}  // namespace
}  // namespace adoc::testkit

int main(int argc, char** argv) { return adoc::testkit::attack(argc, argv); }
