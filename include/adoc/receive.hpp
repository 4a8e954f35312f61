#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <stop_token>
#include <string>

#include "adoc/lossy.hpp"
#include "adoc/observer.hpp"
#include "adoc/options.hpp"

namespace adoc {

/// How one incoming transfer ended.
struct Verdict {
  std::uint64_t transfer = 0;  ///< counted from 1 in the order of being let in
  std::string peer;            ///< address:port
  Statistics statistics{};
  /// What the sender says that it has lost of files: how, of the last one, and of how many.
  LossyTotals lossy{};
  std::exception_ptr failure{};  ///< an Error that ended the transfer as a whole, or null
};

/// What transfers that were cut off have left below the destination.
struct Leftovers {
  std::uint64_t files = 0;  ///< that a transfer of the same source will go on with
  std::uint64_t bytes = 0;  ///< that they take on the disk
  std::uint64_t removed_files = 0;
  std::uint64_t removed_bytes = 0;
  std::string trouble{};  ///< why nothing can be gone on with; empty when it can
};

/// Told of each transfer, beside what Observer is told of its entries. Same rules.
class ReceiveObserver : public Observer, public LossyObserver {
 public:
  /// Once, before the first transfer.
  virtual void on_leftovers(const Leftovers&) {}
  virtual void on_connected(std::uint64_t transfer, std::string_view peer) {
    static_cast<void>(transfer), static_cast<void>(peer);
  }
  virtual void on_verdict(const Verdict&) {}
  /// A connection that did not become a transfer; `why` in words like "it does not have the key".
  /// From the thread that is in serve().
  virtual void on_refused(std::string_view peer, std::string_view why) {
    static_cast<void>(peer), static_cast<void>(why);
  }
  /// Instead of that, with ReceiveOptions::once: the connection was lost, and the sender has `wait`
  /// to come back. The verdict will be of both.
  virtual void on_lost(const Verdict&, std::chrono::milliseconds wait) { static_cast<void>(wait); }
};

/// Takes transfers from any number of senders at once and writes below one directory.
class Receiver {
 public:
  /// Makes the directory and listens: a sender can connect from here on. Throws Error(usage) for
  /// options, Error(refused) for lack of a key, Error(local_file) for the directory, Error(connect)
  /// for the address.
  /// `observer` may be null, else outlives the receiver.
  explicit Receiver(ReceiveOptions options, ReceiveObserver* observer = nullptr);
  /// On a TCP socket that listens already, as service managers pass one; ReceiveOptions::listen has
  /// no meaning then. The descriptor is the receiver's from the call on, also when it throws, which
  /// is Error(usage) for one that is no such socket.
  Receiver(ReceiveOptions options, int listening_socket, ReceiveObserver* observer = nullptr);
  ~Receiver();

  /// The address in use, with the port that was picked for port 0.
  [[nodiscard]] Endpoint local_endpoint() const;

  /// Serves until stopped, then ends what is under way and throws Error(interrupted); with
  /// ReceiveOptions::once returns the verdict of the one transfer.
  Verdict serve(std::stop_token stop = {});

  /// The transfers under way, summed up. From any thread.
  [[nodiscard]] Progress progress() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Takes the transfer that is in a file of SendOptions::to_file, and writes below one directory:
/// as a Receiver would, with all that one promises of names, limits, commits and what is
/// unfinished.
class Unpacker {
 public:
  /// Opens the file, "-" for standard input, and makes the directory. Throws Error(usage) for
  /// options, Error(local_file) for file and directory, Error(corrupt) for a file that holds no
  /// transfer. What of the options concerns connections means nothing. `observer` may be null, else
  /// outlives this.
  Unpacker(ReceiveOptions options, const std::string& file, ReceiveObserver* observer = nullptr);
  ~Unpacker();

  /// All of it. What ends it before is the verdict's failure: Error(corrupt) for a file that is
  /// damaged or cut off; what was committed by then stays. Call it once.
  Verdict run(std::stop_token stop = {});

  /// From any thread, also while run() is under way.
  [[nodiscard]] Progress progress() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace adoc
