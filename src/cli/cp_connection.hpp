#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "adoc/key.hpp"
#include "cli/cp_options.hpp"
#include "io/channel_record.hpp"
#include "io/rendezvous.hpp"
#include "io/stream.hpp"
#include "util/fd.hpp"

namespace adoc::cli {

/// How one end of a copy gets its connection to the other.
struct MeetSetup {
  Role role = Role::sender;
  Via via = Via::automatic;
  Rendezvous* rendezvous = nullptr;  ///< null: through the channel
  bool is_little = false;            ///< and that is why
  std::vector<Endpoint> targets{};   ///< where the other end may be
  bool opens_reverse = false;        ///< CpWays::door() has connections that this end opens
  int in = -1;                       ///< of the channel; not owned
  int out = -1;
  std::string peer{};  ///< in messages
  std::stop_token stop{};
  std::chrono::milliseconds timeout{
      0};  ///< for the other end to say through the channel that it is there
};

struct CpConnection {
  std::unique_ptr<Stream> stream;
  Bytes heard{};         ///< from a sender
  bool arrived = false;  ///< the other end has made it
  int socket = -1;       ///< of a connection of its own, the stream's; -1: it is the channel
};

/// The connection of its own where there is one in time, else the channel, of which a record may
/// have begun already. Throws Error(connect) where `via` wants one of its own and there is none.
[[nodiscard]] CpConnection meet(const MeetSetup& setup,
                                const std::optional<ChannelRecord::Header>& begun = {});

/// Of SSH_CONNECTION, which sshd sets: the address that the other end came from; empty where it
/// does not.
[[nodiscard]] std::string ssh_client();

/// Whether this machine has the address, in numbers.
[[nodiscard]] bool is_own_address(const std::string& address);

}  // namespace adoc::cli
