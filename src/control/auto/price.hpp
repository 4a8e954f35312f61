#pragma once

#include <span>

namespace adoc {

/// What a byte of data takes at one level, in seconds of each resource.
struct Demand {
  double processors = 0;  ///< all of them together
  double channel = 0;     ///< the link or the receiver, whichever it keeps longer
};

/// The price of a second of either resource, and what a byte costs at these prices.
struct Prices {
  double processors = 0.5;
  double channel = 0.5;
  double cost = 0;
};

/// The dual of the linear program that mixes levels so that processors and channel end together
/// (Pu and Singaravelu 2005, where it is solved for one choice of data): the prices, 1 in the sum,
/// at which the cheapest level costs most. `backlog`: seconds of the channel for each byte to come
/// that it has yet to spend on what waits for it. `levels` is not empty.
[[nodiscard]] Prices balance(std::span<const Demand> levels, double backlog);

}  // namespace adoc
