#include "source/earlier_sources.hpp"

#include <algorithm>

#include "source/describe.hpp"

namespace adoc {

namespace {

/// What is left of `name` below the directory `top`, if it is below it.
std::optional<std::string> below(const std::string& name, const std::string& top) {
  if (top.empty()) return name;
  if (!name.starts_with(top) || name.size() <= top.size() || name[top.size()] != '/')
    return std::nullopt;
  return name.substr(top.size() + 1);
}

std::string path_of(const EarlierSources::Source& source, const std::string& name) {
  const auto rest = below(name, source.name);
  if (!rest) return source.path;
  return source.path + (source.path.ends_with('/') ? "" : "/") + *rest;
}

}  // namespace

EarlierSources::Indices EarlierSources::that_may_have(std::string_view name) const {
  const auto top = [](std::string_view path) { return path.substr(0, path.find('/')); };
  Indices indices;
  for (std::size_t i = 0; i < sources_.size(); ++i)
    if (name.empty() || sources_[i].name.empty() || top(sources_[i].name) == top(name))
      indices.push_back(i);
  return indices;
}

bool EarlierSources::look(const Source& source, const std::string& name,
                          struct stat& status) const {
  if (name == source.name) {
    status = source.status;
    return true;
  }
  const auto rest = below(name, source.name);
  if (rest) return source.root && source.root->look_below(*rest, status);
  // Standard input may have a name with directories, which nobody has described.
  status = {};
  status.st_mode = S_IFDIR;
  return below(source.name, name).has_value();
}

std::optional<EarlierSources::First> EarlierSources::find(const std::string& name,
                                                          const Indices& asked) const {
  std::optional<First> first;
  for (const std::size_t index : asked) {
    const Source& source = sources_[index];
    struct stat status {};
    if (!look(source, name, status)) continue;
    if (!is_sent_kind(status.st_mode)) continue;
    const bool is_directory = S_ISDIR(status.st_mode);
    if (!filter_.includes(name, is_directory)) continue;
    if (!first) first = First{path_of(source, name), status, {}};
    const bool is_walked = is_directory && (!one_file_system_ || !source.root ||
                                            status.st_dev == source.root->status().st_dev);
    if (is_walked) first->directories.push_back(index);
  }
  return first;
}

}  // namespace adoc
