#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

namespace papers {

/// main() of a paper's program: runs it with the words of the command line, without its name. What
/// it throws is said on standard error, and the exit code is EXIT_FAILURE then.
inline int main_of(const char* name, int argc, char** argv,
                   int (*run)(const std::vector<std::string>& words)) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return EXIT_FAILURE;
  }
}

}  // namespace papers
