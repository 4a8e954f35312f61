#include "transfer/expect_shards.hpp"

#include "adoc/error.hpp"
#include "wire/hello.hpp"

namespace adoc {

void expect_shards(std::uint64_t features, bool lossy) {
  const Hello peer{.features = features};
  if (!peer.has(Feature::shares))
    throw Error(ErrorKind::usage, "the receiver is of a version that does not know ", Hint::shard,
                ": it cannot put together what several senders send of a file");
  if (lossy && !peer.has(Feature::lossy))
    throw Error(ErrorKind::usage,
                "the receiver is of a version that does not tell shards apart of which something "
                "else is lost, so none may be lossy");
}

}  // namespace adoc
