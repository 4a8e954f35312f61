#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace adoc {

/// Has a TCP socket use this congestion control from now on. The errno where the system has none of
/// that name, or does not allow it; 0: it does.
[[nodiscard]] int set_congestion(int socket, const std::string& name) noexcept;

/// Has the system space out what a TCP socket sends over its round trip, at the rate that its
/// congestion control means, in place of sending as much at once as that allows: what limits a rate
/// without a queue drops bursts. False where the system cannot.
bool set_pacing(int socket) noexcept;

/// For a path that loses packets although it is not full: BBR, which such a loss does not slow down
/// and which spaces out what it sends; where the system has none or does not allow it,
/// set_pacing().
void answer_loss(int socket) noexcept;

/// Whether the congestion control of a TCP socket goes slower for each loss, as most do; BBR does
/// not. True where the system does not tell.
[[nodiscard]] bool slows_for_loss(int socket) noexcept;

/// Packets of a TCP connection, of both since it began.
struct PacketCounts {
  std::uint64_t sent = 0;
  std::uint64_t sent_again = 0;
};
/// None of other sockets, and where the system does not tell.
[[nodiscard]] std::optional<PacketCounts> packet_counts(int socket) noexcept;

/// Whether a path loses packets although it is not full: what such a loss says to most congestion
/// controls, to go slower, is wrong there. No clock.
class UnexplainedLoss {
 public:
  /// The counts so far, and whether what is sent waits in a queue at this moment.
  void look(const PacketCounts& counts, bool is_full) noexcept {
    if (!is_full && !was_full_) {
      sent_ += counts.sent - before_.sent;
      lost_ += counts.sent_again - before_.sent_again;
    }
    before_ = counts;
    was_full_ = is_full;
  }
  [[nodiscard]] bool is_there() const noexcept {
    return lost_ > 0 && static_cast<double>(lost_) >= kShare * static_cast<double>(sent_);
  }

 private:
  /// With less a window of megabytes is never halved before it is full.
  static constexpr double kShare = 1e-4;

  PacketCounts before_{};
  std::uint64_t sent_ = 0;
  std::uint64_t lost_ = 0;
  bool was_full_ = true;  ///< nothing is known before the first look
};

}  // namespace adoc
