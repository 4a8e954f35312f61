#pragma once

#include <cstdint>
#include <string>

namespace adoc::cli {

/// Bytes for people, powers of 1000 and three digits: "0 B", "999 B", "1.00 kB", "52.6 MB".
[[nodiscard]] std::string format_bytes(double bytes);

/// "12.5 MB/s".
[[nodiscard]] std::string format_rate(double bytes_per_second);

/// "2.40x"; "-" while nothing went over the wire.
[[nodiscard]] std::string format_ratio(std::uint64_t raw_bytes, std::uint64_t wire_bytes);

/// A span of time that has passed: "0.004 s", "4.2 s", "2:05", "1:02:05".
[[nodiscard]] std::string format_seconds(double seconds);

/// Time left: "0:04", "12:30", "1:02:05"; "-:--" when nobody can tell.
[[nodiscard]] std::string format_remaining(double seconds);

/// raw / wire, 0 while nothing went over the wire.
[[nodiscard]] double ratio_of(std::uint64_t raw_bytes, std::uint64_t wire_bytes);

}  // namespace adoc::cli
