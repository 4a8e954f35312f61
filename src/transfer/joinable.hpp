#pragma once

#include <optional>

#include "adoc/receive.hpp"
#include "io/stream_bundle.hpp"
#include "transfer/joins.hpp"
#include "wire/streams.hpp"

namespace adoc {

/// The connection over which a receiver serves a sender, and what lets others join it, as far as
/// there is memory for that.
class Joinable {
 public:
  struct Said {
    std::uint64_t said_bytes = 0;   ///< to the sender, over this connection
    std::uint64_t heard_bytes = 0;  ///< from it
    std::size_t unsaid_bytes;       ///< that are written before a frame begins
  };
  /// Joins, stream and options outlive this. Does not throw: where something is lacking nobody can
  /// join.
  Joinable(Joins& joins, SocketStream& first, const ReceiveOptions& options,
           const Said& said) noexcept;

  [[nodiscard]] Stream& stream() noexcept {
    return bundle_ ? static_cast<Stream&>(*bundle_) : first_;
  }
  /// What the sender is to be told; nothing: nobody can join.
  [[nodiscard]] const std::optional<StreamsOffer>& offer() const noexcept { return offer_; }

 private:
  SocketStream& first_;
  std::optional<StreamsOffer> offer_{};
  std::optional<StreamBundle> bundle_{};
  std::optional<Joins::Open> open_{};
};

}  // namespace adoc
