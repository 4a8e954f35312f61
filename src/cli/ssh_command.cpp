#include "cli/ssh_command.hpp"

#include <array>

namespace adoc::cli {

namespace {

/// As scp has it: nothing of what the user has configured for a session at a terminal. They come
/// first, since ssh takes the first value of an option that it is given.
constexpr std::array kNoSession{"-x", "-oPermitLocalCommand=no", "-oClearAllForwardings=yes",
                                "-oRemoteCommand=none", "-oRequestTTY=no"};

std::vector<std::string> with_options(const SshOptions& options, const Place& place) {
  std::vector<std::string> words{options.program};
  words.insert(words.end(), kNoSession.begin(), kNoSession.end());
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  const std::string port = place.port ? std::to_string(*place.port) : options.port;
  if (!port.empty()) words.insert(words.end(), {"-p", port});
  return words;
}

}  // namespace

std::vector<std::string> ssh_command(const SshOptions& options, const Place& place,
                                     const std::string& command) {
  std::vector<std::string> words = with_options(options, place);
  words.insert(words.end(), {"--", place.host, command});
  return words;
}

std::vector<std::string> ssh_query(const SshOptions& options, const Place& place) {
  std::vector<std::string> words = with_options(options, place);
  words.insert(words.end(), {"-G", "--", place.host});
  return words;
}

}  // namespace adoc::cli
