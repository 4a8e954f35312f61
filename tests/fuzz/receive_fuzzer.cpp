// The receiver's side of a connection against a sender, or a file, that does anything. The input is
// a list of things to say: most are frames that fit what was said and heard before, so that the
// session gets deep; a few are not. Nothing may be written outside of the destination, nothing
// temporary may be left, and what fails is the peer's fault.

#include <unistd.h>

#include "adoc/observer.hpp"
#include "codec/codec.hpp"
#include "destination/output_tree.hpp"
#include "fuzz/session_fuzzing.hpp"
#include "pipeline/threads.hpp"
#include "transfer/receive_session.hpp"
#include "wire/block.hpp"
#include "wire/hello.hpp"
#include "wire/outcome.hpp"
#include "wire/recording.hpp"
#include "wire/stream_layout.hpp"
#include "wire/want.hpp"

namespace {

using namespace adoc;
using namespace adoc::fuzz;

constexpr std::array kNames{
    "a",    "b",      "c",     "d",       "d/a",    "d/b", "d/e/f",        "a/x",
    "link", "link/x", ".adoc", ".adoc/x", "d/link", "z z", ".adoc-x.part", "d/e/link/../x"};

/// The sender that the input makes up.
class Sender {
 public:
  explicit Sender(Input input) : input_(input), features_(input_.u16()) {}

  /// Whether it does not listen, as a file that a transfer was written to. An unknown feature.
  [[nodiscard]] bool recorded() const { return (features_ & ~kAllFeatures) != 0; }

  std::optional<Bytes> next(ScriptedStream& stream) {
    if (!greeted_) {
      greeted_ = true;
      Hello hello{.role = Role::sender};
      hello.features = features_;
      return hello.encode();
    }
    if (input_.empty()) return std::nullopt;
    switch (input_.u8() % 16) {
      case 0:
      case 1:
      case 2:
        return offer();
      case 3:
      case 4:
      case 5:
        return block(stream, 1 + input_.u16() % 3'000U);
      case 6:
        return block(stream, kUnknownSize);
      case 7:
      case 8:
      case 9:
        return finish(stream);
      case 10:
        return skip(stream);
      case 11:
        return encode_frame(End{input_.rarely(4) ? input_.u8() : done_});
      case 12:
        return any_frame(input_);
      case 13:
        return input_.take(input_.u8() % 32U);
      case 14:
        return encode_frame(ErrorFrame{static_cast<std::uint8_t>(input_.u8() % 8), "gives up"});
      default:
        return testkit::joined({offer(), finish(stream)});
    }
  }

 private:
  /// The batch whose stream is sent.
  struct Current {
    std::uint64_t size = 0;
    bool open_end = false;
    std::size_t entries = 0;
    std::uint64_t position = 0;
  };

  Bytes offer() {
    std::vector<Entry> entries;
    for (unsigned count = input_.u8() % 5U; count > 0; --count) entries.push_back(entry());
    const std::uint8_t flags = input_.u8();
    Offer offer = testkit::raw_offer(input_.rarely(32) ? input_.u8() : offers_.size(), entries,
                                     flags % 4 == 0);
    offer.dry_run = flags % 16 == 7;
    offer.keep_existing = flags % 16 == 9;
    offers_.push_back(std::move(entries));
    return encode_frame(offer);
  }

  Entry entry() {
    Entry entry = plain_entry();
    if (input_.rarely(3)) add_metadata(entry);
    return entry;
  }

  /// Of the user who runs this: others would keep the next run from beginning anew.
  void add_metadata(Entry& entry) {
    const std::uint8_t fields = input_.u8();
    Metadata metadata;
    if ((fields & 1) != 0) metadata.user = Owner{::geteuid(), input_.rarely(2) ? "root" : ""};
    if ((fields & 2) != 0) metadata.group = Owner{::getegid(), input_.rarely(2) ? "x" : ""};
    if (entry.kind == EntryKind::file && (fields & 4) != 0)
      metadata.first = SafeName::check(kNames[input_.u8() % 10]);
    metadata.has_other_names =
        entry.kind == EntryKind::file && !metadata.first && (fields & 8) != 0;
    if (entry.kind != EntryKind::symlink && (fields & 16) != 0) {
      metadata.attributes.emplace();
      if (input_.rarely(2)) metadata.attributes->add("security.y", input_.take(input_.u8() % 9U));
      metadata.attributes->add("user.x", input_.take(input_.u8() % 32U));
    }
    if (entry.kind != EntryKind::symlink && (fields & 32) != 0)
      metadata.access = AccessList({{.kind = AccessRule::Kind::owner, .permissions = 7},
                                    {.kind = static_cast<AccessRule::Kind>(1U << input_.u8() % 6U),
                                     .permissions = 4,
                                     .id = input_.u8()}});
    if (entry.kind == EntryKind::directory && (fields & 64) != 0)
      metadata.default_access = AccessList();
    if (!metadata.empty()) entry.metadata = std::move(metadata);
  }

  Entry plain_entry() {
    const std::uint8_t kind = input_.u8();
    std::string name = kNames[input_.u8() % (kNames.size() - 1)];
    const std::uint64_t size =
        input_.rarely(16) ? std::uint64_t{1} << (input_.u8() % 63) : input_.u16() % 9'000U;
    if (kind % 8 == 0) return testkit::directory_entry(std::move(name));
    if (kind % 8 == 1) {
      constexpr std::array targets{"..", "/", ".", "d", "a", "../canary", "link", "nowhere"};
      return testkit::symlink_entry(std::move(name), targets[input_.u8() % targets.size()]);
    }
    Entry file = testkit::file_entry(std::move(name), size);
    file.mode = input_.u16() & 07777;
    if (kind % 8 == 2) file.size = kUnknownSize;
    if (kind % 8 == 3 && size > 100)
      file.data = {{.offset = input_.u8() % 50U, .length = 1 + input_.u8() % 50U}};
    if (kind % 8 == 4) file.hash = ContentHash{};
    return file;
  }

  /// Opens the next batch that was offered and answered, if none is open.
  bool open(ScriptedStream& stream) {
    if (current_) return true;
    if (done_ >= offers_.size()) return false;
    Want want;
    if (recorded()) {
      want.items = want_everything(offers_[done_]);
    } else {
      const auto record = stream.heard(FrameType::want, done_);
      if (!record) return false;
      want = Want::decode(*record);
      require(want.items.size() == offers_[done_].size());
    }
    const StreamSize size = stream_size({offers_[done_], want.items});
    current_ = {.size = size.bytes, .open_end = !size.known, .entries = want.items.size()};
    return true;
  }

  Bytes block(ScriptedStream& stream, std::uint64_t most) {
    if (!open(stream) && !input_.rarely(8)) return {};
    Current other{.size = 10};
    Current& current = current_ ? *current_ : other;
    std::uint64_t length = std::min<std::uint64_t>(most, 40'000);
    if (!current.open_end) length = std::min(length, current.size - current.position);
    if (length == 0) return {};
    const Bytes raw(static_cast<std::size_t>(length), std::byte{input_.u8()});
    BlockHeader header{.batch = done_,
                       .offset = current.position + (input_.rarely(64) ? 1 : 0),
                       .raw_bytes = raw.size(),
                       .codec = static_cast<std::uint8_t>(input_.u8() % 4),
                       .level = input_.u8(),
                       .checksum = xxh3_64(raw) + (input_.rarely(64) ? 1U : 0U)};
    Bytes stored(raw.size() * 2 + 200);
    const auto compressor = make_compressor(static_cast<CodecId>(header.codec));
    compressor->begin(raw, 1);
    stored.resize(compressor->next_packet(stored));
    const bool linked = input_.rarely(4);
    const bool matched = !linked && input_.rarely(4);
    const bool filtered = !linked && !matched && input_.rarely(4);
    const bool predicted = !linked && !matched && !filtered && input_.rarely(4);
    const bool cut = input_.rarely(8);
    if (cut) ++header.raw_bytes;
    current.position += length;
    return testkit::joined(
        {linked      ? encode_frame(LinkedBlockHeader{header, input_.rarely(16) ? input_.u8() : 0U})
         : matched   ? encode_frame(matched_header(header))
         : filtered  ? encode_frame(filtered_header(header))
         : predicted ? encode_frame(predicted_header(header))
                     : encode_frame(header),
         input_.rarely(16) ? offer() : Bytes{}, testkit::packet_frame(stored),
         cut ? encode_frame(Cut{stored.size(), raw.size(), xxh3_64(raw)})
             : encode_frame(BlockEnd{stored.size()})});
  }

  /// Its bytes are all the same, so that any part of an equal block may be copied. Where the
  /// literals that come are as many as the block has bytes, it is refused.
  MatchedBlockHeader matched_header(const BlockHeader& header) {
    MatchedBlockHeader matched{.block = header};
    if (input_.rarely(2)) return matched;
    const std::size_t literals = input_.u16() % 64;
    const std::size_t length = kMinMatchBytes + input_.u8();
    matched.matches.push_back(
        {.literals = literals, .length = length, .distance = length + input_.u16()});
    matched.block.raw_bytes += length;
    matched.block.checksum = xxh3_64(Bytes(matched.block.raw_bytes, std::byte{input_.u8()}));
    return matched;
  }

  /// Any filter but delta leaves bytes that are all the same as they are.
  FilteredBlockHeader filtered_header(const BlockHeader& header) {
    return {.block = header,
            .filter = static_cast<std::uint8_t>(input_.rarely(16)  ? input_.u8()
                                                : input_.rarely(2) ? 1
                                                                   : 3),
            .item_bytes = static_cast<std::uint8_t>(2 << input_.u8() % 3),
            .phase = static_cast<std::uint8_t>(input_.rarely(4) ? input_.u8() % 8 : 0)};
  }

  /// Codes that are all the same, of which some stay what they are, as bytes that no window has.
  PredictedBlockHeader predicted_header(const BlockHeader& header) {
    PredictedBlockHeader predicted{.block = header,
                                   .type = static_cast<ItemType>(11 + input_.u8() % 4),
                                   .literals = input_.rarely(4) ? input_.u8() : 0U};
    do {
      predicted.windows.push_back(
          {.skipped = input_.rarely(2) ? input_.u8() : 0U,
           .numbers = input_.u8(),
           .predictor =
               static_cast<std::uint8_t>(input_.rarely(16) ? input_.u8() : input_.u8() % 4),
           .exponent = static_cast<std::int16_t>(input_.u16() % 2'048 - 1'000),
           .step = input_.u16()});
    } while (input_.rarely(2));
    return predicted;
  }

  Bytes skip(ScriptedStream& stream) {
    if (!open(stream) || current_->position >= current_->size) return {};
    const std::uint64_t length =
        std::min<std::uint64_t>(1 + input_.u16(), current_->size - current_->position);
    current_->position += length;
    return encode_frame(Skip{done_, current_->position - length, length});
  }

  /// What is left of the batch, if it is not too much, and its done.
  Bytes finish(ScriptedStream& stream) {
    Bytes rest = open(stream) ? block(stream, kUnknownSize) : Bytes{};
    if (!current_) return {};
    Done done{.batch = done_, .stream_bytes = current_->position + (input_.rarely(64) ? 1 : 0)};
    if (current_->entries != 0 && input_.rarely(8))
      done.failures = {{.entry = input_.u8() % (current_->entries + 1), .reason = "changed"}};
    if (current_->entries != 0 && input_.rarely(8))
      done.hashes = {{.entry = input_.u8() % (current_->entries + 1), .hash = {}}};
    current_.reset();
    ++done_;
    return testkit::joined({std::move(rest), encode_frame(done)});
  }

  Input input_;
  std::uint64_t features_;
  bool greeted_ = false;
  std::vector<std::vector<Entry>> offers_;
  std::optional<Current> current_;
  std::uint64_t done_ = 0;
};

void receive(ByteSpan bytes) {
  static const Scratch scratch;
  const std::string out = scratch / "out";
  std::filesystem::remove_all(out);
  std::filesystem::create_directories(scratch / "canary");
  const DirectoryPtr destination = open_destination(out);

  Sender sender{Input(bytes)};
  ScriptedStream stream([&](ScriptedStream& asking) { return sender.next(asking); });
  Statistics statistics;
  PipelineCounters counters;
  TransferTotals totals;
  LossyTotals lossy;
  const ReceiveOptions options;
  DiskRoom room(destination, std::nullopt);
  static const OwnerIds ids = OwnerIds::read();
  Intake intake(options, room, &ids);
  const auto memory = std::make_shared<MemoryShares>(decompression_shares(options));
  bool good = true;
  try {
    ReceiveSession({.stream = stream,
                    .destination = destination,
                    .out_directory = out,
                    .fifo_packets = 4,
                    .threads = 2,
                    .memory = *memory,
                    .timeout = std::chrono::milliseconds(0),
                    .hello = receiver_hello(options),
                    .resume = true,
                    .metadata = true,
                    .intake = intake,
                    .observer = nullptr,
                    .lossy_observer = nullptr,
                    .lossy = lossy,
                    .statistics = statistics,
                    .counters = counters,
                    .totals = totals,
                    .recorded = sender.recorded()})
        .run({});
  } catch (const Error& error) {
    good = false;
    // Also what the peer says of itself, which it may make up.
    require(error.kind() != ErrorKind::internal && error.kind() != ErrorKind::usage);
  }
  require(!good || stream.count(FrameType::end) == 1);
  require(statistics.committed + statistics.skipped + statistics.failed ==
          statistics.files + statistics.directories + statistics.links);
  for (const auto& item : std::filesystem::directory_iterator(scratch / "."))
    require(item.path().filename() == "out" || item.path().filename() == "canary");
  require(std::filesystem::is_empty(scratch / "canary"));
  for (const auto& item : std::filesystem::recursive_directory_iterator(out)) {
    const std::string leaf = item.path().filename();
    // What a later transfer would go on with.
    if (item.path().parent_path() == out + "/.adoc") {
      require(leaf.ends_with(".partial") || leaf.ends_with(".journal"));
      continue;
    }
    require(!leaf.starts_with(".adoc-") || leaf == kNames[14]);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  receive(std::as_bytes(std::span(data, size)));
  return 0;
}
