#include "cli/name_list.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "adoc/error.hpp"
#include "util/errno_error.hpp"
#include "util/fd.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {
namespace {

std::string read_all(const NameList& list) {
  const auto failed = [&](int error_number) {
    return errno_error(ErrorKind::local_file,
                       "read the list of " + list.option + ", " + adoc::quoted(list.file),
                       error_number);
  };
  const bool is_standard_input = list.file == "-";
  const Fd opened(is_standard_input ? -1 : ::open(list.file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!is_standard_input && !opened) throw failed(errno);
  const int file = is_standard_input ? STDIN_FILENO : opened.get();
  std::string text;
  std::array<char, 64 << 10> buffer{};
  while (true) {
    const ssize_t got = ::read(file, buffer.data(), buffer.size());
    if (got == 0) return text;
    if (got > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (errno == EAGAIN) {
      pollfd polled{file, POLLIN, 0};
      ::poll(&polled, 1, -1);
    } else if (errno != EINTR) {
      throw failed(errno);
    }
  }
}

}  // namespace

std::vector<std::string> read_lines(const NameList& list) {
  const std::string text = read_all(list);
  const std::string_view ends = list.ends_in_nul ? std::string_view("\0", 1) : "\n\r";
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(ends, begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.find('\0') != line.npos)
      throw Error(ErrorKind::usage, list.option + ": there is a NUL in " + adoc::quoted(list.file) +
                                        "; with -0 it is what ends each name");
    lines.emplace_back(line);
  }
  return lines;
}

}  // namespace adoc::cli
