#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>

#include "adoc/observer.hpp"

namespace adoc::cli {

/// The columns of a trace, in order: of a decision, what was seen then, and the filter.
inline constexpr std::string_view kDecisionColumns =
    "time_s,block,raw_bytes,wire_bytes,level,codec,fifo_packets,drain_bytes_per_s,reason,"
    "entropy_bits,random";
inline constexpr std::size_t kDecisionColumnCount = 11;

struct SeenColumn {
  std::string_view name;
  std::variant<double Observation::*, std::uint64_t Observation::*> member;
};
inline constexpr std::array<SeenColumn, 23> kSeenColumns{{
    {"arrived_bytes", &Observation::arrived_bytes},
    {"queued_bytes", &Observation::queued_bytes},
    {"link_price", &Observation::link_price},
    {"streams", &Observation::streams},
    {"sending_s", &Observation::sending_seconds},
    {"sending_processor_s", &Observation::sending_processor_seconds},
    {"held_back_s", &Observation::held_back_seconds},
    {"receive_window_s", &Observation::receive_window_seconds},
    {"send_buffer_s", &Observation::send_buffer_seconds},
    {"round_trip_s", &Observation::round_trip_seconds},
    {"retransmitted_bytes", &Observation::retransmitted_bytes},
    {"source_s", &Observation::source_seconds},
    {"answer_s", &Observation::answer_seconds},
    {"walking_s", &Observation::walking_seconds},
    {"commit_s", &Observation::commit_seconds},
    {"making_s", &Observation::making_seconds},
    {"making_processor_s", &Observation::making_processor_seconds},
    {"finishing_s", &Observation::finishing_seconds},
    {"receiver_s", &Observation::receiver_seconds},
    {"receiver_stalled_s", &Observation::receiver_stalled_seconds},
    {"decompressing_s", &Observation::decompressing_seconds},
    {"writing_s", &Observation::writing_seconds},
    {"written_bytes", &Observation::written_bytes},
}};
inline constexpr std::string_view kFilterColumn = "filter";

}  // namespace adoc::cli
