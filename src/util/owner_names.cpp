#include "util/owner_names.hpp"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>

namespace adoc {

namespace {

constexpr std::size_t kRecordBytes = 1'024;
constexpr std::size_t kMostRecordBytes = 1 << 20;  ///< a group with tens of thousands of members

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// Calls `look(buffer)`, which gives an errno, with as much room as it asks for.
template <typename Look>
int with_room(std::vector<char>& buffer, Look look) {
  int result = look(buffer);
  while (result == ERANGE && buffer.size() < kMostRecordBytes) {
    buffer.resize(buffer.size() * 4);
    result = look(buffer);
  }
  return result;
}

template <typename Take>
void each_user(Take take) {
  const File file(std::fopen("/etc/passwd", "re"));
  std::vector<char> buffer(kRecordBytes);
  passwd record{};
  passwd* found = nullptr;
  const auto next = [&](std::vector<char>& room) {
    return ::fgetpwent_r(file.get(), &record, room.data(), room.size(), &found);
  };
  while (file && with_room(buffer, next) == 0 && found != nullptr) take(*found);
}

template <typename Take>
void each_group(Take take) {
  const File file(std::fopen("/etc/group", "re"));
  std::vector<char> buffer(kRecordBytes);
  group record{};
  group* found = nullptr;
  const auto next = [&](std::vector<char>& room) {
    return ::fgetgrent_r(file.get(), &record, room.data(), room.size(), &found);
  };
  while (file && with_room(buffer, next) == 0 && found != nullptr) take(*found);
}

}  // namespace

const std::string& OwnerNames::user(uid_t id) {
  const auto [at, is_new] = users_.try_emplace(id);
  if (!is_new) return at->second;
  std::vector<char> buffer(kRecordBytes);
  passwd record{};
  passwd* found = nullptr;
  const int result = with_room(buffer, [&](std::vector<char>& room) {
    return ::getpwuid_r(id, &record, room.data(), room.size(), &found);
  });
  if (result == 0 && found != nullptr) at->second = found->pw_name;
  return at->second;
}

const std::string& OwnerNames::group(gid_t id) {
  const auto [at, is_new] = groups_.try_emplace(id);
  if (!is_new) return at->second;
  std::vector<char> buffer(kRecordBytes);
  ::group record{};
  ::group* found = nullptr;
  const int result = with_room(buffer, [&](std::vector<char>& room) {
    return ::getgrgid_r(id, &record, room.data(), room.size(), &found);
  });
  if (result == 0 && found != nullptr) at->second = found->gr_name;
  return at->second;
}

OwnerIds OwnerIds::read() {
  OwnerIds ids;
  ids.is_root_ = ::geteuid() == 0;
  // As for the system, the first of two with one name counts.
  each_user([&](const passwd& user) { ids.users_.try_emplace(user.pw_name, user.pw_uid); });
  each_group([&](const ::group& group) { ids.groups_.try_emplace(group.gr_name, group.gr_gid); });
  const int count = std::max(::getgroups(0, nullptr), 0);
  ids.own_groups_.resize(static_cast<std::size_t>(count));
  ids.own_groups_.resize(
      static_cast<std::size_t>(std::max(::getgroups(count, ids.own_groups_.data()), 0)));
  ids.own_groups_.push_back(::getegid());
  return ids;
}

uid_t OwnerIds::user(const std::string& name, uid_t id) const {
  if (id == 0 || name.empty()) return id;
  const auto found = users_.find(name);
  return found == users_.end() ? id : found->second;
}

gid_t OwnerIds::group(const std::string& name, gid_t id) const {
  if (id == 0 || name.empty()) return id;
  const auto found = groups_.find(name);
  return found == groups_.end() ? id : found->second;
}

bool OwnerIds::is_own_group(gid_t id) const {
  return std::ranges::find(own_groups_, id) != own_groups_.end();
}

}  // namespace adoc
