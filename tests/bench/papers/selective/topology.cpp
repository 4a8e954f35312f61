#include "bench/papers/selective/topology.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

namespace papers {
namespace {

constexpr int kFar = std::numeric_limits<int>::max();
enum GridPort { kEast, kWest, kNorth, kSouth, kGridPorts };

// Pairs of ends, shuffled until nobody is linked to itself or twice to another.
std::vector<std::pair<int, int>> random_pairs(int nodes, int degree, Dice& dice) {
  for (;;) {
    std::vector<int> stubs;
    for (int node = 0; node < nodes; ++node) stubs.insert(stubs.end(), std::size_t(degree), node);
    std::vector<std::pair<int, int>> pairs;
    std::set<std::pair<int, int>> seen;
    for (int tries = 0; !stubs.empty() && tries < 100 * nodes; ++tries) {
      const auto a = static_cast<std::size_t>(dice.below(static_cast<int>(stubs.size())));
      const auto b = static_cast<std::size_t>(dice.below(static_cast<int>(stubs.size())));
      const std::pair<int, int> pair = std::minmax({stubs[a], stubs[b]});
      if (pair.first == pair.second || !seen.insert(pair).second) continue;
      pairs.push_back(pair);
      stubs.erase(stubs.begin() + static_cast<std::ptrdiff_t>(std::max(a, b)));
      stubs.erase(stubs.begin() + static_cast<std::ptrdiff_t>(std::min(a, b)));
    }
    if (stubs.empty()) return pairs;
  }
}

}  // namespace

std::uint64_t Dice::next() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

int Dice::below(int limit) {
  return static_cast<int>(((next() >> 32) * static_cast<std::uint64_t>(limit)) >> 32);
}

bool Dice::happens(double probability) {
  return static_cast<double>(next() >> 11) * 0x1p-53 < probability;
}

Topology Topology::grid(int side, bool wraps) {
  if (side < 2) throw std::invalid_argument("a grid has at least 2 switches on a side");
  Topology made;
  made.side_ = side;
  made.wraps_ = wraps;
  made.links_.assign(at(side * side), std::vector<End>(kGridPorts));
  for (int node = 0; node < side * side; ++node) {
    const int x = node % side;
    const int y = node / side;
    auto& links = made.links_[at(node)];
    if (wraps || x + 1 < side) links[kEast] = {y * side + (x + 1) % side, kWest};
    if (wraps || x > 0) links[kWest] = {y * side + (x + side - 1) % side, kEast};
    if (wraps || y + 1 < side) links[kNorth] = {(y + 1) % side * side + x, kSouth};
    if (wraps || y > 0) links[kSouth] = {(y + side - 1) % side * side + x, kNorth};
  }
  return made;
}

Topology Topology::mesh(int side) { return grid(side, false); }
Topology Topology::torus(int side) { return grid(side, true); }

Topology Topology::random(int nodes, int degree, std::uint64_t seed) {
  if (degree < 2 || nodes <= degree || nodes * degree % 2 != 0) {
    throw std::invalid_argument("no such regular graph");
  }
  Dice dice(seed);
  for (;;) {
    Topology made;
    made.links_.assign(at(nodes), {});
    for (const auto& [a, b] : random_pairs(nodes, degree, dice)) {
      const int port_a = static_cast<int>(made.links_[at(a)].size());
      const int port_b = static_cast<int>(made.links_[at(b)].size());
      made.links_[at(a)].push_back({b, port_b});
      made.links_[at(b)].push_back({a, port_a});
    }
    if (!made.connected()) continue;
    made.find_ways();
    return made;
  }
}

bool Topology::connected() const {
  std::vector<bool> seen(links_.size());
  std::deque<int> open = {0};
  seen[0] = true;
  while (!open.empty()) {
    for (const End& end : links_[at(open.front())]) {
      if (seen[at(end.node)]) continue;
      seen[at(end.node)] = true;
      open.push_back(end.node);
    }
    open.pop_front();
  }
  return std::ranges::count(seen, true) == std::ssize(seen);
}

void Topology::order_from_root() {
  level_.assign(links_.size(), kFar);
  level_[0] = 0;
  std::deque<int> open = {0};
  while (!open.empty()) {
    const int node = open.front();
    open.pop_front();
    for (const End& end : links_[at(node)]) {
      if (level_[at(end.node)] != kFar) continue;
      level_[at(end.node)] = level_[at(node)] + 1;
      open.push_back(end.node);
    }
  }
}

bool Topology::goes_up(int from, int to) const {
  return std::pair(level_[at(to)], to) < std::pair(level_[at(from)], from);
}

// Distances backwards from each destination over states of a switch and whether the packet has gone
// down; among the ports that are equally near, one by source and destination.
void Topology::find_ways() {
  order_from_root();
  const auto count = links_.size();
  way_.assign(count, std::vector<std::vector<int>>(2, std::vector<int>(count, -1)));
  for (int to = 0; to < nodes(); ++to) {
    std::vector<std::vector<int>> far(count, std::vector<int>(2, kFar));
    far[at(to)] = {0, 0};
    for (bool moved = true; moved;) {
      moved = false;
      for (int node = 0; node < nodes(); ++node) {
        for (const int down : {0, 1}) {
          for (const End& end : links_[at(node)]) {
            const bool up = goes_up(node, end.node);
            if (down == 1 && up) continue;
            const int rest = far[at(end.node)][up ? 0 : 1];
            if (rest == kFar || rest + 1 >= far[at(node)][at(down)]) continue;
            far[at(node)][at(down)] = rest + 1;
            moved = true;
          }
        }
      }
    }
    for (int node = 0; node < nodes(); ++node) {
      for (const int down : {0, 1}) {
        std::vector<int> near;
        for (int port = 0; port < ports() && node != to; ++port) {
          const int other = end_of(node, port).node;
          const bool up = goes_up(node, other);
          const int rest = far[at(other)][up ? 0 : 1];
          if ((down == 1 && up) || rest == kFar) continue;
          if (rest + 1 == far[at(node)][at(down)]) near.push_back(port);
        }
        if (near.empty()) continue;
        way_[at(node)][at(down)][at(to)] = near[at(node + to) % near.size()];
      }
    }
  }
}

Topology::Hop Topology::next(int node, int came_by, int to) const {
  if (side_ == 0) {
    const bool down = came_by >= 0 && !goes_up(end_of(node, came_by).node, node);
    return {way_[at(node)][down ? 1 : 0][at(to)], -1};
  }
  const bool along_x = node % side_ != to % side_;
  const int here = along_x ? node % side_ : node / side_;
  const int there = along_x ? to % side_ : to / side_;
  const int plus = along_x ? kEast : kNorth;
  const int minus = along_x ? kWest : kSouth;
  if (!wraps_) return {there > here ? plus : minus, -1};
  const int ahead = (there - here + side_) % side_;
  const bool forward = ahead <= side_ - ahead;
  const bool wrap_ahead = forward ? there < here : there > here;
  return {forward ? plus : minus, wrap_ahead ? 0 : 1};
}

int Topology::switches_between(int from, int to) const {
  int count = 1;
  for (int came_by = -1; from != to; ++count) {
    const End end = end_of(from, next(from, came_by, to).port);
    from = end.node;
    came_by = end.port;
  }
  return count;
}

std::string_view name_of(Pattern pattern) {
  switch (pattern) {
    case Pattern::uniform:
      return "uniform";
    case Pattern::transpose:
      return "matrix transpose";
    case Pattern::bit_reversal:
      return "bit reversal";
  }
  throw std::invalid_argument("no such pattern");
}

int destination(Pattern pattern, int node, int nodes, Dice& dice) {
  const int bits = std::countr_zero(static_cast<unsigned>(nodes));
  if (!std::has_single_bit(static_cast<unsigned>(nodes)) || bits % 2 != 0) {
    throw std::invalid_argument("the number of nodes is a power of 4");
  }
  switch (pattern) {
    case Pattern::uniform: {
      const int other = dice.below(nodes - 1);
      return other < node ? other : other + 1;
    }
    case Pattern::transpose: {
      const int side = 1 << (bits / 2);
      return node % side * side + node / side;
    }
    case Pattern::bit_reversal: {
      int reversed = 0;
      for (int bit = 0; bit < bits; ++bit) reversed |= ((node >> bit) & 1) << (bits - 1 - bit);
      return reversed;
    }
  }
  throw std::invalid_argument("no such pattern");
}

}  // namespace papers
