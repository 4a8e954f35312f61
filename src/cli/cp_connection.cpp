#include "cli/cp_connection.hpp"

#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>

#include "adoc/error.hpp"
#include "io/address.hpp"
#include "io/channel_stream.hpp"

namespace adoc::cli {

namespace {

/// How long a sender looks for a better way than the channel, and where there must be one.
constexpr std::chrono::milliseconds kLook{1'000};
constexpr std::chrono::milliseconds kLookOnly{10'000};
/// A receiver waits until the sender has decided.
constexpr std::chrono::milliseconds kDecided{20'000};

std::chrono::milliseconds patience(const MeetSetup& setup) {
  if (setup.role == Role::receiver) return kDecided;
  return setup.via == Via::direct ? kLookOnly : kLook;
}

}  // namespace

CpConnection meet(const MeetSetup& setup, const std::optional<ChannelRecord::Header>& begun) {
  if (setup.rendezvous != nullptr && setup.via != Via::ssh && !begun) {
    auto found = setup.rendezvous->meet({.targets = setup.targets,
                                         .patience = patience(setup),
                                         .slower_way = setup.in,
                                         .stop = setup.stop});
    if (found.stream) {
      spdlog::debug("the data goes over a connection of its own, {}", found.stream->peer());
      const int socket = found.stream->fd();
      return {.stream = std::move(found.stream),
              .heard = std::move(found.heard),
              .arrived = found.arrived,
              .socket = socket};
    }
    if (setup.via == Via::direct)
      throw Error(ErrorKind::connect, "there is no way to " + setup.peer +
                                          " but through ssh (is there a firewall?), and --via "
                                          "direct says not to take that");
  }
  spdlog::debug("the data goes through ssh{}", setup.is_little ? ", as there is little of it" : "");
  Fd in(::dup(setup.in));
  Fd out(::dup(setup.out));
  return {.stream = std::make_unique<ChannelStream>(
              ChannelStream::Setup{.in = std::move(in),
                                   .out = std::move(out),
                                   .peer = setup.peer + " through ssh",
                                   .link_name = "ssh-" + setup.peer,
                                   .begun = begun})};
}

std::string ssh_client() {
  const char* const connection = std::getenv("SSH_CONNECTION");
  const std::string words = connection == nullptr ? "" : connection;
  return words.substr(0, words.find(' '));
}

bool is_own_address(const std::string& address) {
  if (address.empty()) return false;
  const auto addresses = numeric_addresses({.host = address, .port = 0});
  return std::ranges::any_of(addresses, [](const Address& each) {
    const Fd socket(::socket(each.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
    return socket && ::bind(socket.get(), each.get(), each.length) == 0;
  });
}

}  // namespace adoc::cli
