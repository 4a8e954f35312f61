#pragma once

#include "wire/protocol.hpp"

namespace adoc {

// What one transfer may take at the receiver, whatever its sender sends: --memory is no less than
// kSharedReceiveBytes, what --fifo-packets asks for, and kThreadReceiveBytes for each of the
// threads that decompress. tests/e2e/63-memory.sh measures it.

/// What --fifo-packets counts on this side.
inline constexpr std::size_t kReceivedPacketBytes = 8'192;

/// What waits to be written once it is raw: enough for a disk that pauses for 15 ms of 1 Gbit/s,
/// and little enough to be still in a cache when it is written. With 8 MiB each block has pages of
/// its own.
inline constexpr std::size_t kMostInboundBytes = 2 << 20;

/// Buffers that wait to be used again: about what is under way of blocks that come fast.
inline constexpr std::size_t kMostRestingBytes = 4 << 20;

/// Offers take what they take on the wire, before they are decoded and after; and with each entry
/// as window_entries() counts them go some metadata, what is wanted of it, and what is open for it.
/// A wide window takes no more than the largest batches do. Two more are being read and decoded.
inline constexpr std::size_t kMostEntryBytes = 1'280;
inline constexpr std::size_t kMostBatchBytes =
    kMaxManifestBytes + 2 * kMaxBatchEntries * kMostEntryBytes;
static_assert(kMaxOfferBytesInFlight + kMaxEntriesInFlight * kMostEntryBytes <=
              kMaxBatchesInFlight * kMostBatchBytes);
inline constexpr std::size_t kOffersReceiveBytes = (kMaxBatchesInFlight + 2) * kMostBatchBytes;

/// What is remembered of files that are to get other names.
inline constexpr std::size_t kLinkedReceiveBytes = 1 << 20;

/// The block that arrives, the one that is written, and what linked blocks refer to, which begins
/// within a block.
inline constexpr std::size_t kSharedReceiveBytes =
    max_stored_bytes(kMaxRawBlockBytes) + kMaxRawBlockBytes + 2 * kMaxPrefixBytes +
    kMostInboundBytes + kMostRestingBytes + kOffersReceiveBytes + kLinkedReceiveBytes;

/// A block before and after it is decompressed, and what it refers to. One of a dense codec is
/// shorter and refers to nothing: what its decompressor takes fits in, too.
inline constexpr std::size_t kThreadReceiveBytes =
    max_stored_bytes(kMaxRawBlockBytes) + kMaxRawBlockBytes + kMaxPrefixBytes;

}  // namespace adoc
