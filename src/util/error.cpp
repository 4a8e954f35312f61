#include "adoc/error.hpp"

#include <cstring>

namespace adoc {

const char* member_name(Hint hint) noexcept {
  switch (hint) {
    case Hint::policy:
      return "policy";
    case Hint::level:
      return "level";
    case Hint::min_level:
      return "min_level";
    case Hint::max_level:
      return "max_level";
    case Hint::block_bytes:
      return "block_bytes";
    case Hint::packet_bytes:
      return "packet_bytes";
    case Hint::fifo_packets:
      return "fifo_packets";
    case Hint::threads:
      return "threads";
    case Hint::memory_bytes:
      return "memory_bytes";
    case Hint::item_bytes:
      return "item_bytes";
    case Hint::name:
      return "name";
    case Hint::stdin_name:
      return "stdin_name";
    case Hint::listed:
      return "listed";
    case Hint::shard:
      return "shard";
    case Hint::bandwidth_limit:
      return "bandwidth_limit";
    case Hint::streams:
      return "streams";
    case Hint::congestion:
      return "congestion";
    case Hint::out_directory:
      return "out_directory";
    case Hint::max_depth:
      return "max_depth";
    case Hint::max_transfers:
      return "max_transfers";
    case Hint::timeout:
      return "timeout";
    case Hint::insecure:
      return "insecure";
    default:
      return "";
  }
}

std::string Error::with(const std::string& words) const {
  return std::string(what()).replace(place_, std::strlen(member_name(hint_)), words);
}

Error Error::followed_by(const std::string& more) const {
  const std::string text = what();
  const std::size_t behind = place_ + std::strlen(member_name(hint_));
  return {kind_, text.substr(0, place_), hint_, text.substr(behind) + more};
}

}  // namespace adoc
