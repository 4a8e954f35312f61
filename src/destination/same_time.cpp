#include "destination/same_time.hpp"

#include <algorithm>
#include <array>

namespace adoc {

namespace {

/// Of file systems that keep nanoseconds to a multiple of it.
constexpr std::array<std::uint32_t, 5> kUnitsNs{1, 100, 1'000, 10'000'000, 1'000'000'000};

}  // namespace

bool same_time(FileTime listed, FileTime present) noexcept {
  if (present.seconds == listed.seconds)
    return std::ranges::any_of(kUnitsNs, [&](std::uint32_t unit) {
      return present.nanoseconds == listed.nanoseconds - listed.nanoseconds % unit;
    });
  // Two seconds: an even one before an odd one, also before 1970.
  return present.nanoseconds == 0 && listed.seconds % 2 != 0 &&
         present.seconds == listed.seconds - 1;
}

bool same_time(const Entry& listed, const struct stat& present) noexcept {
  return same_time({listed.mtime_seconds, listed.mtime_nanoseconds},
                   {present.st_mtim.tv_sec, static_cast<std::uint32_t>(present.st_mtim.tv_nsec)});
}

}  // namespace adoc
