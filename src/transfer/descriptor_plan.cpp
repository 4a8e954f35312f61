#include "transfer/descriptor_plan.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <string>

#include "adoc/error.hpp"
#include "util/directory_stream.hpp"

namespace adoc {

namespace {

/// Of a connection: its socket and what wakes its threads.
constexpr std::size_t kConnection = 2;

/// Of a transfer: its connection, three threads that each hold two directories and open two more on
/// the way, a journal, and four batches with one file in one directory each.
constexpr std::size_t kTransfer = kConnection + 3 * 4 + 2 + 4 * 2;

/// For the program itself, what it has not opened yet: signals, a random number, a look at /proc,
/// what the C library opens.
constexpr std::size_t kReserve = 8;

constexpr std::size_t kFewestGuests = 4;
constexpr std::size_t kMostGuests = 64;
constexpr std::size_t kFewestWaiting = 2;
constexpr std::size_t kMostWaiting = 128;

/// More than that nobody uses.
constexpr std::size_t kMostDescriptors = 1 << 20;

}  // namespace

DescriptorPlan plan_descriptors(std::size_t free, std::size_t most_transfers) {
  constexpr std::size_t kFewest =
      kReserve + kTransfer + kConnection * (kFewestGuests + kFewestWaiting);
  if (free < kFewest)
    throw Error(ErrorKind::usage,
                "too few files may be open at once (ulimit -n): " + std::to_string(kFewest - free) +
                    " more are needed to serve a single sender");
  std::size_t left = free - kReserve;
  DescriptorPlan plan;
  // An eighth for each kind of connection, what is needed of the rest for transfers, up to a half
  // of all: files that stay open are flushed together, which is what makes many small ones fast.
  plan.guests = std::clamp(left / 8 / kConnection, kFewestGuests, kMostGuests);
  plan.waiting = std::clamp(left / 8 / kConnection, kFewestWaiting, kMostWaiting);
  left -= kConnection * (plan.guests + plan.waiting);
  plan.transfers = std::clamp<std::size_t>((free / 2) / kTransfer, 1, most_transfers);
  plan.files = left - plan.transfers * kTransfer;
  return plan;
}

std::size_t free_descriptors() {
  rlimit limit{};
  std::size_t all = kMostDescriptors;
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0)
    all = static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur, kMostDescriptors));
  // Not counted are the directory itself, its parent and this look at it.
  std::ptrdiff_t open = -3;
  const DirectoryStream listing(::opendir("/proc/self/fd"));
  if (!listing) return all > 32 ? all - 32 : 0;
  while (::readdir(listing.get()) != nullptr) ++open;
  const auto used = static_cast<std::size_t>(std::max<std::ptrdiff_t>(open, 0));
  return all > used ? all - used : 0;
}

}  // namespace adoc
