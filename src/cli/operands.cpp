#include "cli/operands.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "adoc/error.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorKind::usage, why); }

/// As it stands on the command line.
std::string shown(std::string_view word) {
  std::string text(1, '\'');
  return text.append(printable(word)).append("'");
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// Whether it has the form HOST:PORT, which no file is likely to have.
bool has_port(const std::string& word) {
  const std::size_t colon = word.rfind(':');
  return colon != word.npos && colon > 0 && word.find('/') == word.npos &&
         is_number(std::string_view(word).substr(colon + 1));
}

/// HOST of a word as scp takes it, [USER@]HOST[:PATH].
struct Destination {
  std::string user;
  std::string host;
  std::string path;
  bool has_path = false;
};

Destination taken_apart(const std::string& word) {
  Destination to;
  std::string_view rest = word;
  if (const std::size_t at = rest.find('@'); at < rest.find_first_of(":/")) {
    to.user = rest.substr(0, at);
    rest.remove_prefix(at + 1);
  }
  // An address in brackets, or without, has colons of its own.
  const std::size_t begin = rest.starts_with('[') ? rest.find(']') : 0;
  const std::size_t colon = begin == rest.npos ? rest.npos : rest.find(':', begin);
  const bool is_address = begin == 0 && colon != rest.npos &&
                          rest.find(':', colon + 1) != rest.npos &&
                          rest.find_first_not_of("0123456789abcdefABCDEF:.%") == rest.npos;
  if (colon == rest.npos || is_address || rest.substr(0, colon).find('/') != rest.npos) {
    to.host = rest;
    return to;
  }
  to.host = rest.substr(0, colon);
  const std::string_view behind = rest.substr(colon + 1);
  // A port with a path behind it, HOST:PORT/PATH or HOST:PORT:PATH, is one, too.
  to.has_path = !is_number(behind);
  to.path = behind;
  return to;
}

/// Also one of which letters were lost: the rest of it is a secret, too.
bool looks_like_key(std::string_view word) {
  constexpr std::size_t kMostOfIt = 40;
  const auto is_alnum = [](unsigned char c) { return std::isalnum(c) != 0; };
  return word.size() >= kMostOfIt && word.starts_with("adoc1") &&
         std::ranges::all_of(word, is_alnum);
}

void refuse_habits(const std::string& word) {
  if (word.find("://") != std::string::npos)
    refuse(shown(word) + " is a URL; the last word is HOST[:PORT]");
  const Destination to = taken_apart(word);
  if (to.host.find('/') != std::string::npos)
    refuse(shown(word) +
           " is not a host: the last word says where to send to, HOST[:PORT], as in: " +
           "adoc-send report.tar host");
  const std::string host = to.host.empty() ? "HOST" : printable(to.host);
  if (word.find('@') != std::string::npos)
    refuse(shown(word) + ": there are no users here, the key says who gets in" +
           (to.has_path ? ", and no path follows the host: adoc-recv --out DIR there says where "
                          "everything goes"
                        : "") +
           "; write " + host);
  if (to.has_path && !to.host.empty())
    refuse(shown(word) +
           ": no path follows the host, but a port may: adoc-recv --out DIR there says " +
           "where everything goes; write " + host);
  if (is_number(word)) refuse(shown(word) + " is a port without a host, as in: localhost:" + word);
}

[[noreturn]] void refuse_single(const std::string& word) {
  if (word == "-" || exists(word))
    refuse("HOST is missing: where is " + shown(word) + " to go? As in: adoc-send " +
           printable(word) + " host");
  refuse("PATH is missing: what is to go to " + shown(word) + "? As in: adoc-send report.tar " +
         printable(word));
}

void refuse_wrong_order(const std::vector<std::string>& operands) {
  const std::string& first = operands.front();
  if (has_port(first) && !exists(first) && exists(operands.back()))
    refuse("HOST comes last, as in: adoc-send " + printable(operands.back()) + " " +
           printable(first));
  for (auto word = operands.begin(); word + 1 != operands.end(); ++word)
    if (has_port(*word) && !exists(*word))
      refuse(shown(*word) + " is not there to be sent, and only the last word is a HOST");
}

}  // namespace

void take_operands(SendOptions& send, std::vector<std::string> operands) {
  if (operands.empty())
    refuse(
        "PATH and HOST are missing; usage: adoc-send [options] PATH... HOST[:PORT], as in: "
        "adoc-send report.tar host");
  for (const std::string& word : operands) refuse_key(word);
  if (operands.size() == 1) refuse_single(operands.front());
  refuse_wrong_order(operands);
  if (operands.back().empty()) refuse("HOST is empty");
  refuse_habits(operands.back());
  send.peer = parse_endpoint(operands.back());
  operands.pop_back();
  send.paths = std::move(operands);
}

Endpoint parse_listen(const std::string& text, const std::string& default_host) {
  if (text.empty()) return {.host = default_host, .port = kDefaultPort};
  if (is_number(text)) return parse_endpoint(default_host + ":" + text);
  return parse_endpoint(text.front() == ':' ? default_host + text : text);
}

std::string stray_word_message(const std::string& word, bool has_out_directory) {
  if (word.empty()) return "there is an empty word among the options";
  if (has_out_directory)
    return shown(word) + " is one word too many: all that adoc-recv takes is options";
  return "the directory goes behind --out, as in: adoc-recv --out " + printable(word);
}

void refuse_key(const std::string& text) {
  if (!text.starts_with("ADOC_KEY=") && !looks_like_key(text)) return;
  refuse(
      "a key is not given as an argument, where others on this machine can read it: adoc-send "
      "--save-key HOST asks for it");
}

}  // namespace adoc::cli
