// What the policy `auto` makes of what an earlier transfer left.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "unit/control/auto_scenes.hpp"

namespace adoc {
namespace {

using namespace testkit;

TEST(AutoMemoryTest, StartsFromWhatTheLastTransferLearned) {
  // Goal: the second short file over a link is sent as if its beginning were the middle of one.
  for (const double rate : {10e6, 100e6, 1e9, 10e9}) {
    std::vector<double> first;
    std::vector<double> second;
    for (const auto& [name, kind] : measured()) {
      const sim::Setup setup = transfer(kind, 5e6, bits(rate));
      const double best = sim::best_fixed_seconds(setup);
      first.push_back(run(setup).seconds / best);
      second.push_back(run_after(setup, setup).seconds / best);
    }
    // At 1 Gbit/s and more these last for 10 ms, which is two or three blocks of each thread; at 10
    // Mbit/s the densest levels have made a block or two in the first transfer.
    const double limit = rate == 100e6 ? 1.05 : 1.12;
    EXPECT_LT(quantile(second, 0.5), limit) << rate;
    EXPECT_LT(quantile(second, 0.8), quantile(first, 0.8) + 0.05) << rate;
  }
}

TEST(AutoMemoryTest, DoesNotTakeDataUnlikeAllSamplesForSlowOnes) {
  // Goal: what the prior was not fitted to is compressed as hard as pays, also when all that is
  // known is of other data.
  sim::Setup before = transfer(measured().at("bin.tar"), 20e6, bits(10e6));
  before.threads = 4, before.cores = 4, before.receiver_threads = 4, before.receiver_cores = 4;
  sim::Setup setup = before;
  setup.data = {{&measured().at("lineal.bin"), 20e6}};
  EXPECT_LT(run_after(before, setup).seconds, 1.8 * sim::best_fixed_seconds(setup));
}

TEST(AutoMemoryTest, IsHeldBackShortlyByWhatIsNoLongerTrue) {
  // Goal: whatever the link was the last time, and whatever went over it, costs about a second.
  // That a link is faster shows late where no more is made than the slow one took.
  const std::vector<double> rates{10e6, 100e6, 1e9, 10e9};
  for (const double now : rates) {
    std::map<std::string, double> without;
    for (const auto& [name, kind] : measured())
      without[name] = run(transfer(kind, 20e6, bits(now))).seconds;
    for (const double before : rates) {
      std::vector<double> lost;
      for (const auto& [name, kind] : measured()) {
        for (const auto& [earlier_name, earlier] : measured()) {
          const sim::Setup setup = transfer(kind, 20e6, bits(now));
          const sim::Setup other = transfer(earlier, 20e6, bits(before));
          lost.push_back(run_after(other, setup).seconds - without[name]);
        }
      }
      EXPECT_LT(quantile(lost, 0.5), 0.4) << before << " -> " << now;
      EXPECT_LT(quantile(lost, 0.9), 1.35) << before << " -> " << now;
    }
  }
}

}  // namespace
}  // namespace adoc
