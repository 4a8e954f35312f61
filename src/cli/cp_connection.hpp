#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "adoc/key.hpp"
#include "cli/cp_options.hpp"
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
  int in = -1;                       ///< of the channel; not owned
  int out = -1;
  std::string peer{};  ///< in messages
  std::stop_token stop{};
};

struct CpConnection {
  std::unique_ptr<Stream> stream;
  Bytes heard{};  ///< from a sender
  bool is_direct = false;
};

/// The connection of its own where there is one in time, else the channel. Throws Error(connect)
/// where `via` wants one of its own and there is none.
[[nodiscard]] CpConnection meet(const MeetSetup& setup);

/// Of SSH_CONNECTION, which sshd sets: the addresses of both ends; empty where it does not.
struct SshAddresses {
  std::string client{};
  std::string server{};
};
[[nodiscard]] SshAddresses ssh_addresses();

}  // namespace adoc::cli
