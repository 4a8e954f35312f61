#include "cli/ending.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <string>

#include "cli/words.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {
namespace {

/// What the same command would do.
std::string how_it_goes_on(const SendOptions& options) {
  if (std::ranges::find(options.paths, "-") != options.paths.end())
    return "what came from standard input has to be sent again";
  if (!options.resume) return "the same command sends what is missing";
  return "what had arrived of large ones is kept, and the same command goes on from there";
}

std::string what_is_there(const Statistics& statistics) {
  const std::uint64_t done = statistics.committed + statistics.skipped;
  return std::to_string(done) + (done == 1 ? " entry is" : " entries are") + " complete there";
}

/// A word that is a name here is no host by mistake, more often than not.
bool is_name_here(const std::string& host) {
  struct stat status {};
  return ::lstat(host.c_str(), &status) == 0;
}

}  // namespace

std::string what_is_written(const SendOptions& options) {
  if (options.to_file.empty()) return {};
  const bool from_pipe = std::ranges::find(options.paths, "-") != options.paths.end();
  const std::string again = from_pipe ? "what came from standard input has to be given again"
                                      : "the same command writes it from the start";
  if (options.to_file == "-") return "what went to standard output is cut off, and " + again;
  return "nothing was written to " + adoc::quoted(options.to_file) + ", and " + again;
}

Error with_what_is_there(const Error& why, const Statistics& statistics,
                         const SendOptions& options) {
  const std::string message = words_of(why);
  const bool ended = why.kind() == ErrorKind::interrupted;
  if (!options.to_file.empty()) {
    if (!ended) return why;
    return {why.kind(), message + "; " + what_is_written(options)};
  }
  const bool lost = why.kind() == ErrorKind::connect;
  const bool begun =
      statistics.bytes > 0 || statistics.files + statistics.directories + statistics.links > 0;
  if (lost && !begun && is_name_here(options.peer.host))
    return {why.kind(), message + " (there is a file or directory " + options.peer.host +
                            " here: the last word is HOST)"};
  const bool says_how = message.find("the same command") != std::string::npos ||
                        message.find("standard input") != std::string::npos;
  if (!(ended || lost) || options.dry_run || !begun || says_how) return why;
  return {why.kind(), message + "; " + what_is_there(statistics) + ", " + how_it_goes_on(options)};
}

}  // namespace adoc::cli
