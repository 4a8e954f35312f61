#include "source/listed_names.hpp"

#include <algorithm>
#include <string_view>

namespace adoc {

namespace {

ListedName cleaned(std::string_view listed) {
  ListedName name;
  bool ends_open = false;  // in a slash, or in a dot behind one
  for (std::size_t begin = 0; begin <= listed.size();) {
    const std::size_t end = std::min(listed.find('/', begin), listed.size());
    const std::string_view component = listed.substr(begin, end - begin);
    ends_open = component.empty() || component == ".";
    if (!ends_open) name.path.append(name.path.empty() ? "" : "/").append(component);
    begin = end + 1;
  }
  name.contents = ends_open;
  return name;
}

/// The slash comes before every other byte, so that no other name is between a directory and what
/// is in it.
bool comes_before(const ListedName& one, const ListedName& other) noexcept {
  const auto rank = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c) + 1; };
  return std::ranges::lexicographical_compare(one.path, other.path, {}, rank, rank);
}

}  // namespace

std::vector<ListedName> sorted_names(const std::vector<std::string>& list) {
  std::vector<ListedName> names;
  names.reserve(list.size());
  for (const std::string& listed : list) {
    ListedName name = cleaned(listed);
    if (!name.path.empty()) names.push_back(std::move(name));
  }
  std::ranges::sort(names, comes_before);
  std::vector<ListedName> once;
  once.reserve(names.size());
  for (ListedName& name : names) {
    if (!once.empty() && once.back().path == name.path)
      once.back().contents = once.back().contents || name.contents;
    else
      once.push_back(std::move(name));
  }
  return once;
}

bool lies_below(const std::string& path, const std::string& directory) noexcept {
  return path.size() > directory.size() && path[directory.size()] == '/' &&
         path.starts_with(directory);
}

}  // namespace adoc
