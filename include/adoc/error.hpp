#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace adoc {

/// What went wrong, coarse enough to choose an exit code from.
enum class ErrorKind {
  usage,        ///< an option or argument that cannot be meant; nothing was started
  connect,      ///< the peer cannot be reached, does not speak AdOC, or was lost
  refused,      ///< the peer does not let us in
  corrupt,      ///< bytes from the peer break the protocol or fail their checksum
  local_file,   ///< a file on this side cannot be read or written
  remote_file,  ///< the peer could not read or write a file
  interrupted,  ///< the caller asked to stop
  internal,     ///< a promise inside AdOC was broken: a bug
};

/// What of the caller's an error is about, for a program to name in words of its own: an option of
/// its command line, the command that helps. The first ones are members of options.
enum class Hint {
  none,
  // PipelineOptions
  policy,
  level,
  min_level,
  max_level,
  block_bytes,
  packet_bytes,
  fifo_packets,
  threads,
  memory_bytes,
  item_bytes,
  // SendOptions
  name,
  stdin_name,
  listed,
  shard,
  bandwidth_limit,
  streams,
  congestion,
  // ReceiveOptions
  out_directory,
  max_depth,
  max_transfers,
  // both
  timeout,
  insecure,
  // What helps; nothing is in its place in what().
  add_stdin_name,       ///< standard input needs a name
  add_out_directory,    ///< there is none
  add_key_or_insecure,  ///< one of them
  look_at_timeout,      ///< it is what ended this
  look_at_memory,       ///< there is too little of it for more threads
  raise_max_entries,    ///< of the receiver
  raise_max_bytes,      ///< of the receiver
  raise_max_depth,      ///< of the receiver
  lower_min_free,       ///< of the receiver
  start_receiver,       ///< perhaps none runs there
  one_side_receives,    ///< both send
  one_side_sends,       ///< both receive
  both_or_neither_insecure,
  encrypt_there_or_neither,  ///< the receiver is the one that does not
  encrypt_here_or_neither,   ///< the sender is
  sender_is_insecure,        ///< perhaps meant so
  save_new_key,              ///< the sender has one of an earlier version
  make_new_key,              ///< the receiver is to, as others may know this one
  choose_key_file,           ///< there is no usual place
  receiver_shows_key,
};

/// The name of the member that a hint is about, such as "fifo_packets"; empty for the others.
[[nodiscard]] const char* member_name(Hint hint) noexcept;

/// The one exception that leaves the library. `what()` is a whole sentence without a program name:
/// what failed, on which path, why, and where it helps what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  /// What hint() is about is named between the two parts.
  Error(ErrorKind kind, const std::string& before, Hint hint, const std::string& after = {})
      : std::runtime_error(before + member_name(hint) + after),
        kind_(kind),
        hint_(hint),
        place_(before.size()) {}

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  [[nodiscard]] Hint hint() const noexcept { return hint_; }

  /// `what()` with these words in the place of the member's name, or where a hint belongs.
  [[nodiscard]] std::string with(const std::string& words) const;
  /// The same error, hint included, with more behind it.
  [[nodiscard]] Error followed_by(const std::string& more) const;

 private:
  ErrorKind kind_;
  Hint hint_ = Hint::none;
  std::size_t place_ = 0;  ///< of the hint in what()
};

}  // namespace adoc
