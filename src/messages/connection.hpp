#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "messages/descriptor.hpp"
#include "messages/incoming.hpp"
#include "messages/outgoing.hpp"
#include "util/fd.hpp"

namespace adoc::messages {

/// What is known of one descriptor, or of all that are duplicates of each other. A direction has a
/// lock that is held while it is read or written, system calls included, as the system itself lets
/// one write after the other into a stream.
struct Connection {
  Connection(Identity the_identity, Channel the_channel) noexcept
      : identity(the_identity), channel(the_channel), out(the_channel) {}

  const Identity identity;
  const Channel channel;
  std::mutex writing;
  Outgoing out;                ///< whoever holds `writing`
  bool in_background = false;  ///< the same: Background sends what it keeps
  bool out_moved = false;      ///< the same: to what a number stood for instead
  std::mutex reading;
  Incoming in;            ///< whoever holds `reading`
  bool in_moved = false;  ///< the same

  /// What a descriptor that takes the number's place must not get; as whoever held the lock last
  /// has left it.
  std::atomic<bool> out_carries = false;
  std::atomic<bool> in_carries = false;
};

/// The connection that a number stands for now, made when it is first seen. Fails with the errno of
/// what is no stream. Throws std::bad_alloc. Any thread.
[[nodiscard]] Count connection_of(int fd, std::shared_ptr<Connection>& connection);

/// The same without asking the system, if the number was seen before and nothing depends on whether
/// it is still the same: none otherwise.
[[nodiscard]] std::shared_ptr<Connection> likely_connection_of(int fd);

/// The other connection that the number has turned out to stand for, if it has: what was begun with
/// the likely one, and another call is to go on with, is to be moved there. None without memory.
[[nodiscard]] std::shared_ptr<Connection> other_connection_of(int fd,
                                                              const Connection& likely) noexcept;

/// Forgets what the number stood for.
void forget(int fd) noexcept;

/// Sends what the connection keeps, in one thread for all of them, which is there as long as there
/// is something to send. The caller holds `writing`. When no thread or descriptor is to be had, it
/// is left to the next call.
void send_in_background(int fd, const std::shared_ptr<Connection>& connection) noexcept;

}  // namespace adoc::messages
