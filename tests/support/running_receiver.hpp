#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "adoc/receive.hpp"
#include "support/patience.hpp"
#include "support/scripted_peer.hpp"
#include "support/temporary_directory.hpp"

namespace adoc::testkit {

/// How a transfer ended. Plain values: the thread of the transfer keeps its exception to itself.
struct Ended {
  std::optional<ErrorKind> failure{};
  std::string text{};
  Statistics statistics{};
};

[[nodiscard]] inline Ended judge(const Verdict& verdict) {
  Ended ended{.statistics = verdict.statistics};
  if (!verdict.failure) return ended;
  try {
    std::rethrow_exception(verdict.failure);
  } catch (const Error& error) {
    ended.failure = error.kind();
    ended.text = error.what();
  }
  return ended;
}

/// A receiver that serves one scripted peer after the other, in this process, so that each costs
/// no program start and a sanitizer sees all of it.
class RunningReceiver {
 public:
  /// With these options, which need not say what is the same for all.
  explicit RunningReceiver(ReceiveOptions options = {})
      : receiver_(completed(std::move(options)), &observer_) {
    serving_ = std::jthread([this](const std::stop_token& stop) {
      try {
        receiver_.serve(stop);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::interrupted) ADD_FAILURE() << error.what();
      }
    });
  }

  [[nodiscard]] ScriptedPeer connect() const {
    return ScriptedPeer::connect(receiver_.local_endpoint().port);
  }
  [[nodiscard]] std::uint16_t port() const { return receiver_.local_endpoint().port; }
  /// Where everything arrives, and a directory around it in which nothing may change.
  [[nodiscard]] const Directory& out() const noexcept { return out_; }
  [[nodiscard]] const Directory& around() const noexcept { return root_; }

  /// The verdict of the transfer that ended next. A receiver that gives none hangs: the test fails.
  [[nodiscard]] Ended verdict() {
    std::unique_lock lock(observer_.mutex);
    const bool came =
        observer_.arrived.wait_for(lock, kPatience, [&] { return !observer_.verdicts.empty(); });
    if (!came) throw std::runtime_error("the receiver hangs");
    Ended first = std::move(observer_.verdicts.front());
    observer_.verdicts.pop_front();
    return first;
  }

  /// All of `said` in a connection of its own, and the end of it once the receiver has judged what
  /// came or waits for more; what came of it.
  [[nodiscard]] Ended verdict_on(ByteSpan said) {
    ScriptedPeer peer = connect();
    peer.say(said);
    heard_ = peer.hear_all(std::chrono::milliseconds(300));
    peer.finish();
    const Bytes rest = peer.hear_all();
    heard_.insert(heard_.end(), rest.begin(), rest.end());
    peer.close();
    return verdict();
  }
  /// What the receiver said to the latest verdict_on().
  [[nodiscard]] const Bytes& heard() const noexcept { return heard_; }

 private:
  struct Collector final : ReceiveObserver {
    void on_verdict(const Verdict& verdict) override { note(judge(verdict)); }
    /// Who never said a hello is no transfer; here it counts as one.
    void on_refused(std::string_view, std::string_view why) override {
      note({.failure = ErrorKind::connect, .text = std::string(why)});
    }
    void note(Ended ended) {
      const std::lock_guard lock(mutex);
      verdicts.push_back(std::move(ended));
      arrived.notify_all();
    }
    std::mutex mutex;
    std::condition_variable arrived;
    std::deque<Ended> verdicts;
  };

  [[nodiscard]] ReceiveOptions completed(ReceiveOptions options) const {
    options.out_directory = out_.path();
    options.listen = {"127.0.0.1", 0};
    options.insecure = true;
    return options;
  }

  TemporaryDirectory root_;
  Directory out_{root_ / "out"};
  Collector observer_;
  Receiver receiver_;
  Bytes heard_;
  std::jthread serving_;
};

/// The kind of error that ended a transfer, none when nothing did.
[[nodiscard]] inline std::optional<ErrorKind> failure_kind(const Ended& ended) {
  return ended.failure;
}

/// Its message; empty when there is none.
[[nodiscard]] inline std::string failure_text(const Ended& ended) { return ended.text; }

}  // namespace adoc::testkit
