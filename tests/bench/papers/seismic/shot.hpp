#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/papers/seismic/huffman.hpp"

namespace papers {

/// How a shot is compressed: lifting of each trace, quantiser, Huffman (Fajardo 2017, section II).
struct ShotSetup {
  int bits = 12;
  int levels = 4;    ///< of the transform, 0: without; the paper does not say how many
  int sections = 1;  ///< groups of traces that are decoded each by itself, a core each
};

/// One shot: a step, a dictionary, and sections, each a whole number of bytes.
struct CodedShot {
  ShotSetup setup;
  double step = 0;
  std::vector<std::byte> dictionary;
  struct Section {
    std::size_t traces = 0;
    std::vector<std::byte> bytes;
  };
  std::vector<Section> sections;

  /// What the transfer of the samples takes: dictionary, step and sections.
  [[nodiscard]] std::size_t bytes() const;
};

using Traces = std::vector<std::vector<double>>;

/// Throws std::invalid_argument for samples that are not finite, and for setups that are none.
/// There are never more sections than traces.
[[nodiscard]] CodedShot encode_shot(const Traces& traces, const ShotSetup& setup);

/// The indices that encode_shot() codes, trace after trace: for other codecs beside Huffman.
[[nodiscard]] std::vector<std::int16_t> indices_of(const Traces& traces, const ShotSetup& setup);

/// One section: what a core does in Figure 3. `lengths` are the samples of its traces. Throws
/// std::runtime_error if the section does not hold exactly those.
[[nodiscard]] Traces decode_section(const CodedShot& shot, const HuffmanCode& code,
                                    std::size_t section, std::span<const std::size_t> lengths);

/// All of a shot, a thread for each section.
[[nodiscard]] Traces decode_shot(const CodedShot& shot, std::span<const std::size_t> lengths);

/// Figure 4: the dictionary is sent first, then one section after the other; a core starts once its
/// section is there, and there is a core for each. Seconds until the last one is through.
[[nodiscard]] double schedule_seconds(double dictionary_seconds,
                                      std::span<const double> send_seconds,
                                      std::span<const double> decode_seconds);

}  // namespace papers
