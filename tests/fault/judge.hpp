#pragma once

#include <string>
#include <vector>

#include "fault/plan.hpp"

namespace adoc::fault {

/// Added to a signal's number where an exit code is meant, to tell one from the other.
inline constexpr int kSignalled = 1'000;
inline constexpr int kHung = -1;

[[nodiscard]] std::string in_words(int code);

/// How the programs of a transfer ended.
struct Ends {
  int send = 0;
  int recv = 0;
  bool told_to_end = false;    ///< the receiver got SIGTERM when the sender had ended
  bool never_reached = false;  ///< it failed before it could listen; no sender was started
};

/// Knows what must hold in a trial's directory, whatever went wrong:
///
///   canary, source     never change
///   out                the destination
///   send.err, ...      what the programs said; not looked at
class Judge {
 public:
  /// Looks at the directory before anything is transferred.
  Judge(const Plan& plan, std::string directory);

  /// Of the transfer with faults.
  void judge(const Ends& ends);
  /// Of the one without faults that followed.
  void judge_retry(const Ends& ends);

  /// What did not hold.
  [[nodiscard]] const std::vector<std::string>& violations() const noexcept { return violations_; }

 private:
  void violated(const std::string& what) { violations_.push_back(what); }
  [[nodiscard]] Tree read_surroundings() const;
  void check_what_is_there();
  void check_all_identical(const std::string& who);
  void check_code(int code, const std::string& who, bool may_be_killed);
  void check_surroundings(const std::string& when);
  [[nodiscard]] bool is_whole(const std::string& name) const;
  /// Nobody goes on with it.
  [[nodiscard]] static bool is_temporary(const std::string& name);
  /// A later transfer does.
  [[nodiscard]] static bool is_unfinished(const std::string& name);
  [[nodiscard]] bool is_out_of_sight(const std::string& name) const;

  const Plan& plan_;
  std::string top_;
  Tree wanted_;  ///< what the destination is to hold in the end
  Tree before_;  ///< what it held
  Tree there_;   ///< what it holds
  Tree surroundings_;
  bool left_over_ = false;  ///< a temporary file is there
  Ends ends_;
  std::vector<std::string> violations_;
};

/// All of a file; nothing when it cannot be read.
[[nodiscard]] std::string contents_of(const std::string& path);

}  // namespace adoc::fault
