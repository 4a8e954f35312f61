#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "cli/cp_connection.hpp"
#include "io/record_pipe.hpp"
#include "io/reverse_connections.hpp"
#include "transfer/connection_source.hpp"
#include "transfer/stream_receiver.hpp"
#include "util/guarded.hpp"

namespace adoc::cli {

/// The connections of one end of a copy, one after the other: after one of its own that was lost
/// another one or, where that does not come back, the channel, as long as that is there.
///
/// Both ends must know that it is lost. Whoever finds it out says so through the channel, which is
/// silent until then, by a record without data; the other end then gives up what is left of the
/// connection and says the same. So one such record goes each way before they look for each other
/// anew, and a channel that is used afterwards begins behind it.
class CpWays final : public ConnectionSource {
 public:
  /// What the setup refers to outlives this.
  explicit CpWays(MeetSetup setup);
  ~CpWays() override;

  /// The first one. Throws as meet().
  void find() { find(setup_, {}); }
  /// From now on the other end is listened to while a connection of its own is used; `hung_up` is
  /// called when the channel is lost meanwhile. Begins a thread.
  void watch(std::function<void()> hung_up);
  /// The targets lead nowhere from now on: who is confined can only be connected to. Further
  /// connections of a sender then are those that the receiver opens (ReverseConnections), which
  /// only one that is not confined does.
  void confined(bool receiver_opens) {
    setup_.targets.clear();
    is_confined_ = true;
    receiver_opens_ = receiver_opens;
  }

  /// What find() or again() has found.
  [[nodiscard]] CpConnection take();
  /// The next one, once the one before is gone. `attempt` as ConnectionSource::next(). Throws
  /// Error(connect) where there is none, Error(interrupted).
  void again(unsigned attempt, const std::stop_token& stop);

  // As ConnectionSource says.
  [[nodiscard]] bool has_more() const override { return socket_ >= 0; }
  void tell_lost(const std::stop_token& stop) override;
  [[nodiscard]] std::unique_ptr<Stream> next(unsigned attempt,
                                             const std::stop_token& stop) override;
  [[nodiscard]] bool has_others() const override {
    if (!is_confined_) return !receivers_.empty();
    return receiver_opens_ && *accepting_.lock() != nullptr;
  }
  [[nodiscard]] std::unique_ptr<SocketStream> another(const std::stop_token& stop) override;

  /// Where others of the sender's come beside the latest one, if that is one of its own.
  [[nodiscard]] std::optional<StreamReceiver::Door> door() const;

 private:
  class Watch;
  void find(const MeetSetup& setup, const std::optional<ChannelRecord::Header>& begun);
  [[nodiscard]] RecordPipe channel(const std::stop_token& stop) const;
  [[nodiscard]] std::optional<ChannelRecord::Header> agree_that_it_is_lost(
      const std::stop_token& stop);
  void watch_channel();
  [[nodiscard]] std::unique_ptr<TcpStream> accept_another(const std::stop_token& stop);

  MeetSetup setup_;
  std::optional<CpConnection> connection_;
  int socket_ = -1;                    ///< of the latest connection, if it is one of its own
  bool has_told_lost_ = false;         ///< of that one
  std::vector<Endpoint> receivers_{};  ///< where the other end, which receives, may be
  bool is_confined_ = false;
  bool receiver_opens_ = false;
  std::unique_ptr<ReverseConnections> reverse_;
  Guarded<TcpListener*> accepting_{nullptr};  ///< null: nobody connects to this end
  bool is_watched_ = false;
  std::function<void()> hung_up_;
  std::unique_ptr<Watch> watch_;
};

}  // namespace adoc::cli
