#include "fault/tree.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "support/read_file.hpp"

namespace adoc::fault {

namespace {

using testkit::any_size;
using testkit::up_to;
namespace fs = std::filesystem;

constexpr std::uint64_t kLargeFileBytes = 1 << 20;

[[noreturn]] void fail(const std::string& path) {
  throw std::runtime_error(path + ": " + std::strerror(errno));
}

std::string random_contents(Rng& rng, std::uint64_t bytes) {
  std::string contents(bytes, '\0');
  switch (up_to(rng, 3)) {
    case 0:  // noise
      for (char& byte : contents) byte = static_cast<char>(rng());
      break;
    case 1:  // letters
      for (char& byte : contents) byte = static_cast<char>('a' + rng() % 16);
      break;
    case 2: {  // lines
      const std::string line = "line " + std::to_string(rng()) + " of a file that shrinks well\n";
      for (std::size_t i = 0; i < contents.size(); ++i) contents[i] = line[i % line.size()];
      break;
    }
    default:  // of everything, in runs
      for (std::size_t i = 0; i < contents.size();) {
        const std::size_t run = std::min<std::size_t>(contents.size() - i, 1 + rng() % 20'000);
        const bool noise = rng() % 2 == 0;
        for (const std::size_t end = i + run; i < end; ++i)
          contents[i] = noise ? static_cast<char>(rng()) : 'x';
      }
  }
  return contents;
}

/// A run of data somewhere, holes around it.
std::string sparse_contents(Rng& rng) {
  std::string contents(any_size(rng, kLargeFileBytes) + 1, '\0');
  const std::size_t begin = up_to(rng, contents.size() - 1);
  const std::string data =
      random_contents(rng, std::min<std::size_t>(contents.size() - begin, 20'000));
  return contents.replace(begin, data.size(), data);
}

timespec random_time(Rng& rng) {
  if (up_to(rng, 15) == 0)
    return {.tv_sec = -static_cast<time_t>(up_to(rng, 1'000'000)), .tv_nsec = 5};
  return {.tv_sec = static_cast<time_t>(up_to(rng, 2'000'000'000)),
          .tv_nsec = static_cast<long>(up_to(rng, 999'999'999))};
}

std::string random_name(Rng& rng) {
  static const std::array<std::string, 12> odd{
      "two words",    "-n",        "line\nend",   "\xc3\xa4\xe2\x82\xac",
      "\xff\xfe raw", ".hidden",   "...",         ".adoc-0123456789abcdef.part",
      "tab\there",    "'quoted\"", "back\\slash", "*"};
  const std::uint64_t dice = up_to(rng, 19);
  if (dice < 3) return odd[up_to(rng, odd.size() - 1)];
  std::string name;
  const std::uint64_t length = dice == 3 ? 255 : 1 + up_to(rng, 8);
  while (name.size() < length) name += static_cast<char>('a' + rng() % 26);
  return name;
}

void add_entries(Rng& rng, const std::string& prefix, const std::string& canary, int depth,
                 Tree& tree) {
  static constexpr std::array<mode_t, 5> modes{0644, 0600, 0755, 0400, 0664};
  const std::uint64_t count = up_to(rng, 7) == 0 && depth == 0 ? 60 : up_to(rng, 5);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string name = prefix + random_name(rng);
    if (tree.contains(name)) continue;
    Node node{.type = S_IFREG, .mode = modes[up_to(rng, 4)], .time = random_time(rng)};
    const std::uint64_t dice = up_to(rng, 15);
    if (dice == 0) {
      node.type = S_IFLNK;
      const std::array<std::string, 4> targets{"nowhere", canary, "..", "./" + name};
      node.contents = targets[up_to(rng, 3)];
    } else if (dice < 4 && depth < 3) {
      node.type = S_IFDIR;
      node.mode = 0755;
      tree[name] = node;
      add_entries(rng, name + "/", canary, depth + 1, tree);
      continue;
    } else if (dice == 4) {
      node.contents = sparse_contents(rng);
    } else if (dice < 14) {
      node.contents = random_contents(
          rng, up_to(rng, 19) == 0 ? up_to(rng, kLargeFileBytes) : any_size(rng, 100'000));
    }
    tree[name] = std::move(node);
  }
}

void set_times(const std::string& path, const Node& node) {
  const std::array<timespec, 2> times{{{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, node.time}};
  if (::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW) != 0) fail(path);
}

/// Zero bytes become holes.
void write_file(const std::string& path, const Node& node) {
  constexpr std::size_t kPage = 4'096;
  static const std::string zeros(kPage, '\0');
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) fail(path);
  const std::string& contents = node.contents;
  if (::ftruncate(fd, std::ssize(contents)) != 0) fail(path);
  for (std::size_t at = 0; at < contents.size(); at += kPage) {
    const std::string_view page = std::string_view(contents).substr(at, kPage);
    if (page == std::string_view(zeros).substr(0, page.size())) continue;
    if (::pwrite(fd, page.data(), page.size(), static_cast<off_t>(at)) != std::ssize(page))
      fail(path);
  }
  if (::fchmod(fd, node.mode) != 0) fail(path);
  ::close(fd);
}

}  // namespace

Tree read_tree(const std::string& directory) {
  Tree tree;
  if (!fs::exists(directory)) return tree;
  for (const auto& item : fs::recursive_directory_iterator(directory)) {
    const std::string path = item.path().string();
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) fail(path);
    Node node{
        .type = status.st_mode & S_IFMT, .mode = status.st_mode & 07777, .time = status.st_mtim};
    if (S_ISLNK(status.st_mode)) node.contents = fs::read_symlink(item.path()).string();
    if (S_ISREG(status.st_mode)) node.contents = testkit::read_file(path).value_or("");
    tree[path.substr(directory.size() + 1)] = std::move(node);
  }
  return tree;
}

void write_tree(const std::string& directory, const Tree& tree) {
  fs::create_directories(directory);
  for (const auto& [name, node] : tree) {
    const std::string path = directory + "/" + name;
    if (node.type == S_IFDIR) {
      fs::create_directories(path);
    } else {
      fs::create_directories(fs::path(path).parent_path());
      if (node.type == S_IFLNK)
        fs::create_symlink(node.contents, path);
      else
        write_file(path, node);
      set_times(path, node);
    }
  }
  for (auto item = tree.rbegin(); item != tree.rend(); ++item)
    if (item->second.type == S_IFDIR) {
      const std::string path = directory + "/" + item->first;
      if (::chmod(path.c_str(), item->second.mode) != 0) fail(path);
      set_times(path, item->second);
    }
}

Tree random_tree(Rng& rng, const std::string& canary) {
  Tree tree;
  while (tree.empty()) add_entries(rng, "", canary, 0, tree);
  return tree;
}

void damage_files(Rng& rng, const std::string& directory) {
  for (const auto& [name, node] : read_tree(directory)) {
    if (node.type != S_IFREG || up_to(rng, 2) == 0) continue;
    const std::string path = directory + "/" + name;
    std::string contents = node.contents;
    const std::size_t at = up_to(rng, contents.size());
    switch (up_to(rng, 4)) {
      case 0:
        fs::remove(path);
        continue;
      case 1:
        contents.resize(at);
        break;
      case 2:
        contents.append(random_contents(rng, 1 + up_to(rng, 100)));
        break;
      case 3:
        for (std::size_t i = at; i < contents.size() && i < at + 5'000; ++i) contents[i] = '\0';
        break;
      default:
        if (at < contents.size())
          contents[at] = static_cast<char>(contents[at] ^ (1 << up_to(rng, 7)));
    }
    std::ofstream(path, std::ios::binary | std::ios::trunc) << contents;
  }
}

Tree older_versions(Rng& rng, const Tree& tree, const std::string& canary, bool by_contents) {
  Tree older;
  for (const auto& [name, node] : tree) {
    if (up_to(rng, 2) == 0) continue;
    Node old = node;
    if (node.type == S_IFREG) {
      switch (up_to(rng, by_contents ? 6 : 5)) {
        case 0:
          break;  // the same
        case 1:
          old.mode ^= 0040;
          break;
        case 2:
          old.time = random_time(rng);
          break;
        case 3:
          old.contents = random_contents(rng, any_size(rng, 50'000));
          old.time = random_time(rng);
          break;
        case 4:
          old.contents.resize(old.contents.size() / 2);
          old.time.tv_sec += 7;
          break;
        case 5:
          old = {.type = S_IFLNK, .mode = 0777, .time = random_time(rng), .contents = canary};
          break;
        default:
          for (char& byte : old.contents) byte = static_cast<char>(byte + 1);
      }
    } else if (node.type == S_IFLNK && up_to(rng, 1) == 0) {
      old.contents = "elsewhere";
      old.time = random_time(rng);
    }
    older[name] = std::move(old);
    // Its directories are there as well, whatever their time.
    for (std::size_t slash = name.find('/'); slash != name.npos; slash = name.find('/', slash + 1))
      older.try_emplace(name.substr(0, slash), Node{.type = S_IFDIR, .mode = 0700});
  }
  return older;
}

}  // namespace adoc::fault
