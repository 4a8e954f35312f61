#include "wire/broken_protocol.hpp"

#include "adoc/error.hpp"

namespace adoc {

void broken_protocol(const std::string& why) {
  throw Error(ErrorKind::corrupt, std::string(kBrokenProtocol) + why);
}

}  // namespace adoc
