#pragma once

#include <vector>

#include "wire/entry.hpp"
#include "wire/want.hpp"

namespace adoc {

/// A run of a batch's stream that lies in one file.
struct Piece {
  std::size_t entry = 0;  ///< index in the batch
  std::uint64_t file_offset = 0;
  std::uint64_t length = 0;  ///< kUnknownSize: up to the end of the stream

  bool operator==(const Piece&) const = default;
};

/// The stream of a batch: what is wanted of each entry and holds data, entry by entry. Sender and
/// receiver each derive it from the same offer and want; a file of unknown size can only be last.
[[nodiscard]] std::vector<Piece> layout_stream(const std::vector<Entry>& entries,
                                               const std::vector<WantItem>& wants);

/// Puts what is wanted of one entry behind the pieces of those before it.
void add_pieces(std::size_t index, const Entry& entry, const WantItem& want,
                std::vector<Piece>& pieces);

/// How long a stream is.
struct StreamSize {
  std::uint64_t bytes = 0;  ///< of the pieces whose length is known
  bool known = true;        ///< all of them
};
[[nodiscard]] StreamSize stream_size(const std::vector<Piece>& pieces) noexcept;

/// Bytes of the files that are taken, which need not be sent because the receiver has them.
[[nodiscard]] std::uint64_t resumed_bytes(const std::vector<Entry>& entries,
                                          const std::vector<WantItem>& wants);

}  // namespace adoc
