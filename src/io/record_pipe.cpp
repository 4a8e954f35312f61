#include "io/record_pipe.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "adoc/error.hpp"
#include "util/errno_error.hpp"
#include "util/wakeup.hpp"
#include "wire/broken_protocol.hpp"

namespace adoc {

namespace {

constexpr std::size_t kMostOfAShell = 1 << 20;
constexpr std::size_t kShownOfAShell = 400;

}  // namespace

void RecordPipe::write(ByteSpan bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(setup_.out, bytes.data(), bytes.size());
    if (written > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd polled{setup_.out, POLLOUT, 0};
      ::poll(&polled, 1, -1);
    } else if (errno != EINTR) {
      throw Error(ErrorKind::connect, "the connection to " + setup_.peer + " is lost");
    }
  }
}

void RecordPipe::read_exactly(std::span<std::byte> into) {
  Wakeup stopped;
  const std::stop_callback on_stop(setup_.stop, [&] { stopped.set(); });
  while (!into.empty()) {
    if (stopped.wait_for(setup_.in, POLLIN) == Wakeup::Result::woken)
      throw Error(ErrorKind::interrupted, "interrupted");
    const ssize_t got = ::read(setup_.in, into.data(), into.size());
    if (got > 0) {
      into = into.subspan(static_cast<std::size_t>(got));
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
      throw Error(ErrorKind::connect, "the connection to " + setup_.peer + " is lost");
    }
  }
}

std::string RecordPipe::expect_magic() {
  std::string before;
  Bytes latest;
  while (true) {
    std::byte next{};
    read_exactly({&next, 1});
    latest.push_back(next);
    if (latest.size() > kFarMagic.size()) {
      if (before.size() == kMostOfAShell)
        throw Error(ErrorKind::connect, setup_.peer + " does not speak AdOC: it began with '" +
                                            before.substr(0, kShownOfAShell) + "'");
      before += static_cast<char>(latest.front());
      latest.erase(latest.begin());
    }
    const auto magic = std::as_bytes(std::span(kFarMagic));
    if (std::ranges::equal(latest, magic)) return before.substr(0, kShownOfAShell);
  }
}

ByteSpan RecordPipe::read(FrameType type) {
  frame_.resize(kFrameHeaderBytes);
  read_exactly(frame_);
  const FrameHeader header = FrameHeader::decode(frame_);
  if (header.type != type)
    broken_protocol(std::string("instead of a ") + frame_name(type) + " came a " +
                    frame_name(header.type));
  frame_.resize(header.payload_bytes);
  read_exactly(frame_);
  return open_record(type, frame_);
}

}  // namespace adoc
