#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "util/bytes.hpp"
#include "util/checksum.hpp"

namespace adoc {

/// The hash of a file's contents, which come piece by piece: a Merkle tree, so that a hole of any
/// length costs a few steps and reads as the zeros that it stands for.
///
///   contents of up to kLeafBytes    XXH3-128 of them
///   longer ones                     XXH3-128( top ‖ length:u64 )
///
/// A leaf is XXH3-128 of kLeafBytes of the contents, the last one padded with zeros; a node is
/// XXH3-128( left ‖ right ). The tree has the least power of two of leaves that holds them all;
/// those that are missing are of zeros. Detects accidents, not attackers. Used by one thread.
class ContentHasher {
 public:
  static constexpr std::size_t kLeafBytes = 1 << 20;

  ContentHasher();
  void update(ByteSpan bytes);
  /// The next `count` bytes are zeros, in time that grows with the logarithm of their number.
  void update_zeros(std::uint64_t count);
  /// Of all that came so far. Nothing comes after it.
  [[nodiscard]] ContentHash digest();

 private:
  void add_to_leaf(ByteSpan bytes) noexcept;
  void add_zeros_to_leaf(std::size_t count) noexcept;
  void end_leaf();
  /// A whole tree of 2^height leaves comes next; those before it fill a multiple of as many.
  void add_tree(std::size_t height, ContentHash top);
  [[nodiscard]] const ContentHash& zeros(std::size_t height);

  struct Free {
    void operator()(void* state) const noexcept;
  };
  std::unique_ptr<void, Free> leaf_;  ///< XXH3's state of the one that is being filled
  std::size_t leaf_bytes_ = 0;
  std::uint64_t length_ = 0;
  std::uint64_t leaves_ = 0;            ///< that are in `tops_`
  std::array<ContentHash, 64> tops_{};  ///< [h] holds a tree of 2^h leaves if that bit of leaves_
  std::vector<ContentHash> zeros_;      ///< [h]: the tree of 2^h leaves of zeros
};

}  // namespace adoc
