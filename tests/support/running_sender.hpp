#pragma once

#include <algorithm>
#include <cstdlib>
#include <future>
#include <optional>
#include <string>

#include "adoc/send.hpp"
#include "support/patience.hpp"
#include "support/scripted_peer.hpp"
#include "support/temporary_directory.hpp"
#include "wire/frame.hpp"

namespace adoc::testkit {

/// A sender in this process that sends one file to a scripted receiver. Make a new one for
/// each transfer.
class RunningSender {
 public:
  /// How the transfer ended: the kind of error and its message, or the figures.
  struct Result {
    std::optional<ErrorKind> kind{};
    std::string message{};
    Statistics statistics{};
  };

  RunningSender(ScriptedListener& listener, const std::string& path, PipelineOptions pipeline = {},
                std::optional<Shard> shard = {}) {
    result_ = std::async(std::launch::async, [path, pipeline, shard, port = listener.port()] {
      SendOptions options;
      options.shard = shard;
      options.pipeline = pipeline;
      options.paths = {path};
      options.retry_for = {};  // a script plays one connection
      options.peer = {"127.0.0.1", port};
      options.insecure = true;
      Sender sender(std::move(options));
      try {
        return Result{.statistics = sender.run()};
      } catch (const Error& error) {
        return Result{error.kind(), error.what(), sender.statistics()};
      }
    });
  }

  /// A sender that comes to no end hangs: the test fails.
  [[nodiscard]] Result result(std::chrono::seconds limit = kPatience) {
    if (result_.wait_for(limit) != std::future_status::ready) {
      ADD_FAILURE() << "the sender hangs";
      std::abort();  // its thread cannot be ended otherwise
    }
    return result_.get();
  }

 private:
  std::future<Result> result_;
};

/// Hears a sender up to and with its first offer, whatever else it says before.
inline void hear_offer(ScriptedPeer& peer,
                       ScriptedPeer::Limit quiet = ScriptedPeer::Limit(20'000)) {
  static_cast<void>(peer.hear(kHelloBytes, quiet));
  while (true) {
    const Bytes start = peer.hear(kFrameHeaderBytes, quiet);
    if (start.size() != kFrameHeaderBytes) return;
    const FrameHeader header = FrameHeader::decode(start);
    static_cast<void>(peer.hear(header.payload_bytes, quiet));
    if (header.type == FrameType::offer) return;
  }
}

/// Plays a recorded receiver: hello, then once the offer is here what answers it (`answer_bytes`
/// with the hello), and the rest when the sender has said its last word, or nothing for a while.
/// Ends with its own end of the connection still open.
inline void play_receiver(ScriptedPeer& peer, ByteSpan said, std::size_t answer_bytes,
                          ScriptedPeer::Limit quiet = ScriptedPeer::Limit(20'000)) {
  const auto part = [&](std::size_t from, std::size_t to) {
    from = std::min(from, said.size());
    peer.say(said.subspan(from, std::min(to, said.size()) - from));
  };
  part(0, kHelloBytes);
  if (said.size() <= kHelloBytes) return;
  hear_offer(peer, quiet);
  part(kHelloBytes, answer_bytes);
  if (said.size() <= answer_bytes) return;
  static_cast<void>(peer.hear_all(quiet));
  part(answer_bytes, said.size());
}

}  // namespace adoc::testkit
