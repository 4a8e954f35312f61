#include "util/errno_error.hpp"

#include <cctype>
#include <system_error>

namespace adoc {

std::string errno_text(int error_number) {
  std::string text = std::generic_category().message(error_number);
  // "Is a directory" reads as part of a sentence, "I/O error" keeps its capitals.
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0)
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

Error errno_error(ErrorKind kind, std::string_view action, int error_number) {
  return {kind, "cannot " + std::string(action) + ": " + errno_text(error_number)};
}

}  // namespace adoc
