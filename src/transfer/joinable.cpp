#include "transfer/joinable.hpp"

#include <exception>

#include "pipeline/threads.hpp"
#include "transfer/receive_session.hpp"

namespace adoc {

// A share of the memory is for what comes over several connections: with one, there is none left.
Joinable::Joinable(Joins& joins, SocketStream& first, const ReceiveOptions& options,
                   const Said& said) noexcept
    : first_(first) {
  static_assert(kMaxStreamWindow <= kThreadReceiveBytes);
  if (decompression_shares(options) < 2) return;
  try {
    offer_ = StreamsOffer{
        .token = Joins::new_token(), .most = kMaxStreams - 1, .window = kMaxStreamWindow};
    bundle_.emplace(StreamBundle::Setup{.first = first,
                                        .buffer = kMinStreamWindow,
                                        .window = kMaxStreamWindow,
                                        .before_frames = said.unsaid_bytes,
                                        .said_bytes = said.said_bytes,
                                        .heard_bytes = said.heard_bytes});
    bundle_->allow(kMaxStreams, 0);
    open_.emplace(joins, offer_->token, *bundle_);
  } catch (const std::exception&) {
    open_.reset();
    bundle_.reset();
    offer_.reset();
  }
}

}  // namespace adoc
