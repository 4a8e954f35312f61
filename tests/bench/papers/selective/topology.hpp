#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace papers {

/// Random numbers that are the same with every standard library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  [[nodiscard]] std::uint64_t next();  ///< splitmix64
  [[nodiscard]] int below(int limit);  ///< 0 to limit - 1
  [[nodiscard]] bool happens(double probability);

 private:
  std::uint64_t state_;
};

/// Which switch is linked to which, and the way of a packet between two. Each switch has one node.
/// Meshes and tori are square and routed in the order of dimensions, a torus with two classes of
/// virtual channels, told apart by whether the wrap-around link of the dimension is still ahead
/// (Dally and Seitz); random graphs by shortest legal up*/down* ways, with the root at switch 0.
class Topology {
 public:
  [[nodiscard]] static Topology mesh(int side);
  [[nodiscard]] static Topology torus(int side);
  /// Connected, each switch with `degree` links to different others; needs nodes > degree, and an
  /// even product of the two.
  [[nodiscard]] static Topology random(int nodes, int degree, std::uint64_t seed);

  struct End {
    int node = -1;  ///< -1: nothing is plugged in
    int port = -1;  ///< of that node
  };
  struct Hop {
    int port = -1;
    int channel_class = -1;  ///< -1: any virtual channel, else those of this class, 0 or 1
  };

  [[nodiscard]] int nodes() const { return static_cast<int>(links_.size()); }
  [[nodiscard]] int ports() const { return static_cast<int>(links_.front().size()); }
  [[nodiscard]] End end_of(int node, int port) const { return links_[at(node)][at(port)]; }
  /// The next hop at `node` towards `to`, which is another one.
  /// @param came_by the port that the packet came in by, -1 at its source
  [[nodiscard]] Hop next(int node, int came_by, int to) const;
  /// Switches on the way, both ends counted: H of equation 1.
  [[nodiscard]] int switches_between(int from, int to) const;

 private:
  [[nodiscard]] static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  [[nodiscard]] static Topology grid(int side, bool wraps);
  [[nodiscard]] bool connected() const;
  [[nodiscard]] bool goes_up(int from, int to) const;
  void order_from_root();
  void find_ways();

  int side_ = 0;  ///< of a grid, else 0
  bool wraps_ = false;
  std::vector<std::vector<End>> links_;
  std::vector<int> level_;  ///< distance to the root
  /// Port by [node][has the packet gone down][destination].
  std::vector<std::vector<std::vector<int>>> way_;
};

enum class Pattern { uniform, transpose, bit_reversal };
[[nodiscard]] std::string_view name_of(Pattern pattern);

/// Where a packet of this node goes to, or the node itself, which then sends nothing. The number of
/// nodes is a power of 4.
[[nodiscard]] int destination(Pattern pattern, int node, int nodes, Dice& dice);

}  // namespace papers
