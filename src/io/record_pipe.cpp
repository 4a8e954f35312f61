#include "io/record_pipe.hpp"

#include <limits.h>
#include <openssl/evp.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "adoc/error.hpp"
#include "io/quiet_write.hpp"
#include "util/clock.hpp"
#include "util/safe_name.hpp"
#include "util/seconds_text.hpp"
#include "util/silence.hpp"
#include "wire/broken_protocol.hpp"

namespace adoc {

namespace {

constexpr std::size_t kMostOfAShell = 64 << 10;
constexpr std::size_t kShownOfAShell = 200;

/// Four letters are three bytes.
constexpr std::size_t letters_for(std::size_t bytes) { return (bytes + 2) / 3 * 4; }

/// Whole groups of four. Behind the end there may be zeros.
Bytes bytes_of(ByteSpan letters) {
  Bytes bytes(letters.size() / 4 * 3);
  const auto* const text = reinterpret_cast<const unsigned char*>(letters.data());
  const int count = ::EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), text,
                                      static_cast<int>(letters.size()));
  if (count != static_cast<int>(bytes.size())) broken_protocol("a frame is not in letters");
  return bytes;
}

void expect_type(const FrameHeader& header, FrameType type) {
  if (header.type != type)
    broken_protocol(std::string("instead of a ") + frame_name(type) + " came a " +
                    frame_name(header.type));
}

}  // namespace

RecordPipe::RecordPipe(Setup setup)
    : setup_(std::move(setup)), on_stop_(setup_.stop, [this] { stopped_.set(); }) {}

void RecordPipe::wait_for(int fd, short events) const {
  const bool is_limited = has_spoken_ || !setup_.waits_for_login;
  Silence silence(is_limited ? setup_.timeout : std::chrono::milliseconds(0));
  while (!silence.is_over(Clock::now())) {
    const auto waited = stopped_.wait_for(fd, events, poll_ms(silence.wait()));
    if (waited == Wakeup::Result::ready) return;
    if (waited == Wakeup::Result::woken) throw Error(ErrorKind::interrupted, "interrupted");
  }
  throw Error(ErrorKind::connect,
              "nothing heard from " + setup_.peer + " for " + seconds_text(setup_.timeout),
              Hint::look_at_timeout, ": the other side or the network is gone");
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
    if (got <= 0) continue;
    has_spoken_ = true;
    into = into.subspan(static_cast<std::size_t>(got));
  }
}

std::string RecordPipe::expect_magic() {
  const std::string magic(kFarMagic.begin(), kFarMagic.end());
  std::string said;
  while (true) {
    std::size_t here = std::min(said.size(), magic.size());
    while (!said.ends_with(std::string_view(magic).substr(0, here))) --here;
    if (here == magic.size()) return said.substr(0, std::min(said.size() - here, kShownOfAShell));
    if (said.size() - here > kMostOfAShell)
      throw Error(ErrorKind::connect, setup_.peer + " does not speak AdOC: it began with '" +
                                          printable(said.substr(0, kShownOfAShell)) + "'");
    // Of what is still missing no byte belongs to what comes behind it.
    const std::size_t before = said.size();
    said.resize(before + magic.size() - here);
    read_exactly(std::as_writable_bytes(std::span(said).subspan(before)));
  }
}

ByteSpan RecordPipe::read(FrameType type) {
  frame_.resize(kFrameHeaderBytes);
  read_exactly(frame_);
  const FrameHeader header = FrameHeader::decode(frame_);
  expect_type(header, type);
  frame_.resize(header.payload_bytes);
  read_exactly(frame_);
  return open_record(type, frame_);
}

Bytes RecordPipe::letters_of(ByteSpan frame) {
  Bytes letters(letters_for(frame.size()) + 1);  // and a zero
  ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(letters.data()),
                    reinterpret_cast<const unsigned char*>(frame.data()),
                    static_cast<int>(frame.size()));
  letters.pop_back();
  return letters;
}

ByteSpan RecordPipe::read_letters(FrameType type) {
  Bytes letters(letters_for(kFrameHeaderBytes));
  read_exactly(letters);
  frame_ = bytes_of(letters);
  const FrameHeader header = FrameHeader::decode(ByteSpan(frame_).first(kFrameHeaderBytes));
  expect_type(header, type);
  const std::size_t begun = letters.size();
  const std::size_t frame_bytes = kFrameHeaderBytes + header.payload_bytes;
  letters.resize(letters_for(frame_bytes));
  read_exactly(std::span(letters).subspan(begun));
  frame_ = bytes_of(letters);
  return open_record(type, ByteSpan(frame_).first(frame_bytes).subspan(kFrameHeaderBytes));
}

}  // namespace adoc
