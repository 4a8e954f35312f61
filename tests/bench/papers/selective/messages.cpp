#include "bench/papers/selective/messages.hpp"

#include <algorithm>
#include <cmath>

namespace papers {
namespace {

// In (0, 1].
double share(Dice& dice) { return (static_cast<double>(dice.next() >> 11) + 1) * 0x1p-53; }

}  // namespace

std::vector<Message> make_messages(const MessageTraffic& traffic) {
  Dice dice(traffic.seed);
  const double mean_bytes = (static_cast<double>(traffic.least_bytes) + traffic.most_bytes) / 2;
  const double mean_ns = mean_bytes / traffic.bytes_per_second * 1e9;
  const std::uint64_t lengths = std::uint64_t{traffic.most_bytes} - traffic.least_bytes + 1;
  std::vector<Message> messages;
  for (double at = 0;;) {
    at -= mean_ns * std::log(share(dice));
    if (at >= static_cast<double>(traffic.length_ns)) return messages;
    messages.push_back(
        {.due_ns = static_cast<std::uint64_t>(at),
         .bytes = traffic.least_bytes + static_cast<std::uint32_t>(dice.next() % lengths)});
  }
}

void ReceivedLately::came(std::uint64_t now_ns, std::uint64_t bytes) {
  some_.push_back({now_ns, bytes});
  bytes_ += bytes;
}

double ReceivedLately::bytes(std::uint64_t now_ns) {
  while (!some_.empty() && some_.front().at_ns + window_ns_ <= now_ns) {
    bytes_ -= some_.front().bytes;
    some_.pop_front();
  }
  return static_cast<double>(bytes_);
}

std::uint64_t due_behind(const std::vector<Message>& messages, std::size_t next,
                         std::uint64_t now_ns) {
  const auto begin = messages.begin() + static_cast<std::ptrdiff_t>(next);
  const auto end = std::ranges::upper_bound(begin, messages.end(), now_ns, {}, &Message::due_ns);
  return static_cast<std::uint64_t>(end - begin);
}

bool compresses(Method method, double bytes, const InterfaceState& state, double long_from) {
  if (method != Method::selective) return method == Method::always;
  const Packet packet{.type = DataType::integer, .length = bytes};
  return select_algorithm(packet, state, long_from) != Algorithm::none;
}

}  // namespace papers
