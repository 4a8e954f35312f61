#pragma once

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <utility>

#include "io/channel_stream.hpp"
#include "util/bytes.hpp"

namespace adoc::testkit {

/// The two ends that each side of a connection has: what it reads and what it writes.
struct FilePair {
  Fd in;
  Fd out;
};

enum class Through { pipes, socket };

inline std::pair<FilePair, FilePair> connected_files(Through through) {
  int there[2] = {-1, -1};
  int back[2] = {-1, -1};
  if (through == Through::socket) {
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, there) != 0)
      throw std::runtime_error("no socketpair");
    return {FilePair{Fd{::dup(there[0])}, Fd{there[0]}},
            FilePair{Fd{::dup(there[1])}, Fd{there[1]}}};
  }
  if (::pipe2(there, O_CLOEXEC) != 0 || ::pipe2(back, O_CLOEXEC) != 0)
    throw std::runtime_error("no pipe");
  return {FilePair{Fd{back[0]}, Fd{there[1]}}, FilePair{Fd{there[0]}, Fd{back[1]}}};
}

inline std::unique_ptr<ChannelStream> channel(FilePair files, std::string peer) {
  return std::make_unique<ChannelStream>(ChannelStream::Setup{.in = std::move(files.in),
                                                              .out = std::move(files.out),
                                                              .peer = std::move(peer),
                                                              .link_name = "here-there"});
}

}  // namespace adoc::testkit
