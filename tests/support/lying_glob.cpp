// A glob() that finds "passwd" in the current directory, whatever it is asked for: for LD_PRELOAD
// into the side of a copy that sends.
#include <glob.h>

#include <cstdlib>
#include <cstring>

extern "C" int glob(const char*, int, int (*)(const char*, int), glob_t* found) {
  found->gl_pathc = 1;
  found->gl_pathv = static_cast<char**>(std::calloc(2, sizeof(char*)));
  found->gl_pathv[0] = ::strdup("passwd");
  return 0;
}

extern "C" void globfree(glob_t* found) {
  std::free(found->gl_pathv[0]);
  std::free(found->gl_pathv);
}
