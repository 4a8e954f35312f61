#include "bench/papers/selective/network.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <stdexcept>
#include <vector>

#include "bench/papers/selective/selection.hpp"

namespace papers {
namespace {

constexpr int kNobody = -1;
constexpr int kPatienceCycles = 20'000;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

struct Journey {
  int from = 0;
  int to = 0;
  int flits = 0;       // before compression
  int wire_flits = 0;  // known once picked up
  bool compressed = false;
  bool measured = false;
  int generated = 0;
};

struct Flit {
  int packet = 0;
  bool head = false;
  bool tail = false;
};

// A virtual channel of an input.
struct Lane {
  std::deque<Flit> flits;
  int front_since = 0;    // cycle in which the flit in front came there
  Topology::Hop hop;      // of the packet in front, once its head is routed
  int channel = kNobody;  // at the output, once allocated
};

// A virtual channel of an output.
struct Outlet {
  int packet = kNobody;  // that holds it until its tail is through
  int credits = 0;
};

struct Switch {
  std::vector<Lane> lanes;      // [port * channels + channel]; the node's port comes last
  std::vector<Outlet> outlets;  // likewise
  std::vector<int> turn_in;     // by port: the lane whose turn it is
  std::vector<int> turn_out;    // by port: the input whose turn it is
  int flits = 0;                // in the lanes
};

struct Staged {
  int packet = 0;
  int ready = 0;  // cycle from which on it may be injected
  int sent = 0;
};

struct Interface {
  std::deque<int> queue;      // generated, not picked up
  std::deque<Staged> staged;  // picked up, in order
  int staged_flits = 0;       // of them, not injected
  int channel = kNobody;      // of the packet that is being injected
  std::vector<int> credits;   // by channel of the switch's input
  std::vector<int> received;  // by cycle of the window
  int received_sum = 0;       // N
};

struct Arrival {
  int node = 0;
  int lane = 0;
  Flit flit;
};
struct Credit {
  int node = 0;
  int port = 0;  // of the output there; the node's own port stands for its interface
  int channel = 0;
};

class Network {
 public:
  Network(const Topology& topology, const Scenario& scenario)
      : topology_(topology), is_(scenario), host_(topology.ports()) {
    if (is_.channels < 2 || is_.channels % 2 != 0 || is_.switch_cycles < 1 || is_.link_cycles < 1 ||
        is_.buffer_flits < 1 || is_.ratio < 1 || is_.overhead_cycles < 0 || is_.window_cycles < 1 ||
        is_.least_flits < 1 || is_.most_flits < is_.least_flits) {
      throw std::invalid_argument("no such network");
    }
    const int lanes = (host_ + 1) * is_.channels;
    switches_.resize(at(topology.nodes()));
    for (Switch& one : switches_) {
      one.lanes.resize(at(lanes));
      one.outlets.assign(at(lanes), {kNobody, is_.buffer_flits});
      one.turn_in.resize(at(host_ + 1));
      one.turn_out.resize(at(host_ + 1));
    }
    asks_.resize(at(host_ + 1));
    interfaces_.resize(at(topology.nodes()));
    for (Interface& one : interfaces_) {
      one.credits.assign(at(is_.channels), is_.buffer_flits);
      one.received.resize(at(is_.window_cycles));
    }
    arrivals_.resize(at(is_.link_cycles + 2));
    credits_.resize(2);
  }

  // Adds a packet to the queue of its source.
  void generate(int from, int to, int flits, bool measured) {
    journeys_.push_back({.from = from,
                         .to = to,
                         .flits = flits,
                         .wire_flits = flits,
                         .compressed = false,
                         .measured = measured,
                         .generated = now_});
    interfaces_[at(from)].queue.push_back(static_cast<int>(journeys_.size()) - 1);
    if (measured) ++missing_;
  }

  void step() {
    deliver();
    for (int node = 0; node < topology_.nodes(); ++node) inject(node);
    for (int node = 0; node < topology_.nodes(); ++node) {
      if (switches_[at(node)].flits > 0) pass(node);
    }
    if (in_network_ > 0 && now_ - last_move_ > kPatienceCycles) {
      throw std::logic_error("the network stands still");
    }
    ++now_;
    for (Interface& one : interfaces_) {
      int& oldest = one.received[at(now_ % is_.window_cycles)];
      one.received_sum -= oldest;
      oldest = 0;
    }
  }

  // Whether what happens from now on is counted.
  void count(bool on) { counting_ = on; }
  [[nodiscard]] std::uint64_t missing() const { return missing_; }
  [[nodiscard]] int now() const { return now_; }
  [[nodiscard]] double delivered_flits() const { return delivered_flits_; }
  [[nodiscard]] double mean_latency() const {
    return arrived_ == 0 ? 0 : latency_sum_ / static_cast<double>(arrived_);
  }
  [[nodiscard]] double compressed_share() const {
    return picked_ == 0 ? 0 : static_cast<double>(compressed_) / static_cast<double>(picked_);
  }

 private:
  [[nodiscard]] int before() const { return is_.overhead_cycles / 2; }
  [[nodiscard]] int after() const { return is_.overhead_cycles - before(); }

  void deliver() {
    auto& arrived = arrivals_[at(now_) % arrivals_.size()];
    for (const Arrival& one : arrived) {
      Switch& there = switches_[at(one.node)];
      Lane& lane = there.lanes[at(one.lane)];
      if (lane.flits.empty()) lane.front_since = now_;
      lane.flits.push_back(one.flit);
      ++there.flits;
    }
    arrived.clear();
    auto& returned = credits_[at(now_) % credits_.size()];
    for (const Credit& one : returned) {
      if (one.port == host_) {
        ++interfaces_[at(one.node)].credits[at(one.channel)];
      } else {
        ++switches_[at(one.node)].outlets[at(one.port * is_.channels + one.channel)].credits;
      }
    }
    returned.clear();
  }

  [[nodiscard]] bool compresses(const Journey& packet, const Interface& own) const {
    if (is_.method != Method::selective) return is_.method == Method::always;
    const InterfaceState state = {.received = static_cast<double>(own.received_sum),
                                  .queued = own.queue.size()};
    const Packet what = {.type = DataType::integer, .length = static_cast<double>(packet.flits)};
    return select_algorithm(what, state, is_.long_from) != Algorithm::none;
  }

  // Algorithm 1 and, for what it compresses, the stages of the compressor.
  void pick_up(Interface& own) {
    const int room = is_.pipelined ? std::max(1, before()) : 1;
    while (!own.queue.empty() && own.staged_flits < room) {
      const int id = own.queue.front();
      own.queue.pop_front();
      Journey& packet = journeys_[at(id)];
      packet.compressed = compresses(packet, own);
      if (packet.compressed)
        packet.wire_flits = static_cast<int>(std::ceil(packet.flits / is_.ratio));
      own.staged.push_back({id, now_ + (packet.compressed ? before() : 0), 0});
      own.staged_flits += packet.wire_flits;
      if (!counting_) continue;
      ++picked_;
      if (packet.compressed) ++compressed_;
    }
  }

  void inject(int node) {
    Interface& own = interfaces_[at(node)];
    pick_up(own);
    if (own.staged.empty() || own.staged.front().ready > now_) return;
    Staged& packet = own.staged.front();
    if (own.channel == kNobody) {
      // The channel with the most room; packets follow each other in it.
      own.channel = static_cast<int>(std::ranges::max_element(own.credits) - own.credits.begin());
    }
    int& credits = own.credits[at(own.channel)];
    if (credits == 0) return;
    --credits;
    const bool tail = packet.sent + 1 == journeys_[at(packet.packet)].wire_flits;
    const Flit flit = {packet.packet, packet.sent == 0, tail};
    send({node, host_ * is_.channels + own.channel, flit}, is_.link_cycles);
    ++in_network_;
    ++packet.sent;
    --own.staged_flits;
    if (!tail) return;
    own.staged.pop_front();
    own.channel = kNobody;
  }

  void send(const Arrival& what, int cycles) {
    arrivals_[at(now_ + cycles) % arrivals_.size()].push_back(what);
    last_move_ = now_;
  }

  void pass(int node) {
    Switch& own = switches_[at(node)];
    for (int turn = 0; turn < static_cast<int>(own.lanes.size()); ++turn) {
      route(node, own, (turn + now_) % static_cast<int>(own.lanes.size()));
    }
    // Each input asks for one output, each output takes one input, both in turn.
    auto& asks = asks_;
    for (int port = 0; port <= host_; ++port) asks[at(port)] = ready_lane(own, port);
    for (int out = 0; out <= host_; ++out) {
      for (int turn = 0; turn <= host_; ++turn) {
        const int in = (own.turn_out[at(out)] + turn) % (host_ + 1);
        if (asks[at(in)] == kNobody || own.lanes[at(asks[at(in)])].hop.port != out) continue;
        move(node, own, asks[at(in)]);
        asks[at(in)] = kNobody;
        own.turn_out[at(out)] = (in + 1) % (host_ + 1);
        break;
      }
    }
  }

  // Routing, then a virtual channel at the output for the packet whose head is in front.
  void route(int node, Switch& own, int index) {
    Lane& lane = own.lanes[at(index)];
    if (lane.flits.empty() || !lane.flits.front().head || lane.channel != kNobody) return;
    if (now_ < lane.front_since + is_.switch_cycles - 1) return;
    const int id = lane.flits.front().packet;
    const int to = journeys_[at(id)].to;
    const int came_by = index / is_.channels;
    lane.hop = to == node ? Topology::Hop{host_, -1}
                          : topology_.next(node, came_by == host_ ? -1 : came_by, to);
    const int first = lane.hop.channel_class == 1 ? is_.channels / 2 : 0;
    const int last = lane.hop.channel_class == 0 ? is_.channels / 2 : is_.channels;
    for (int channel = first; channel < last; ++channel) {
      Outlet& outlet = own.outlets[at(lane.hop.port * is_.channels + channel)];
      if (outlet.packet != kNobody) continue;
      outlet.packet = id;
      lane.channel = channel;
      return;
    }
  }

  // A lane of the input that has a flit to send and room at the other end for it.
  [[nodiscard]] int ready_lane(Switch& own, int port) {
    for (int turn = 0; turn < is_.channels; ++turn) {
      const int channel = (own.turn_in[at(port)] + turn) % is_.channels;
      const int index = port * is_.channels + channel;
      const Lane& lane = own.lanes[at(index)];
      if (lane.flits.empty() || lane.channel == kNobody) continue;
      if (lane.hop.port != host_ &&
          own.outlets[at(lane.hop.port * is_.channels + lane.channel)].credits == 0) {
        continue;
      }
      own.turn_in[at(port)] = (channel + 1) % is_.channels;
      return index;
    }
    return kNobody;
  }

  void move(int node, Switch& own, int index) {
    Lane& lane = own.lanes[at(index)];
    const Flit flit = lane.flits.front();
    lane.flits.pop_front();
    lane.front_since = now_ + 1;
    --own.flits;
    Outlet& outlet = own.outlets[at(lane.hop.port * is_.channels + lane.channel)];
    if (lane.hop.port == host_) {
      eject(node, flit);
    } else {
      --outlet.credits;
      const auto end = topology_.end_of(node, lane.hop.port);
      send({end.node, end.port * is_.channels + lane.channel, flit}, 1 + is_.link_cycles);
    }
    give_credit(node, index);
    if (!flit.tail) return;
    outlet.packet = kNobody;
    lane.channel = kNobody;
  }

  void give_credit(int node, int index) {
    const int port = index / is_.channels;
    const int channel = index % is_.channels;
    const auto end = port == host_ ? Topology::End{node, host_} : topology_.end_of(node, port);
    credits_[at(now_ + 1) % credits_.size()].push_back({end.node, end.port, channel});
  }

  void eject(int node, const Flit& flit) {
    last_move_ = now_;
    --in_network_;
    Interface& own = interfaces_[at(node)];
    ++own.received[at(now_ % is_.window_cycles)];
    ++own.received_sum;
    if (!flit.tail) return;
    const Journey& packet = journeys_[at(flit.packet)];
    // One cycle of traversal is the switch's, then the link, then the flit itself.
    const int end = now_ + 1 + is_.link_cycles + 1 + (packet.compressed ? after() : 0);
    if (counting_) delivered_flits_ += packet.flits;
    if (!packet.measured) return;
    --missing_;
    ++arrived_;
    latency_sum_ += end - packet.generated;
  }

  const Topology& topology_;
  const Scenario is_;
  const int host_;  // the port of the node at each switch
  std::vector<Switch> switches_;
  std::vector<Interface> interfaces_;
  std::vector<Journey> journeys_;
  std::vector<int> asks_;  // by input: the lane with a flit to send; used within pass()
  std::vector<std::vector<Arrival>> arrivals_;  // by cycle
  std::vector<std::vector<Credit>> credits_;    // by cycle
  int now_ = 0;
  int last_move_ = 0;
  int in_network_ = 0;  // flits
  bool counting_ = false;
  std::uint64_t missing_ = 0;
  std::uint64_t arrived_ = 0;
  std::uint64_t picked_ = 0;
  std::uint64_t compressed_ = 0;
  double delivered_flits_ = 0;
  double latency_sum_ = 0;
};

}  // namespace

Outcome simulate(const Topology& topology, const Scenario& scenario) {
  Network network(topology, scenario);
  Dice dice(scenario.seed);
  Outcome outcome;
  const int spread = scenario.most_flits - scenario.least_flits + 1;
  const double packets_a_cycle =
      scenario.offered / ((scenario.least_flits + scenario.most_flits) / 2.0);
  const auto make_packets = [&](bool measured) {
    for (int node = 0; node < topology.nodes(); ++node) {
      if (!dice.happens(packets_a_cycle)) continue;
      const int flits = scenario.least_flits + dice.below(spread);
      const int to = destination(scenario.pattern, node, topology.nodes(), dice);
      if (to == node) continue;
      network.generate(node, to, flits, measured);
      if (measured) ++outcome.packets;
    }
  };
  const int start = scenario.warm_up_cycles;
  const int stop = start + scenario.measured_cycles;
  while (network.now() < stop) {
    network.count(network.now() >= start);
    make_packets(network.now() >= start);
    network.step();
  }
  network.count(false);
  // The load goes on, so that the last packets do not have the network to themselves.
  while (network.missing() > 0 && network.now() < stop + scenario.drain_cycles) {
    make_packets(false);
    network.step();
  }
  outcome.all_arrived = network.missing() == 0;
  outcome.accepted =
      network.delivered_flits() / scenario.measured_cycles / static_cast<double>(topology.nodes());
  outcome.latency = network.mean_latency();
  outcome.compressed = network.compressed_share();
  return outcome;
}

int lone_packet_cycles(const Topology& topology, const Scenario& scenario, int from, int to,
                       int flits) {
  Network network(topology, scenario);
  network.generate(from, to, flits, true);
  while (network.missing() > 0) network.step();
  return static_cast<int>(network.mean_latency());
}

}  // namespace papers
