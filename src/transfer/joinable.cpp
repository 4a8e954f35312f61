#include "transfer/joinable.hpp"

#include <exception>

#include "pipeline/threads.hpp"
#include "transfer/receive_session.hpp"

namespace adoc {

// A share of the memory is for what comes over several connections: with one, there is none left.
Joinable::Joinable(Joins& joins, SocketStream& first, const ReceiveOptions& options,
                   std::size_t unsaid_bytes) noexcept
    : first_(first) {
  static_assert(kMaxStreamWindow <= kThreadReceiveBytes);
  if (decompression_shares(options) < 2) return;
  try {
    offer_ = StreamsOffer{
        .token = Joins::new_token(), .most = kMaxStreams - 1, .window = kMaxStreamWindow};
    bundle_.emplace(StreamBundle::Setup{.first = first,
                                        .buffer = kMinStreamWindow,
                                        .window = kMaxStreamWindow,
                                        .before_frames = unsaid_bytes});
    bundle_->allow(kMaxStreams, 0);
    open_.emplace(joins, offer_->token, *bundle_);
  } catch (const std::exception&) {
    open_.reset();
    bundle_.reset();
    offer_.reset();
  }
}

}  // namespace adoc
