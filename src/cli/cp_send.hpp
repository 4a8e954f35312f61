#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adoc/error.hpp"
#include "adoc/observer.hpp"
#include "cli/cp_copy.hpp"
#include "io/stream.hpp"
#include "transfer/connection_source.hpp"

namespace adoc::cli {

/// The sending end of a copy that is here.
struct SendingEnd {
  std::unique_ptr<Stream> stream{};         ///< of one that is all there is
  ConnectionSource* connections = nullptr;  ///< else
  std::vector<std::string> sources;
  std::string name{};  ///< that the one source gets; empty: its own
  std::string peer{};  ///< in messages
  const char* verb = "sent";
  /// What is told of an error that ends it; empty: the error.
  std::function<Error(const Error&)> explain{};
};

/// Sends, shows how it goes, and tells at the end what was done; gives an exit code. Throws Error
/// where the copy does not go to its end.
[[nodiscard]] int send_and_tell(const CopySetup& setup, SendingEnd end);

/// The last line of a copy, and its figures with --json.
void tell_done(const CopySetup& setup, const char* verb, const Statistics& statistics,
               const LossyTotals& lossy = {});

/// As the library takes them.
[[nodiscard]] std::vector<std::string> paths_of(const std::vector<Place>& places);

}  // namespace adoc::cli
