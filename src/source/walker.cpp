#include "source/walker.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "source/unfinished_files.hpp"
#include "util/errno_error.hpp"
#include "wire/outcome.hpp"
#include "wire/share.hpp"

namespace adoc {

namespace {

/// So many of what is not sent are named.
constexpr std::size_t kSpecialPaths = 3;

/// Sources that are kept open from the first to the last byte, so that they may be renamed.
constexpr std::size_t kKeptRoots = 8;

constexpr int kListedDirectoryFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

constexpr const char* kChanged = "it changed while it was listed";
constexpr const char* kNotRecursive = "it is a directory (-r is not given)";

void refuse_all_missing(const std::vector<std::string>& paths) {
  struct stat status {};
  for (const std::string& path : paths)
    if (path == "-" || ::lstat(path.c_str(), &status) == 0) return;
  throw errno_error(ErrorKind::local_file, "read " + adoc::quoted(paths.front()), errno);
}

bool is_too_long(std::string_view name) noexcept {
  return name.size() > SafeName::kMaxBytes ||
         name.size() - (name.rfind('/') + 1) > SafeName::kMaxComponentBytes;
}

/// Of a link that is to be followed.
std::optional<std::string> why_not_behind(Place place, int error_number) {
  struct stat status {};
  if (!std::exchange(place.follows_link, false) || place.look(status) != 0 ||
      !S_ISLNK(status.st_mode))
    return std::nullopt;
  if (error_number == ENOENT) return "it is a symbolic link to what is not there";
  return "cannot follow the symbolic link: " + errno_text(error_number);
}

}  // namespace

std::string destination_name(std::string_view path) {
  const std::string_view leaf = path.substr(path.rfind('/') + 1);
  return leaf == "." || leaf == ".." ? std::string() : std::string(leaf);
}

Walker::Walker(Setup setup)
    : setup_(std::move(setup)),
      describer_({.hashes_contents = setup_.hash_contents, .keep = setup_.keep}),
      earlier_(setup_.filter, setup_.one_file_system),
      user_(::geteuid()) {
  refuse_all_missing(setup_.paths);
}

std::optional<Found> Walker::next(const std::stop_token& stop) {
  while (auto found = find_next(stop)) {
    if (!setup_.shard) return found;
    if (!is_sent_here(*found)) continue;
    sent_ = found->entry.name.str();
    return found;
  }
  return std::nullopt;
}

std::optional<Found> Walker::find_next(const std::stop_token& stop) {
  while (true) {
    if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "interrupted");
    if (levels_.empty() && is_in_list()) {
      if (auto found = read_list_on(stop)) return found;
    } else if (levels_.empty()) {
      if (next_path_ == setup_.paths.size()) return std::nullopt;
      auto found = start_source(setup_.paths[next_path_], stop);
      ++next_path_;
      if (found) return found;
    } else if (auto found = read_on(stop)) {
      return found;
    }
  }
}

std::optional<Found> Walker::start_source(const std::string& path, const std::stop_token& stop) {
  root_ = nullptr;
  root_bytes_ = 0;
  path_ = path;
  own_name_ = destination_name(path);
  name_ = path == "-" ? setup_.stdin_name : setup_.name.empty() ? own_name_ : setup_.name;
  if (path == "-") return start_standard_input();
  if (setup_.listed) return start_list();
  if (name_.empty()) return start_contents();
  return start_named(stop);
}

std::optional<Found> Walker::start_standard_input() {
  struct stat status {};
  status.st_mode = S_IFREG;
  Here here{.others = earlier_.that_may_have(name_)};
  const bool first = is_first(here, status);
  earlier_.add({.path = path_, .name = name_, .status = status});
  if (!first) return std::nullopt;
  Found found = this->found(describe_standard_input(SafeName::check(name_)), status);
  found.source.is_standard_input = true;
  return found;
}

std::optional<Found> Walker::start_contents() {
  if (!setup_.recursive) return failed(kNotRecursive);
  root_ = SourceRoot::open({.path = path_,
                            .follows_link = true,
                            .follows_links_below = setup_.copy_links,
                            .keeps_descriptor = next_path_ < kKeptRoots});
  Fd directory = root_ ? root_->open_itself() : Fd();
  if (!directory) return failed("cannot list it: " + errno_text(errno));
  root_bytes_ = path_.size() + (path_.ends_with('/') ? 0 : 1);
  EarlierSources::Indices others = earlier_.that_may_have({});
  earlier_.add({.path = path_, .root = root_, .status = root_->status()});
  levels_.push({.reader = DirectoryReader(std::move(directory)),
                .identity = identity_of(root_->status()),
                .others = std::move(others),
                .path_bytes = path_.size()});
  return std::nullopt;
}

std::optional<Found> Walker::start_named(const std::stop_token& stop) {
  const std::string path = path_;
  const std::string name = name_;
  const Place place{AT_FDCWD, path.c_str(), setup_.copy_links};
  struct stat status {};
  if (place.look(status) != 0) {
    const int error_number = errno;
    return not_looked_at(place, "cannot look at it: " + errno_text(error_number), error_number);
  }
  auto found = visit({.place = place, .others = earlier_.that_may_have(name)}, stop);
  earlier_.add({.path = path, .name = name, .root = root_, .status = status});
  return found;
}

std::optional<Found> Walker::read_on(const std::stop_token& stop) {
  Level& level = levels_.back();
  const auto item = level.reader.next();
  if (!item) return leave();
  path_.resize(level.path_bytes);
  if (!path_.ends_with('/')) path_ += '/';
  path_ += item->name;
  name_.resize(level.name_bytes);
  if (!name_.empty()) name_ += '/';
  name_ += item->name;
  try {
    // What is behind a link may be anything.
    const bool is_followed = setup_.copy_links && item->type == DT_LNK;
    return visit({.place = {level.reader.directory(), item->name, setup_.copy_links},
                  .others = level.others,
                  .type = is_followed ? static_cast<unsigned char>(DT_UNKNOWN) : item->type},
                 stop);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted) level.reader.again();
    throw;
  }
}

std::optional<Found> Walker::leave() {
  const Level& level = levels_.back();
  path_.resize(level.path_bytes);
  name_.resize(level.name_bytes);
  reached(WalkStep::ended);
  const int error_number = level.reader.error();
  std::optional<Found> found;
  if (error_number != 0)
    found = unlisted(level.status, source_error("list it", error_number).what());
  else if (!name_.empty())
    found = found_directory(level.status, level.reader.directory());
  levels_.pop({root_, path_, root_bytes_});
  return found;
}

std::optional<Found> Walker::visit(Here here, const std::stop_token& stop) {
  const bool type_is_known = here.type != DT_UNKNOWN;
  const bool listed_as_directory = here.type == DT_DIR;
  if (type_is_known && !includes(listed_as_directory)) return std::nullopt;
  if (is_too_long(name_)) return failed("its name is too long");
  reached(WalkStep::listed);
  struct stat status {};
  // A directory is opened without being looked at before: what is open is what is sent. With -x
  // that could mount what is not wanted.
  if (listed_as_directory && !setup_.one_file_system) {
    Fd directory(
        ::openat(here.place.directory, here.place.name, kListedDirectoryFlags | O_NOFOLLOW));
    if (directory && ::fstat(directory.get(), &status) == 0)
      return enter(std::move(directory), std::move(here), status);
  }
  if (here.place.look(status) != 0) {
    const int error_number = errno;
    return not_looked_at(here.place, source_error("look at it", error_number).what(), error_number);
  }
  const bool is_directory = S_ISDIR(status.st_mode);
  const bool is_other_type = !type_is_known || is_directory != listed_as_directory;
  if (is_other_type && !includes(is_directory)) return std::nullopt;
  if (is_directory && !setup_.recursive) return failed(kNotRecursive);
  if (is_directory && levels_.empty() && setup_.listed) return failed(kChanged);
  reached(WalkStep::looked_at);
  if (is_directory) return visit_directory(std::move(here), status);
  return visit_file(std::move(here), status, stop);
}

std::optional<Found> Walker::not_looked_at(const Place& place, std::string why,
                                           int error_number) const {
  auto why_of_link = why_not_behind(place, error_number);
  if (why_of_link && !includes(false)) return std::nullopt;
  return failed(why_of_link ? *std::move(why_of_link) : std::move(why));
}

std::optional<Found> Walker::visit_directory(Here here, const struct stat& looked_at) {
  Fd directory(::openat(here.place.directory, here.place.name,
                        kListedDirectoryFlags | here.place.no_follow()));
  struct stat status {};
  if (!directory || ::fstat(directory.get(), &status) != 0)
    return unlisted(looked_at, source_error("list it", errno).what());
  if (!is_listed(directory.get(), status, identity_of(looked_at)))
    return unlisted(looked_at, kChanged);
  if (levels_.empty()) {
    root_ = SourceRoot::open({.path = path_,
                              .follows_link = setup_.copy_links,
                              .follows_links_below = setup_.copy_links,
                              .keeps_descriptor = next_path_ < kKeptRoots});
    if (!root_ || identity_of(root_->status()) != identity_of(status))
      return unlisted(looked_at, kChanged);
    root_bytes_ = path_.size() + (path_.ends_with('/') ? 0 : 1);
  }
  return enter(std::move(directory), std::move(here), status);
}

std::optional<Found> Walker::visit_file(Here here, struct stat status,
                                        const std::stop_token& stop) {
  if (setup_.shard && !takes(status)) return std::nullopt;
  if (setup_.own_file == std::pair(status.st_dev, status.st_ino)) {
    tell_left_out("it is what this transfer is written to");
    return std::nullopt;
  }
  if (leads_to_own_directory(name_)) return failed(kIsOwnDirectory);
  if (!is_first(here, status)) return std::nullopt;
  // Who names one is told that it cannot be sent, as by scp; in a tree it is no failure.
  if (!levels_.empty() && !is_sent_kind(status.st_mode)) {
    note_special();
    return std::nullopt;
  }
  try {
    Entry entry = describer_.describe(here.place, SafeName::check(name_), status, stop);
    if (is_split(status) && entry.size != kUnknownSize)
      entry.share = {*setup_.shard, status.st_ctim.tv_sec,
                     static_cast<std::uint32_t>(status.st_ctim.tv_nsec)};
    return found(std::move(entry), status);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted) throw;
    return failed(error.what());
  }
}

std::optional<Found> Walker::enter(Fd directory, Here here, const struct stat& status) {
  const bool is_named = levels_.empty();
  if (!is_named && leads_to_own_directory(std::string_view(name_).substr(name_.rfind('/') + 1)) &&
      holds_unfinished_files(directory.get())) {
    tell_left_out("a receiver keeps in it what has arrived of unfinished files");
    return std::nullopt;
  }
  if (leads_to_own_directory(name_)) return failed(kIsOwnDirectory);
  // Only links lead back to where the walk is in.
  if (setup_.copy_links && levels_.holds(identity_of(status)))
    return unlisted(status, "a symbolic link leads back to a directory that it lies in");
  struct stat shown = status;
  if (!is_first(here, shown)) return std::nullopt;
  const bool is_other = setup_.one_file_system && status.st_dev != root_->status().st_dev;
  if (is_other || setup_.listed) return found_directory(shown, directory.get());
  levels_.push({.reader = DirectoryReader(std::move(directory)),
                .identity = identity_of(status),
                .status = shown,
                .others = std::move(here.others),
                .path_bytes = path_.size(),
                .name_bytes = name_.size()});
  return std::nullopt;
}

// What is in a directory came right before it. A failure is told by each that may have to send it:
// by none would be worse.
bool Walker::is_sent_here(const Found& found) const {
  if (!found.failure.empty() || found.entry.kind != EntryKind::directory) return true;
  const std::string& name = found.entry.name.str();
  return (sent_.size() > name.size() && sent_[name.size()] == '/' && sent_.starts_with(name)) ||
         shard_of_name(name, setup_.shard->count) == setup_.shard->number;
}

bool Walker::is_split(const struct stat& status) const {
  const bool has_names = setup_.keep.hard_links && status.st_nlink > 1;
  return setup_.shard && setup_.shard->count > 1 && S_ISREG(status.st_mode) && !has_names &&
         static_cast<std::uint64_t>(status.st_size) > kSplitBytes;
}

bool Walker::takes(const struct stat& status) const {
  const Shard& shard = *setup_.shard;
  if (is_split(status))
    return SharePieces(shard, name_, static_cast<std::uint64_t>(status.st_size))
        .next(0)
        .has_value();
  if (S_ISREG(status.st_mode) && status.st_nlink > 1 && setup_.keep.hard_links)
    return shard_of_inode(status.st_ino, shard.count) == shard.number;
  return shard_of_name(name_, shard.count) == shard.number;
}

bool Walker::includes(bool is_directory) const {
  if (setup_.name.empty()) return setup_.filter.includes(name_, is_directory);
  std::string own = own_name_;
  own.append(name_, setup_.name.size());
  if (own.starts_with('/')) own.erase(0, 1);
  return own.empty() || setup_.filter.includes(own, is_directory);
}

bool Walker::is_first(Here& here, struct stat& status) const {
  if (here.others.empty()) return true;
  const auto first = earlier_.find(name_, here.others);
  here.others.clear();
  if (!first) return true;
  const bool is_same = identity_of(first->status) == identity_of(status);
  if (is_same) return false;  // given twice
  if (!S_ISDIR(status.st_mode) || !S_ISDIR(first->status.st_mode)) {
    tell_left_out(adoc::quoted(first->path) + " has the same name there and comes first");
    return false;
  }
  here.others = first->directories;
  if (first->status.st_ino != 0) status = first->status;
  return true;
}

Found Walker::found(Entry entry, const struct stat& status) {
  const bool is_known = status.st_ino != 0;
  if (is_known) describer_.metadata().add_owner(entry, status);
  if (status.st_uid != user_ && is_known && !setup_.keep.owner) ++not_kept_.owners;
  if (S_ISREG(status.st_mode) && status.st_nlink > 1 && !setup_.keep.hard_links)
    ++not_kept_.hard_links;
  return {.entry = std::move(entry),
          .source = {.path = path_,
                     .root = root_,
                     .below_root = root_bytes_,
                     .identity = identity_of(status),
                     .follows_link = setup_.copy_links},
          .failure = {}};
}

Found Walker::found_directory(const struct stat& status, int directory) {
  Entry entry = describer_.describe({}, SafeName::check(name_), status, {});
  struct stat opened {};
  // Several sources may have one directory: what is kept is that of the first.
  if (describer_.metadata().reads_attributes() && directory >= 0 &&
      ::fstat(directory, &opened) == 0 && identity_of(opened) == identity_of(status))
    describer_.metadata().add_attributes(entry, directory);
  return found(std::move(entry), status);
}

NotKept Walker::not_kept() const {
  NotKept all = not_kept_;
  all.attributes += describer_.metadata().lost_attributes();
  all.access_lists += describer_.metadata().lost_access_lists();
  return all;
}

Found Walker::failed(std::string reason) const {
  // Contents have no name of their own there: whoever reads of the failure knows the directory's.
  std::string name =
      !name_.empty() ? name_ : destination_name(path_.substr(0, path_.find_last_not_of('/') + 1));
  // Of "." and "..": what they are called where they are.
  std::error_code unknown;
  if (name.empty()) name = destination_name(std::filesystem::canonical(path_, unknown).string());
  if (name.empty()) name = "contents";
  if (is_too_long(name)) name = "name too long";
  if (leads_to_own_directory(name)) name = "name in use";
  return {.entry = {.name = SafeName::check(std::move(name))},
          .source = {.path = path_},
          .failure = std::move(reason)};
}

Found Walker::unlisted(const struct stat& status, const std::string& reason) {
  if (name_.empty() || leads_to_own_directory(name_)) return failed(reason);
  Found directory = found_directory(status, -1);
  directory.failure = reason;
  return directory;
}

void Walker::note_special() {
  ++not_kept_.special;
  if (not_kept_.special_paths.size() < kSpecialPaths) not_kept_.special_paths.push_back(path_);
}

void Walker::tell_left_out(const std::string& why) const {
  if (setup_.left_out) setup_.left_out(path_, why);
}

void Walker::reached(WalkStep step) const {
  if (setup_.reached) setup_.reached(step, path_);
}

}  // namespace adoc
