#pragma once

#include <memory>
#include <stop_token>

#include "adoc/lossy.hpp"
#include "adoc/observer.hpp"
#include "adoc/options.hpp"

namespace adoc {

class ConnectionSource;
class Stream;

/// One transfer to a receiver.
///
///     const adoc::Endpoint peer = adoc::parse_endpoint("host:4400");
///     const auto known = adoc::find_peer_key(peer);  // adoc/peer_key.hpp
///     if (!known) throw std::runtime_error("there is no key of " + peer.host);
///     adoc::Sender sender({.paths = {"report.tar"}, .peer = peer, .key = known->key});
///     const adoc::Statistics figures = sender.run();
class Sender {
 public:
  /// Validates the options: throws Error(usage), and Error(refused) for lack of a key. `observer`
  /// may be null, else outlives the sender.
  explicit Sender(SendOptions options, Observer* observer = nullptr);
  /// Over a connection that there is already, to a peer that is known: key, `insecure`, `wait_for`
  /// and `retry_for` mean nothing, and `peer` is its name in messages. How such a connection is
  /// made is not part of this interface; adoc-cp makes one through ssh.
  Sender(SendOptions options, std::unique_ptr<Stream> connection, Observer* observer);
  /// That, where there may be other connections after one that is lost: `retry_for` says for how
  /// long they are tried. `connections` outlives the sender.
  Sender(SendOptions options, ConnectionSource& connections, Observer* observer);
  ~Sender();

  /// Has run() lose of the numbers that all files hold. It is gone before anything else sees them:
  /// what is sent, hashed, compared with what is there and gone on with is what is left. A call of
  /// its own, so that no options that are copied along have it done. Throws Error(usage) for what
  /// why_not() says, and where standard input is among the paths. Before run(); `observer` as that
  /// of the constructor.
  void lose(const Lossy& lossy, LossyObserver* observer = nullptr);

  /// Sends everything and returns once the receiver has answered for every entry; entries that
  /// failed are counted and named in the result. Throws Error when the transfer as a whole cannot
  /// go on; nothing half-written is left under its name then. Call it once. A stop request makes
  /// it throw Error(interrupted) soon.
  Statistics run(std::stop_token stop = {});

  /// From any thread, also while run() is under way.
  [[nodiscard]] Progress progress() const noexcept;

  /// What run() would return so far; for the report of a transfer that failed. Only after run().
  [[nodiscard]] const Statistics& statistics() const noexcept;
  /// What was lost. Only after run().
  [[nodiscard]] const LossyTotals& lossy_totals() const noexcept;

 private:
  struct State;
  void begin(SendOptions options, Observer* observer);

  std::unique_ptr<State> state_;
};

/// $XDG_CACHE_HOME/adoc/links, else ~/.cache/adoc/links; empty without a home.
[[nodiscard]] std::string default_path_metrics_directory();

}  // namespace adoc
