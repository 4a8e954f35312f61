#pragma once

#include <functional>
#include <string>

namespace adoc {

/// Removes the directory `name` in `parent` and all that is in it. No link is followed: each
/// directory is opened in the one before it. Stops before a directory of another file system, and
/// at the first failure: throws Error(local_file), in words that follow the directory's name; what
/// was removed by then is gone. `go_on` is called at each step and may throw.
void remove_tree(int parent, const std::string& name, const std::function<void()>& go_on);

}  // namespace adoc
