// The sender's side of a connection against a receiver that does anything: it answers offers with
// wants of any kind, commits what was done, and says other things in between. What fails is the
// peer's fault, and a session that ends well was told so of every batch.

#include <algorithm>
#include <fstream>

#include "adoc/observer.hpp"
#include "adoc/options.hpp"
#include "codec/manifest.hpp"
#include "fuzz/session_fuzzing.hpp"
#include "source/walker.hpp"
#include "transfer/send_session.hpp"
#include "wire/arrived.hpp"
#include "wire/hello.hpp"
#include "wire/outcome.hpp"
#include "wire/place.hpp"
#include "wire/status.hpp"
#include "wire/want.hpp"

namespace {

using namespace adoc;
using namespace adoc::fuzz;

/// That what is sent makes.
constexpr std::uint64_t kBatches = 2;

/// The receiver that the input makes up.
class Receiver {
 public:
  explicit Receiver(Input input) : input_(input) {}

  std::optional<Bytes> next(ScriptedStream& stream) {
    if (!greeted_) {
      greeted_ = true;
      Hello hello{.role = Role::receiver};
      hello.features = input_.u16();
      return hello.encode();
    }
    if (input_.empty()) return std::nullopt;
    switch (input_.u8() % 15) {
      case 0:
      case 1:
      case 2:
        return want(stream);
      case 3:
      case 4:
      case 5:
        return commit(stream);
      case 6:
        return encode_frame(End{input_.rarely(8) ? input_.u8() : commits_});
      case 7:
        return encode_frame(Status{.interval_us = input_.u16(),
                                   .stalled_us = input_.u16(),
                                   .decompressed_bytes = input_.u16(),
                                   .decompressing_us = input_.u16(),
                                   .written_bytes = input_.u16(),
                                   .writing_us = input_.u16()});
      case 8:
        return any_frame(input_);
      case 9:
        return input_.take(input_.u8() % 32U);
      case 11:
        return encode_frame(QueuePlace{input_.u8(), input_.u16()});
      case 12:
        return encode_frame(Arrived{input_.rarely(8) ? input_.u16() * 100'000U : input_.u16()});
      case 14:
        return encode_frame(
            Failed{input_.rarely(8) ? input_.u8() : commits_, input_.u8() % kMaxBatchEntries});
      case 10:
        return encode_frame(ErrorFrame{static_cast<std::uint8_t>(input_.u8() % 8), "gives up"});
      default:
        return testkit::joined({want(stream), commit(stream)});
    }
  }

 private:
  Bytes want(ScriptedStream& stream) {
    const auto record = wants_ < kBatches ? stream.heard(FrameType::offer, wants_) : std::nullopt;
    if (!record && !input_.rarely(8)) return {};
    std::size_t entries = input_.u8();
    if (record) entries = unpack_manifest(Offer::decode(*record)).size();
    sizes_.push_back(entries);
    Want want{.batch = wants_++};
    for (; want.items.size() < entries;) want.items.push_back(item());
    if (input_.rarely(32)) want.items.push_back(item());
    return encode_frame(want);
  }

  WantItem item() {
    const std::uint8_t dice = input_.u8();
    WantItem item{.verb = dice % 4 == 0 ? static_cast<Verb>(dice / 4 % 4) : Verb::take};
    if (item.verb == Verb::refuse) item.reason = "no";
    if (item.verb != Verb::take || dice % 8 == 1) return item;
    if (dice % 8 < 4) {
      item.ranges = {{0, kUnknownSize}};
      return item;
    }
    std::uint64_t offset = 0;
    for (unsigned count = 1 + input_.u8() % 4U; count > 0; --count) {
      offset += input_.u16();
      const std::uint64_t length = 1 + std::uint64_t{input_.u16()};
      item.ranges.push_back({offset, length});
      offset += length;
    }
    return item;
  }

  Bytes commit(ScriptedStream& stream) {
    const bool expected = commits_ < std::min<std::uint64_t>(wants_, kBatches);
    if (!(expected && stream.heard(FrameType::done, commits_)) && !input_.rarely(8)) return {};
    Commit commit{.batch = commits_};
    const std::size_t entries = commits_ < sizes_.size() ? sizes_[commits_] : input_.u8();
    ++commits_;
    for (std::size_t i = 0; i < entries; ++i) {
      const auto fate = static_cast<Fate>(input_.rarely(4) ? input_.u8() % 7 : 0);
      const bool has_reason = fate == Fate::failed || fate == Fate::incomplete;
      commit.items.push_back({fate, has_reason ? "full" : ""});
    }
    return encode_frame(commit);
  }

  Input input_;
  bool greeted_ = false;
  std::uint64_t wants_ = 0;
  std::uint64_t commits_ = 0;
  std::vector<std::size_t> sizes_;  ///< entries of each batch that was answered
};

/// What is sent each time; larger than the FIFO, in more than one batch.
const std::string& source() {
  static const Scratch scratch;
  static const std::string path = [] {
    const std::string tree = scratch / "tree";
    std::filesystem::create_directories(tree + "/d/empty");
    for (int i = 0; i < 260; ++i) std::ofstream(tree + "/d/" + std::to_string(i)) << i;
    std::ofstream(tree + "/large") << std::string(70'000, 'l');
    std::ofstream(tree + "/none");
    std::filesystem::create_symlink("nowhere", tree + "/link");
    std::filesystem::resize_file(tree + "/d/1", 50'000);
    std::filesystem::create_hard_link(tree + "/large", tree + "/d/other");
    return tree;
  }();
  return path;
}

void send(ByteSpan bytes) {
  SendOptions options{.paths = {source()}, .peer = {"127.0.0.1", 1}};
  options.pipeline.block_bytes = 4'096;
  options.pipeline.fifo_packets = 16;
  options.pipeline.threads = 2;
  options.pipeline.max_level = 4;
  if (bytes.size() % 2 != 0)
    options.keep = {
        .owner = true, .group = true, .hard_links = true, .attributes = true, .access_lists = true};
  Receiver receiver{Input(bytes)};
  ScriptedStream stream([&](ScriptedStream& asking) { return receiver.next(asking); });
  Walker walker({.paths = options.paths,
                 .stdin_name = {},
                 .filter = Filter(std::vector<FilterRule>()),
                 .keep = options.keep});
  Statistics statistics;
  PipelineCounters counters;
  TransferTotals totals;
  LossyTotals lossy;
  std::deque<OutgoingBatchPtr> unsettled;
  try {
    SendSession({.options = options,
                 .walker = walker,
                 .stream = stream,
                 .observer = nullptr,
                 .lossy_observer = nullptr,
                 .lossy = lossy,
                 .statistics = statistics,
                 .counters = counters,
                 .totals = totals,
                 .unsettled = unsettled})
        .run({});
    // The tree's entries: 260 small files, four more, three directories.
    require(statistics.files + statistics.directories + statistics.links == 267);
    require(stream.count(FrameType::end) == 1);
  } catch (const Error& error) {
    // Also what the peer says of itself, which it may make up.
    require(error.kind() != ErrorKind::internal && error.kind() != ErrorKind::usage);
  }
  require(statistics.committed + statistics.skipped + statistics.failed ==
          statistics.files + statistics.directories + statistics.links);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  send(std::as_bytes(std::span(data, size)));
  return 0;
}
