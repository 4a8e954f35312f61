#include "cli/far_words.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "adoc/error.hpp"
#include "util/errno_error.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {

namespace {

/// Of a line that has no end.
constexpr std::size_t kMostOfALine = 4'096;
constexpr std::size_t kPieceBytes = 4'096;
constexpr int kMostPieces = 16;

}  // namespace

FarWords::FarWords(StatusLine& status) : status_(status) {
  if (::isatty(STDERR_FILENO) == 0) return;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw errno_error(ErrorKind::internal, "make a pipe", errno);
  ours_ = Fd(ends[0]);
  theirs_ = Fd(ends[1]);
  ::fcntl(ours_.get(), F_SETFL, O_NONBLOCK);
  thread_ = std::jthread([this] { listen(); });
}

FarWords::~FarWords() { done_.set(); }

void FarWords::listen() noexcept {
  try {
    while (done_.wait_for(ours_.get(), POLLIN) == Wakeup::Result::ready) static_cast<void>(take());
    // What is in the pipe: an ssh that stays has its other end as long as it likes.
    for (int pieces = 0; pieces < kMostPieces && take(); ++pieces) {
    }
    if (!line_.empty()) show(line_.size());
  } catch (const std::exception&) {
    // There is no memory for words.
  }
}

/// False: there is nothing for now.
bool FarWords::take() {
  std::array<char, kPieceBytes> piece{};
  const ssize_t got = ::read(ours_.get(), piece.data(), piece.size());
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  line_.append(piece.data(), static_cast<std::size_t>(got));
  std::size_t end = 0;
  while ((end = line_.find('\n')) != std::string::npos) show(end);
  if (line_.size() >= kMostOfALine) show(line_.size());
  return true;
}

void FarWords::show(std::size_t end) {
  std::string_view text(line_.data(), end);
  // ssh says both at the end of a line, since it may have made the terminal raw.
  if (text.ends_with('\r')) text.remove_suffix(1);
  status_.print_above(printable(text) + "\n");
  line_.erase(0, end + 1);
}

}  // namespace adoc::cli
