#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "adoc/error.hpp"
#include "adoc/key.hpp"
#include "cli/child.hpp"
#include "cli/cp_options.hpp"
#include "io/record_pipe.hpp"
#include "wire/far_side.hpp"

namespace adoc::cli {

/// The adoc-cp on another machine, which ssh has started. Used by one thread.
class FarSide {
 public:
  struct Setup {
    const CpCommand& command;
    Place place;
    int standard_error = -1;  ///< of ssh; -1: the same as ours
    std::stop_token stop{};
  };
  /// Begins to log in.
  explicit FarSide(Setup setup);

  /// What it is to do, and what it says to that; waits for the login. The paths are its own. Throws
  /// Error(connect) where there is no AdOC over there, with what to do about it, and what the far
  /// side itself threw.
  struct Request {
    Role role;  ///< of the far side
    const Key& key;
    std::vector<std::string> paths;
    std::vector<std::string> asked{};  ///< of another far side, whose entries are held to it
    bool into_directory = false;
    bool only_channel = false;  ///< a connection of its own is not even looked for
    /// Where it does not depend on the answer, what go() would say: a round trip less.
    std::optional<FarGo> go{};
  };
  FarAnswer ask(const Request& request);
  void go(const FarGo& go) { pipe_->write(RecordPipe::in_letters(go)); }

  /// Begins to find out for targets() which machine ssh means.
  void look_for_it();

  /// The bytes that ssh carries, not owned by the caller.
  [[nodiscard]] int channel() const noexcept { return ssh_->socket(); }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Where the other machine can be connected to: at the addresses that ssh means, and the port
  /// that the far side has told. What addresses that tells beside it counts for nothing, or it
  /// would have us connect to whom it likes. None where another machine or program is on the way.
  [[nodiscard]] std::vector<Endpoint> targets(const Whereabouts& whereabouts);
  /// Its exit code, or that of ssh; none where it does not end although its work is over.
  [[nodiscard]] std::optional<int> wait();
  /// What is told of a copy that failed: where ssh itself ended, all else that was lost follows
  /// from that, also that the far side gave up.
  [[nodiscard]] Error with_end_of_ssh(const Error& error);
  /// The copy went well. An ssh that stays although the far side is done with serves the user's
  /// other sessions, which share its connection (ControlMaster), and must not be ended.
  void done() noexcept { ssh_->leave(); }

 private:
  void start(const std::string& command);
  [[noreturn]] void explain_missing(const Error& error, std::optional<int> code);
  FarAnswer converse(ByteSpan request);

  Setup setup_;
  std::string name_;            ///< in messages
  std::optional<Child> query_;  ///< of ssh: which host is meant
  std::optional<Child> ssh_;
  std::optional<RecordPipe> pipe_;
};

}  // namespace adoc::cli
