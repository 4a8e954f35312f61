#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adoc/lossy.hpp"
#include "source/source_root.hpp"
#include "wire/entry.hpp"
#include "wire/offer.hpp"
#include "wire/outcome.hpp"
#include "wire/want.hpp"

namespace adoc {

/// A batch is full at so many bytes of contents: small enough that a commit comes often, large
/// enough that one flush serves many files.
inline constexpr std::uint64_t kFullContentBytes = 64 << 20;

/// A batch on the sending side, as it goes from thread to thread: made by the one that walks the
/// sources, completed with the want by the one that hears the receiver, read out by the one that
/// compresses, and judged by the hearing one again when the commit comes.
struct OutgoingBatch {
  std::uint64_t id = 0;
  bool last = false;
  std::vector<Entry> entries;
  std::vector<SourceFile> sources;    ///< to open each entry by
  std::vector<std::string> failures;  ///< why an entry cannot be sent; empty when it can
  std::uint64_t content_bytes = 0;    ///< of its files, as far as that is known; holes included
  std::vector<WantItem> wants;
  bool says_hashes = false;  ///< the receiver hears those of files that are wanted in part

  std::vector<std::size_t> changed;   ///< entries that changed meanwhile and were taken as they are
  std::uint64_t with_attributes = 0;  ///< files that were read and have extended attributes
  std::uint64_t with_access_lists = 0;  ///< and ACLs
  /// Of what is sent lossy what was lost of each entry, over all connections; else empty.
  std::vector<LossyFigures> lost;
  std::optional<std::size_t> like_text;  ///< the first entry of these that begins like text

  unsigned offers = 0;      ///< connections over which it was offered
  std::vector<bool> taken;  ///< entries that the receiver took over an earlier one
  bool settled = false;     ///< the receiver has answered for all of it
};

/// Shared with the session, which offers it again when the connection is lost before it is settled.
using OutgoingBatchPtr = std::shared_ptr<OutgoingBatch>;

}  // namespace adoc
