#include <fcntl.h>

#include <cerrno>

#include "source/unfinished_files.hpp"
#include "source/walker.hpp"
#include "util/errno_error.hpp"

// A walk through the names of a list, in the directory that is its source. The directories on the
// way to a name are sent, too, each after the last name in it.

namespace adoc {

namespace {

constexpr int kOnTheWayFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

bool has_dot_dot(const std::string& path) {
  return ("/" + path + "/").find("/../") != std::string::npos;
}

}  // namespace

std::optional<Found> Walker::start_list() {
  root_ = SourceRoot::open(
      {.path = path_, .follows_link = true, .follows_links_below = setup_.copy_links});
  if (!root_) return failed("cannot list it: " + errno_text(errno));
  root_bytes_ = path_.size() + (path_.ends_with('/') ? 0 : 1);
  if (!path_.ends_with('/')) path_ += '/';
  list_ = sorted_names(*setup_.listed);
  at_listed_ = 0;
  return std::nullopt;
}

std::optional<Found> Walker::read_list_on(const std::stop_token& stop) {
  const bool ended = at_listed_ == list_.size();
  if (!on_the_way_.empty() &&
      (ended || !lies_below(list_[at_listed_].path, on_the_way_.back().path))) {
    const OnTheWay last = std::move(on_the_way_.back());
    on_the_way_.pop_back();
    parent_.reset();
    stand_at(last.path);
    const Fd directory = root_->open_below(last.path, kOnTheWayFlags);
    return found_directory(last.status, directory.get());
  }
  if (ended) {
    list_.clear();
    return std::nullopt;
  }
  const ListedName& name = list_[at_listed_];
  const std::size_t slash = name.path.rfind('/');
  const std::string parent = slash == name.path.npos ? "" : name.path.substr(0, slash);
  // What is right in a directory that was listed with a slash has been sent.
  if (!contents_.empty() && parent == contents_ && !name.contents) {
    ++at_listed_;
    return std::nullopt;
  }
  // The next directory on the way, if there is one left.
  const std::size_t known = on_the_way_.empty() ? 0 : on_the_way_.back().path.size() + 1;
  if (known < parent.size())
    return enter_on_the_way(name.path.substr(0, name.path.find('/', known)));
  stand_at(name.path);
  auto found = visit_listed(name, parent, stop);
  ++at_listed_;
  return found;
}

void Walker::stand_at(const std::string& name) {
  path_.resize(root_bytes_);
  path_ += name;
  name_ = name;
}

Found Walker::failed_outside() {
  name_ = "outside";  // no name can say where it is
  return failed("a name with '..' leads out of the directory that is sent");
}

std::optional<Found> Walker::enter_on_the_way(const std::string& path) {
  stand_at(path);
  Fd directory;
  struct stat status {};
  std::string failure;
  if (has_dot_dot(path)) {
    stand_at(list_[at_listed_++].path);
    return failed_outside();
  }
  if (leads_to_own_directory(path)) {
    failure = kIsOwnDirectory;
  } else {
    directory = root_->open_below(path, kOnTheWayFlags);
    if (!directory || ::fstat(directory.get(), &status) != 0)
      failure = errno == ELOOP ? "a symbolic link is on its way"
                               : "cannot open its directory: " + errno_text(errno);
  }
  if (failure.empty()) {
    parent_ = std::move(directory);
    on_the_way_.push_back({path, status});
    return std::nullopt;
  }
  // The name that was listed fails, not the directory, which nobody has listed.
  stand_at(list_[at_listed_].path);
  ++at_listed_;
  return failed(std::move(failure));
}

std::optional<Found> Walker::visit_listed(const ListedName& name, const std::string& parent,
                                          const std::stop_token& stop) {
  if (has_dot_dot(name.path)) return failed_outside();
  if (name_.size() > SafeName::kMaxBytes) return failed("its name is too long");
  if (leads_to_own_directory(name.path)) return failed(kIsOwnDirectory);
  if (!parent_)
    parent_ = parent.empty() ? root_->open_itself() : root_->open_below(parent, kOnTheWayFlags);
  if (!parent_) return failed("cannot open its directory: " + errno_text(errno));
  const std::string leaf = name.path.substr(parent.empty() ? 0 : parent.size() + 1);
  const Place place{parent_.get(), leaf.c_str(), setup_.copy_links};
  struct stat status {};
  if (place.look(status) != 0) {
    const int error_number = errno;
    return not_looked_at(place, "cannot look at it: " + errno_text(error_number), error_number);
  }
  if (!S_ISDIR(status.st_mode)) return visit({.place = place}, stop);
  if (!includes(true)) return std::nullopt;
  parent_.reset();
  const bool is_other = setup_.one_file_system && status.st_dev != root_->status().st_dev;
  if (!name.contents || is_other) {
    on_the_way_.push_back({name.path, status});
    return std::nullopt;
  }
  Fd directory = root_->open_below(name.path, kOnTheWayFlags);
  if (!directory || ::fstat(directory.get(), &status) != 0)
    return unlisted(status, source_error("list it", errno).what());
  contents_ = name.path;
  levels_.push({.reader = DirectoryReader(std::move(directory)),
                .identity = identity_of(status),
                .status = status,
                .path_bytes = path_.size(),
                .name_bytes = name_.size()});
  return std::nullopt;
}

}  // namespace adoc
