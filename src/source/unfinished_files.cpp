#include "source/unfinished_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string_view>

#include "source/directory_reader.hpp"
#include "util/atomic_file.hpp"

namespace adoc {

bool holds_unfinished_files(int directory) {
  // A user's directory of that name may be a large one.
  constexpr int kLookedAt = 1'000;
  DirectoryReader reader(Fd(::fcntl(directory, F_DUPFD_CLOEXEC, 0)));
  int names = 0;
  bool found = false;
  while (!found && names < kLookedAt) {
    const auto item = reader.next();
    if (!item) break;
    ++names;
    found = std::string_view(item->name).starts_with(kTemporaryPrefix);
  }
  // The position is that of both descriptors.
  ::lseek(directory, 0, SEEK_SET);
  return found || (names == 0 && reader.error() == 0);
}

}  // namespace adoc
