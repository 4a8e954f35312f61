#include "wire/broken_protocol.hpp"

#include "adoc/error.hpp"

namespace adoc {

void broken_protocol(const std::string& why) {
  throw Error(ErrorKind::corrupt, "the peer broke the protocol: " + why);
}

}  // namespace adoc
