#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "bench/papers/selective/network.hpp"
#include "bench/papers/selective/selection.hpp"

namespace papers {

/// A message that a node is to send.
struct Message {
  std::uint64_t due_ns = 0;  ///< after the beginning
  std::uint32_t bytes = 0;
};

/// Messages of lengths uniform between the two, at exponential intervals, for so long.
struct MessageTraffic {
  double bytes_per_second = 0;  ///< above 0
  std::uint32_t least_bytes = 0;
  std::uint32_t most_bytes = 0;
  std::uint64_t length_ns = 0;
  std::uint64_t seed = 1;  ///< the same messages for the same one
};
[[nodiscard]] std::vector<Message> make_messages(const MessageTraffic& traffic);

/// N of Algorithm 1 for a node whose packets are messages: the bytes that came in the last
/// `window_ns`. One thread at a time; times never decrease.
class ReceivedLately {
 public:
  explicit ReceivedLately(std::uint64_t window_ns) noexcept : window_ns_(window_ns) {}

  void came(std::uint64_t now_ns, std::uint64_t bytes);
  [[nodiscard]] double bytes(std::uint64_t now_ns);

 private:
  struct Some {
    std::uint64_t at_ns;
    std::uint64_t bytes;
  };
  std::uint64_t window_ns_;
  std::deque<Some> some_;
  std::uint64_t bytes_ = 0;
};

/// How many messages from `next` on are due: Q, without the one that is sent.
[[nodiscard]] std::uint64_t due_behind(const std::vector<Message>& messages, std::size_t next,
                                       std::uint64_t now_ns);

/// Whether a message is compressed: the three methods of Figures 7 to 12.
[[nodiscard]] bool compresses(Method method, double bytes, const InterfaceState& state,
                              double long_from);

}  // namespace papers
