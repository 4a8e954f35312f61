#include "source/level_stack.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

namespace adoc {

namespace {

/// Levels with a descriptor: most trees are not deeper.
constexpr std::size_t kHeldLevels = 16;

constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

}  // namespace

void LevelStack::push(Level level) {
  levels_.push_back(std::move(level));
  if (levels_.size() - suspended_ > kHeldLevels) levels_[suspended_++].reader.suspend();
}

bool LevelStack::holds(const FileIdentity& directory) const noexcept {
  return std::ranges::find(levels_, directory, &Level::identity) != levels_.end();
}

void LevelStack::pop(const Way& way) {
  const Level last = std::move(levels_.back());
  levels_.pop_back();
  if (levels_.empty() || suspended_ < levels_.size()) return;
  --suspended_;
  Level& level = levels_.back();
  Fd directory = open_again(level, last.reader, way);
  if (directory)
    level.reader.resume(std::move(directory));
  else
    level.reader.fail(errno);
}

Fd LevelStack::open_again(const Level& level, const DirectoryReader& below, const Way& way) const {
  struct stat status {};
  // The parent of a directory that was moved meanwhile may be anything: hence the comparison.
  Fd above(::openat(below.directory(), "..", kDirectoryFlags));
  if (above && ::fstat(above.get(), &status) == 0 && identity_of(status) == level.identity)
    return above;
  const std::size_t begin = std::min(way.below_root, level.path_bytes);
  const std::string path = way.path.substr(begin, level.path_bytes - begin);
  Fd found = path.empty() ? way.root->open_itself() : way.root->open_below(path, kDirectoryFlags);
  if (!found || ::fstat(found.get(), &status) != 0) return {};
  if (is_listed(found.get(), status, level.identity)) return found;
  errno = ENOENT;  // what was listed is not there any more
  return {};
}

}  // namespace adoc
