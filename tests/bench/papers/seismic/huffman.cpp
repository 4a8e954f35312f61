#include "bench/papers/seismic/huffman.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <stdexcept>
#include <utility>

#include "bench/papers/bits.hpp"

namespace papers {
namespace {

constexpr unsigned kShortBits = 11;
constexpr unsigned kSymbolBits = 16;
constexpr unsigned kLengthBits = 6;
constexpr std::size_t kEverySymbol = 65536;

std::size_t place(std::int16_t symbol) { return static_cast<std::uint16_t>(symbol); }

// The bits behind those that were taken, most significant first, with zeros behind the end.
class Window {
 public:
  explicit Window(std::span<const std::byte> bytes) : bytes_(bytes) {}

  // At least 56 bits, at the top of the value.
  [[nodiscard]] std::uint64_t look() {
    while (have_ <= 56 && next_ < bytes_.size()) {
      held_ |= static_cast<std::uint64_t>(bytes_[next_++]) << (56 - have_);
      have_ += 8;
    }
    return held_;
  }
  void take(unsigned bits) {
    if (bits > have_) throw std::runtime_error("a section ends too early");
    held_ <<= bits;
    have_ -= bits;
  }
  [[nodiscard]] bool at_end() const { return next_ == bytes_.size() && have_ < 8; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t next_ = 0;
  std::uint64_t held_ = 0;
  unsigned have_ = 0;
};

}  // namespace

HuffmanCode::HuffmanCode(std::vector<Entry> lengths) : entries_(std::move(lengths)) {
  std::ranges::sort(entries_, {}, [](const Entry& one) { return std::pair(one.bits, one.symbol); });
  first_code_.assign(kMostBits + 2, 0);
  first_entry_.assign(kMostBits + 2, 0);
  std::uint64_t code = 0;
  std::size_t entry = 0;
  for (unsigned bits = 1; bits <= kMostBits; ++bits) {
    code <<= 1;
    first_code_[bits] = code;
    first_entry_[bits] = entry;
    for (; entry < entries_.size() && entries_[entry].bits == bits; ++entry) {
      entries_[entry].code = code++;
    }
  }
  first_entry_[kMostBits + 1] = entry;
  short_.resize(std::size_t{1} << kShortBits);
  for (const Entry& one : entries_) {
    if (one.bits > kShortBits) break;
    const unsigned rest = kShortBits - one.bits;
    for (std::uint64_t tail = 0; tail < (1U << rest); ++tail) {
      short_[(one.code << rest) + tail] = {one.symbol, one.bits};
    }
  }
}

HuffmanCode HuffmanCode::of(std::span<const std::int16_t> symbols) {
  std::vector<std::uint64_t> counts(kEverySymbol);
  for (const std::int16_t symbol : symbols) ++counts[place(symbol)];
  std::vector<Entry> lengths;
  std::vector<std::pair<std::size_t, std::size_t>> children;  // of inner nodes
  // Ties go to the older node, so that the code is the same everywhere.
  using Node = std::pair<std::uint64_t, std::size_t>;
  std::priority_queue<Node, std::vector<Node>, std::greater<>> open;
  for (std::size_t symbol = 0; symbol < kEverySymbol; ++symbol) {
    if (counts[symbol] == 0) continue;
    open.emplace(counts[symbol], lengths.size());
    lengths.push_back({static_cast<std::int16_t>(symbol), 1, 0});
  }
  if (lengths.empty()) throw std::invalid_argument("no symbols");
  if (lengths.size() > kMostSymbols) throw std::invalid_argument("more than 4,096 symbols");
  const std::size_t leaves = lengths.size();
  while (open.size() > 1) {
    const Node first = open.top();
    open.pop();
    const Node second = open.top();
    open.pop();
    open.emplace(first.first + second.first, leaves + children.size());
    children.emplace_back(first.second, second.second);
  }
  std::vector<unsigned> depth(leaves + children.size(), 0);
  for (std::size_t inner = children.size(); inner-- > 0;) {
    for (const std::size_t child : {children[inner].first, children[inner].second}) {
      depth[child] = depth[leaves + inner] + 1;
      if (depth[child] > kMostBits) throw std::invalid_argument("a code of more than 48 bits");
      if (child < leaves) lengths[child].bits = static_cast<std::uint8_t>(depth[child]);
    }
  }
  return HuffmanCode(std::move(lengths));
}

std::vector<std::byte> HuffmanCode::dictionary() const {
  BitWriter out;
  out.put(entries_.size(), kSymbolBits);
  for (const Entry& one : entries_) {
    out.put(place(one.symbol), kSymbolBits);
    out.put(one.bits, kLengthBits);
  }
  return out.bytes();
}

HuffmanCode HuffmanCode::from_dictionary(std::span<const std::byte> bytes) {
  BitReader in(bytes);
  const std::uint64_t count = in.get(kSymbolBits);
  if (count == 0 || count > kMostSymbols) throw std::runtime_error("no such dictionary");
  std::vector<Entry> lengths;
  std::uint64_t used = 0;  // of all codes of kMostBits bits
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto symbol = static_cast<std::int16_t>(in.get(kSymbolBits));
    const auto bits = static_cast<std::uint8_t>(in.get(kLengthBits));
    if (bits == 0 || bits > kMostBits) throw std::runtime_error("no such length of a code");
    const Entry entry{symbol, bits, 0};
    if (i > 0 && std::pair(lengths.back().bits, lengths.back().symbol) >= std::pair(bits, symbol)) {
      throw std::runtime_error("a dictionary is out of order");
    }
    lengths.push_back(entry);
    used += std::uint64_t{1} << (kMostBits - bits);
  }
  const std::uint64_t all = std::uint64_t{1} << kMostBits;
  // Half of the codes are used if there is one symbol alone.
  if (used != (count == 1 ? all / 2 : all)) throw std::runtime_error("a dictionary with gaps");
  if (in.bits_left() >= 8) throw std::runtime_error("a dictionary goes on behind its end");
  std::vector<bool> seen(kEverySymbol);
  for (const Entry& one : lengths) {
    if (seen[place(one.symbol)]) throw std::runtime_error("a symbol has two codes");
    seen[place(one.symbol)] = true;
  }
  return HuffmanCode(std::move(lengths));
}

std::vector<std::byte> HuffmanCode::encode(std::span<const std::int16_t> symbols) const {
  std::vector<const Entry*> by_symbol(kEverySymbol);
  for (const Entry& one : entries_) by_symbol[place(one.symbol)] = &one;
  BitWriter out;
  for (const std::int16_t symbol : symbols) {
    const Entry* const entry = by_symbol[place(symbol)];
    if (entry == nullptr) throw std::invalid_argument("a symbol without code");
    out.put(entry->code, entry->bits);
  }
  return out.bytes();
}

void HuffmanCode::decode(std::span<const std::byte> bytes, std::span<std::int16_t> symbols) const {
  Window in(bytes);
  for (std::int16_t& symbol : symbols) {
    const std::uint64_t ahead = in.look();
    const Short& quick = short_[ahead >> (64 - kShortBits)];
    if (quick.bits != 0) {
      in.take(quick.bits);
      symbol = quick.symbol;
      continue;
    }
    unsigned bits = kShortBits + 1;
    std::size_t entry = 0;
    for (; bits <= kMostBits; ++bits) {
      // No code is smaller here: those of fewer bits were ruled out.
      const std::uint64_t past_first = (ahead >> (64 - bits)) - first_code_[bits];
      entry = first_entry_[bits] + past_first;
      if (past_first < first_entry_[bits + 1] - first_entry_[bits]) break;
    }
    if (bits > kMostBits) throw std::runtime_error("bits that are no code");
    in.take(bits);
    symbol = entries_[entry].symbol;
  }
  if (!in.at_end()) throw std::runtime_error("a section goes on behind its end");
}

}  // namespace papers
