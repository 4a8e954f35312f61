#include "io/record_pipe.hpp"

#include <limits.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "adoc/error.hpp"
#include "io/quiet_write.hpp"
#include "util/wakeup.hpp"
#include "wire/broken_protocol.hpp"

namespace adoc {

namespace {

constexpr std::size_t kMostOfAShell = 1 << 20;
constexpr std::size_t kShownOfAShell = 400;

}  // namespace

void RecordPipe::wait_for(int fd, short events) const {
  Wakeup stopped;
  const std::stop_callback on_stop(setup_.stop, [&] { stopped.set(); });
  if (stopped.wait_for(fd, events) == Wakeup::Result::woken)
    throw Error(ErrorKind::interrupted, "interrupted");
}

void RecordPipe::lost() const {
  throw Error(ErrorKind::connect, "the connection to " + setup_.peer + " is lost");
}

void RecordPipe::write(ByteSpan bytes) {
  while (!bytes.empty()) {
    wait_for(setup_.out, POLLOUT);
    // So much a pipe takes without blocking once it takes anything.
    const ByteSpan piece = bytes.first(std::min<std::size_t>(bytes.size(), PIPE_BUF));
    // writev() does not write to what it is given, its types only cannot say so.
    const iovec part{const_cast<std::byte*>(piece.data()), piece.size()};
    const ssize_t written = QuietWrite(setup_.out)({&part, 1});
    if (written < 0 && errno != EINTR && errno != EAGAIN) lost();
    if (written > 0) bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void RecordPipe::read_exactly(std::span<std::byte> into) {
  while (!into.empty()) {
    wait_for(setup_.in, POLLIN);
    const ssize_t got = ::read(setup_.in, into.data(), into.size());
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) lost();
    if (got > 0) into = into.subspan(static_cast<std::size_t>(got));
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
