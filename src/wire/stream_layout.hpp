#pragma once

#include <optional>
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

/// What is wanted of one entry and holds data, piece after piece. Found as it is asked for: a list
/// of all would take many times what the peer has sent to have it made. Entry and want stay where
/// they are as long as it is used.
class EntryPieces {
 public:
  /// Of nothing.
  EntryPieces() = default;
  EntryPieces(std::size_t index, const Entry& entry, const WantItem& want) noexcept;

  /// The next; none at the end.
  [[nodiscard]] std::optional<Piece> next() noexcept;

 private:
  struct Rest {
    [[nodiscard]] bool at_end() const noexcept { return at == end; }

    Extents::Iterator at{};
    Extents::Iterator end{};
  };

  [[nodiscard]] std::optional<Extent> next_run() noexcept;

  std::size_t index_ = 0;
  std::optional<SharePieces> share_;  ///< what of the runs comes
  Extent run_{};                      ///< what is left of one, of a share
  Extent whole_{};                    ///< the one run of a file without holes, until it is through
  Rest data_;                         ///< the runs of one with holes
  Rest wanted_;
};

/// The stream of a batch: the pieces of its entries, one after the other. Sender and receiver each
/// derive it from the same offer and want; a file of unknown size can only be last. Entries and
/// wants stay where they are as long as it is used.
class StreamLayout {
 public:
  /// Of nothing.
  StreamLayout() = default;
  StreamLayout(const std::vector<Entry>& entries, const std::vector<WantItem>& wants) noexcept;

  [[nodiscard]] bool at_end() const noexcept { return !piece_; }
  /// Where it is; not at the end.
  [[nodiscard]] const Piece& piece() const noexcept { return *piece_; }
  void next() noexcept;

 private:
  const std::vector<Entry>* entries_ = nullptr;
  const std::vector<WantItem>* wants_ = nullptr;
  std::size_t index_ = 0;  ///< of the entry after that of the pieces
  EntryPieces pieces_;
  std::optional<Piece> piece_;
};

/// Whether a part of what the entry holds is wanted, and not all of it: the rest is at the
/// receiver, from an earlier transfer. Not of a share, which nobody has the whole of.
[[nodiscard]] bool wanted_in_part(const Entry& entry, const WantItem& want);

/// How long a stream is.
struct StreamSize {
  std::uint64_t bytes = 0;  ///< of the pieces whose length is known
  bool known = true;        ///< all of them
};
/// From where it is to its end.
[[nodiscard]] StreamSize stream_size(StreamLayout layout) noexcept;

/// Bytes of the files that are taken, which need not be sent because the receiver has them.
[[nodiscard]] std::uint64_t resumed_bytes(const std::vector<Entry>& entries,
                                          const std::vector<WantItem>& wants);

}  // namespace adoc
