#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "bench/papers/selective/fpc.hpp"
#include "bench/papers/selective/lsb_cut.hpp"
#include "bench/papers/selective/messages.hpp"
#include "bench/papers/selective/network.hpp"
#include "bench/papers/selective/selection.hpp"

namespace papers {
namespace {

std::string hex(std::span<const std::byte> bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[static_cast<unsigned>(byte) >> 4];
    text += kDigits[static_cast<unsigned>(byte) & 15];
  }
  return text;
}

FpcCoded coded(std::vector<std::int32_t> values) { return fpc_encode(values); }

TEST(Fpc, WritesWhatTableOneSays) {
  // Goal: each pattern of Table I, worked out by hand.
  // 101 and 14 bits, 100 and 15, 000 and 19, 111 and 32: 92 bits.
  const FpcCoded four = coded({5, 16384, 524287, -1});
  EXPECT_EQ(four.bits, 92U);
  EXPECT_EQ(hex(four.bytes), "a002c80003fffffffffffff0");
  // 101 00000000 000000 -> 1010 0000 0000 0000 0(000 0000)
  EXPECT_EQ(hex(coded({0}).bytes), "a00000");
  EXPECT_EQ(hex(coded({16383}).bytes), "bfff80");       // 101 and 14 ones
  EXPECT_EQ(hex(coded({32768}).bytes), "700000");       // 011 1000000000000000
  EXPECT_EQ(hex(coded({65536}).bytes), "500000");       // 010 10000000000000000
  EXPECT_EQ(hex(coded({131072}).bytes), "300000");      // 001 100000000000000000
  EXPECT_EQ(hex(coded({262144}).bytes), "100000");      // 000 1000000000000000000
  EXPECT_EQ(hex(coded({524288}).bytes), "e001000000");  // 111 and 00000000 00001000 0...
}

TEST(Fpc, SizesStepWhereTableOneSteps) {
  // Goal: 17 to 22 bits and 35, with the longest run of zeros that a value has.
  for (unsigned zeros = 0; zeros < 32; ++zeros) {
    const auto value = static_cast<std::int32_t>(0xffffffffU >> zeros);
    const unsigned expected = zeros >= 18 ? 17 : zeros >= 13 ? 35 - zeros : 35;
    EXPECT_EQ(coded({value}).bits, expected) << zeros << " leading zeros";
  }
}

TEST(Fpc, GivesBackEveryValue) {
  // Goal: lossless for whatever value, over every length of zeros.
  Dice dice(30);
  std::vector<std::int32_t> values = {0, 1, -1, std::numeric_limits<std::int32_t>::min(),
                                      std::numeric_limits<std::int32_t>::max()};
  while (values.size() < 3000) {
    values.push_back(
        static_cast<std::int32_t>(static_cast<std::uint32_t>(dice.next()) >> (dice.next() % 32)));
  }
  EXPECT_EQ(fpc_decode(fpc_encode(values).bytes, values.size()), values);
}

TEST(Fpc, RefusesWhatItDidNotWrite) {
  // Goal: the unused prefix and missing bits are errors, and a count asks for no memory.
  const std::vector<std::byte> unused(5, std::byte{0xc0});
  EXPECT_THROW((void)fpc_decode(unused, 1), std::runtime_error);
  auto short_of = coded({-1, -1}).bytes;
  short_of.pop_back();
  EXPECT_THROW((void)fpc_decode(short_of, 2), std::runtime_error);
  EXPECT_THROW((void)fpc_decode(short_of, std::size_t{1} << 60), std::runtime_error);
}

TEST(LsbCut, ArrivesAsTheLetterHasIt) {
  // Goal: the cut bits are 0b100...0 at the receiver, for special values too.
  EXPECT_EQ(lsb_cut_arrives(0x3ff0000000000000, 28), 0x3ff0000008000000U);  // 1
  EXPECT_EQ(lsb_cut_arrives(0xbff8000000000000, 28), 0xbff8000008000000U);  // -1.5
  EXPECT_EQ(lsb_cut_arrives(0x400921fb54442d18, 28), 0x400921fb58000000U);  // pi
  EXPECT_EQ(lsb_cut_arrives(0, 1), 1U);
  EXPECT_EQ(lsb_cut_arrives(~std::uint64_t{0}, 63), 0xc000000000000000U);
  EXPECT_TRUE(std::isnan(std::bit_cast<double>(lsb_cut_arrives(0x7ff0000000000000, 28))));
}

TEST(LsbCut, IsPackedInWhatIsLeft) {
  // Goal: 36 bits a value at 28, which is the paper's 1.8; worked out by hand for 1 and pi.
  const std::vector<double> values = {1, std::bit_cast<double>(0x400921fb54442d18)};
  const auto bytes = lsb_cut_encode(values, 28);
  EXPECT_EQ(hex(bytes), "3ff000000400921fb5");
  const auto back = lsb_cut_decode(bytes, 2, 28);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(back[0]), 0x3ff0000008000000U);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(back[1]), 0x400921fb58000000U);
}

TEST(LsbCut, ErrsByHalfTheCutAtMost) {
  // Goal: any bits, any cut: what arrives differs by at most half of the cut range.
  Dice dice(31);
  for (unsigned cut = 1; cut < 64; ++cut) {
    const std::uint64_t bits = dice.next();
    const std::uint64_t back = lsb_cut_arrives(bits, cut);
    const std::uint64_t error = back > bits ? back - bits : bits - back;
    EXPECT_LE(error, std::uint64_t{1} << (cut - 1));
    const double value = std::bit_cast<double>(bits);
    const auto decoded = lsb_cut_decode(lsb_cut_encode({&value, 1}, cut), 1, cut);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(decoded[0]), back) << cut;
  }
  const double one = 1;
  EXPECT_THROW((void)lsb_cut_encode({&one, 1}, 0), std::invalid_argument);
  EXPECT_THROW((void)lsb_cut_encode({&one, 1}, 64), std::invalid_argument);
  EXPECT_THROW((void)lsb_cut_decode({}, 1, 28), std::runtime_error);
}

TEST(Selection, LongPacketsStartWhereEquationOneBreaksEven) {
  // Goal: the paper's 200 flits follow from its D and C.
  EXPECT_EQ(long_packet(100, 1, 2), 200);
  EXPECT_DOUBLE_EQ(long_packet(100, 1, 3), 150);
  EXPECT_DOUBLE_EQ(long_packet(1e-4, 125e6, 2), 25'000);
  EXPECT_TRUE(std::isinf(long_packet(100, 1, 1)));
}

TEST(Selection, IsAlgorithmOne) {
  // Goal: each line of Algorithm 1.
  const auto choose = [](DataType type, double length, InterfaceState state) {
    return select_algorithm({type, length}, state, 200);
  };
  for (const auto& [type, algorithm] : {std::pair{DataType::integer, Algorithm::fpc},
                                        std::pair{DataType::floating, Algorithm::lsb_cut},
                                        std::pair{DataType::other, Algorithm::none}}) {
    EXPECT_EQ(choose(type, 200, {}), algorithm);
    EXPECT_EQ(choose(type, 199, {}), Algorithm::none);
    EXPECT_EQ(choose(type, 10, {.received = 1, .queued = 0}), algorithm);
    EXPECT_EQ(choose(type, 10, {.received = 0, .queued = 1}), algorithm);
  }
}

TEST(Messages, AreWhatIsOffered) {
  // Goal: the rate and the lengths that were asked for, in order, and the same for the same seed.
  const MessageTraffic traffic{.bytes_per_second = 5e6,
                               .least_bytes = 320,
                               .most_bytes = 6'400,
                               .length_ns = 4'000'000'000,
                               .seed = 3};
  const auto messages = make_messages(traffic);
  double bytes = 0;
  double squares = 0;
  std::uint64_t before = 0;
  for (const Message& one : messages) {
    EXPECT_GE(one.due_ns, before);
    EXPECT_LT(one.due_ns, traffic.length_ns);
    EXPECT_GE(one.bytes, traffic.least_bytes);
    EXPECT_LE(one.bytes, traffic.most_bytes);
    const auto apart = static_cast<double>(one.due_ns - before);
    squares += apart * apart;
    before = one.due_ns;
    bytes += one.bytes;
  }
  EXPECT_NEAR(bytes / 4 / 5e6, 1, 0.05);
  // Exponential: the mean of the squares is twice the square of the mean.
  const double mean = static_cast<double>(before) / static_cast<double>(messages.size());
  EXPECT_NEAR(squares / static_cast<double>(messages.size()) / (mean * mean), 2, 0.2);
  const auto again = make_messages(traffic);
  ASSERT_EQ(again.size(), messages.size());
  EXPECT_EQ(again.back().due_ns, messages.back().due_ns);
}

TEST(Messages, ThatCameLatelyAreN) {
  ReceivedLately lately(1'000);
  EXPECT_EQ(lately.bytes(5), 0);
  lately.came(10, 7);
  lately.came(500, 5);
  EXPECT_EQ(lately.bytes(1'009), 12);
  EXPECT_EQ(lately.bytes(1'010), 5);
  EXPECT_EQ(lately.bytes(1'500), 0);
}

TEST(Messages, ThatAreDueBehindAreQ) {
  const std::vector<Message> messages = {{10, 1}, {20, 1}, {20, 1}, {30, 1}};
  EXPECT_EQ(due_behind(messages, 1, 19), 0U);
  EXPECT_EQ(due_behind(messages, 1, 20), 2U);
  EXPECT_EQ(due_behind(messages, 2, 100), 2U);
  EXPECT_EQ(due_behind(messages, 4, 100), 0U);
}

TEST(Messages, AreCompressedAsTheMethodHasIt) {
  const InterfaceState quiet{};
  const InterfaceState busy{.received = 0, .queued = 1};
  EXPECT_FALSE(compresses(Method::never, 300, busy, 200));
  EXPECT_TRUE(compresses(Method::always, 10, quiet, 200));
  EXPECT_TRUE(compresses(Method::selective, 200, quiet, 200));
  EXPECT_FALSE(compresses(Method::selective, 199, quiet, 200));
  EXPECT_TRUE(compresses(Method::selective, 199, busy, 200));
}

std::vector<Topology> every_topology() {
  return {Topology::mesh(4), Topology::torus(4), Topology::random(16, 4, 7),
          Topology::mesh(8), Topology::torus(8), Topology::random(64, 4, 7)};
}

TEST(Topologies, HaveLinksThatLeadBack) {
  // Goal: whatever is plugged in at one end is plugged in at the other.
  for (const Topology& topology : every_topology()) {
    for (int node = 0; node < topology.nodes(); ++node) {
      for (int port = 0; port < topology.ports(); ++port) {
        const auto end = topology.end_of(node, port);
        if (end.node < 0) continue;
        EXPECT_NE(end.node, node);
        EXPECT_EQ(topology.end_of(end.node, end.port).node, node);
        EXPECT_EQ(topology.end_of(end.node, end.port).port, port);
      }
    }
  }
}

TEST(Topologies, LeadEveryPacketToItsDestination) {
  // Goal: the ways of a grid are the shortest; those of a random graph end.
  const Topology mesh = Topology::mesh(8);
  const Topology torus = Topology::torus(8);
  const Topology random = Topology::random(64, 4, 7);
  const auto ring = [](int a, int b) { return std::min((a - b + 8) % 8, (b - a + 8) % 8); };
  for (int from = 0; from < 64; ++from) {
    for (int to = 0; to < 64; ++to) {
      const int x = std::abs(from % 8 - to % 8);
      const int y = std::abs(from / 8 - to / 8);
      EXPECT_EQ(mesh.switches_between(from, to), 1 + x + y);
      EXPECT_EQ(torus.switches_between(from, to),
                1 + ring(from % 8, to % 8) + ring(from / 8, to / 8));
      EXPECT_LE(random.switches_between(from, to), 64);
    }
  }
  EXPECT_THROW((void)Topology::random(5, 3, 1), std::invalid_argument);
  EXPECT_THROW((void)Topology::mesh(1), std::invalid_argument);
}

TEST(Patterns, AreTheirDefinitions) {
  // Goal: worked out by hand for 16 nodes; uniform is never oneself and reaches all others.
  Dice dice(5);
  EXPECT_EQ(destination(Pattern::transpose, 1, 16, dice), 4);       // (1, 0) to (0, 1)
  EXPECT_EQ(destination(Pattern::transpose, 14, 16, dice), 11);     // (2, 3) to (3, 2)
  EXPECT_EQ(destination(Pattern::bit_reversal, 1, 16, dice), 8);    // 0001 to 1000
  EXPECT_EQ(destination(Pattern::bit_reversal, 13, 16, dice), 11);  // 1101 to 1011
  std::vector<int> seen(16);
  for (int i = 0; i < 2000; ++i)
    ++seen[static_cast<std::size_t>(destination(Pattern::uniform, 3, 16, dice))];
  for (int node = 0; node < 16; ++node)
    EXPECT_EQ(seen[static_cast<std::size_t>(node)] > 0, node != 3);
  EXPECT_THROW((void)destination(Pattern::uniform, 0, 12, dice), std::invalid_argument);
}

TEST(Network, ALonePacketTakesWhatEquationOneSays) {
  // Goal: T = T_lt (H + 1) + T_switch H + L / C + D, to the cycle.
  for (const Topology& topology : every_topology()) {
    for (const Method method : {Method::never, Method::always, Method::selective}) {
      for (const int flits : {10, 75, 199, 200}) {
        Scenario scenario;
        scenario.method = method;
        const bool compressed =
            method == Method::always || (method == Method::selective && flits >= 200);
        const int to = topology.nodes() - 2;
        const int switches = topology.switches_between(1, to);
        const int rest = compressed ? (flits + 1) / 2 + scenario.overhead_cycles : flits;
        EXPECT_EQ(lone_packet_cycles(topology, scenario, 1, to, flits),
                  scenario.link_cycles * (switches + 1) + scenario.switch_cycles * switches + rest);
      }
    }
  }
}

Scenario short_run(double offered) {
  Scenario scenario;
  scenario.offered = offered;
  scenario.warm_up_cycles = 500;
  scenario.measured_cycles = 1500;
  scenario.drain_cycles = 1500;
  return scenario;
}

TEST(Network, DeliversUnderOverloadWithoutStandingStill) {
  // Goal: no routing deadlocks where every queue is full, whatever the pattern.
  for (const Topology& topology :
       {Topology::mesh(4), Topology::torus(4), Topology::random(16, 4, 9)}) {
    for (const Pattern pattern : {Pattern::uniform, Pattern::transpose, Pattern::bit_reversal}) {
      Scenario scenario = short_run(1.5);
      scenario.pattern = pattern;
      const Outcome outcome = simulate(topology, scenario);
      EXPECT_GT(outcome.accepted, 0.1);
      EXPECT_FALSE(outcome.all_arrived);
    }
  }
}

TEST(Network, IsTheSameEachTimeAndOtherwiseWithAnotherSeed) {
  // Goal: seeded and deterministic.
  const Topology topology = Topology::mesh(4);
  Scenario scenario = short_run(0.3);
  const Outcome first = simulate(topology, scenario);
  const Outcome second = simulate(topology, scenario);
  EXPECT_EQ(first.accepted, second.accepted);
  EXPECT_EQ(first.latency, second.latency);
  EXPECT_TRUE(first.all_arrived);
  scenario.seed = 2;
  EXPECT_NE(simulate(topology, scenario).latency, first.latency);
}

TEST(Network, CompressionRaisesTheLimitAndSelectionSparesTheEmptyNetwork) {
  // Goal: the paper's order, at either end of the load.
  const Topology topology = Topology::mesh(4);
  const auto run = [&](Method method, double offered) {
    Scenario scenario = short_run(offered);
    scenario.method = method;
    return simulate(topology, scenario);
  };
  EXPECT_GT(run(Method::always, 1.2).accepted, run(Method::never, 1.2).accepted * 1.2);
  EXPECT_GT(run(Method::selective, 1.2).accepted, run(Method::never, 1.2).accepted * 1.2);
  const double selective = run(Method::selective, 0.02).latency;
  EXPECT_LT(selective, run(Method::always, 0.02).latency);
  EXPECT_EQ(run(Method::never, 0.02).compressed, 0);
  EXPECT_EQ(run(Method::always, 0.02).compressed, 1);
}

}  // namespace
}  // namespace papers
