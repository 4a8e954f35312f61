#include "destination/remove_tree.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "adoc/error.hpp"
#include "support/expect_error.hpp"
#include "support/temporary_directory.hpp"
#include "util/fd.hpp"

namespace adoc {
namespace {

namespace fs = std::filesystem;
using testkit::TemporaryDirectory;

/// A directory "tree" to be removed and one beside it that links in it lead to.
class RemoveTreeTest : public testing::Test {
 protected:
  RemoveTreeTest() {
    dir_.write("outside/kept", "x");
    for (const char* name : {"tree/a", "tree/b/c", "tree/b/d/e"}) dir_.write(name, "x");
    fs::create_symlink(dir_ / "outside", dir_ / "tree/link");
    fs::create_symlink("../../../outside", dir_ / "tree/b/d/link");
    parent_ = Fd(::open(dir_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

  TemporaryDirectory dir_;
  Fd parent_;
};

TEST_F(RemoveTreeTest, AllOfItGoesAndNothingThatLinksLeadTo) {
  // Goal: links are removed and not followed.
  remove_tree(parent_.get(), "tree", [] {});
  EXPECT_FALSE(fs::exists(fs::symlink_status(dir_ / "tree")));
  EXPECT_TRUE(fs::exists(dir_ / "outside/kept"));
}

TEST_F(RemoveTreeTest, ADirectoryThatBecomesALinkMeanwhileLeadsNowhere) {
  // Goal: whoever swaps it between two steps has nothing removed elsewhere.
  bool swapped = false;
  const auto swap = [&] {
    if (!swapped) fs::rename(dir_ / "tree/b", dir_ / "moved");
    if (!swapped) fs::create_symlink("../outside", dir_ / "tree/b");
    swapped = true;
  };
  remove_tree(parent_.get(), "tree", swap);
  EXPECT_TRUE(swapped);
  EXPECT_TRUE(fs::exists(dir_ / "outside/kept"));
  EXPECT_TRUE(fs::exists(dir_ / "moved/c"));
}

TEST_F(RemoveTreeTest, ALinkIsNoTreeAndWhatStopsItIsHeard) {
  // Goal: the name itself is not followed either, and a step may throw.
  testkit::expect_error(ErrorKind::local_file, "remove",
                        [&] { remove_tree(parent_.get(), "tree/link", [] {}); });
  testkit::expect_error(ErrorKind::interrupted, "stop", [&] {
    remove_tree(parent_.get(), "tree", [] { throw Error(ErrorKind::interrupted, "stop"); });
  });
  EXPECT_TRUE(fs::exists(dir_ / "outside/kept"));
}

}  // namespace
}  // namespace adoc
