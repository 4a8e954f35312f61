#include "cli/messages.hpp"

#include "util/safe_name.hpp"

namespace adoc::cli {

std::string entry_message(std::string_view path, std::string_view message) {
  const auto names = [message](std::string_view name) {
    return message.find(name) != std::string_view::npos;
  };
  if (names(path) || names(adoc::quoted(path))) return std::string(message);
  return adoc::quoted(path) + ": " + std::string(message);
}

}  // namespace adoc::cli
