#include "source/wildcards.hpp"

#include <array>
#include <bitset>
#include <cstdint>
#include <utility>

namespace adoc {

namespace {

using ByteSet = std::bitset<256>;

constexpr bool between(int byte, int low, int high) { return low <= byte && byte <= high; }
constexpr bool is_lower(int byte) { return between(byte, 'a', 'z'); }
constexpr bool is_upper(int byte) { return between(byte, 'A', 'Z'); }
constexpr bool is_digit(int byte) { return between(byte, '0', '9'); }
constexpr bool is_alnum(int byte) { return is_lower(byte) || is_upper(byte) || is_digit(byte); }
constexpr bool is_graph(int byte) { return between(byte, '!', '~'); }

struct NamedClass {
  std::string_view name;
  bool (*has)(int byte);
};

/// Of ASCII alone: which bytes beyond it are letters depends on the user's locale, and the names on
/// a disk do not.
constexpr std::array<NamedClass, 12> kNamedClasses{{
    {"alnum", is_alnum},
    {"alpha", [](int byte) { return is_lower(byte) || is_upper(byte); }},
    {"blank", [](int byte) { return byte == ' ' || byte == '\t'; }},
    {"cntrl", [](int byte) { return byte < ' ' || byte == 127; }},
    {"digit", is_digit},
    {"graph", is_graph},
    {"lower", is_lower},
    {"print", [](int byte) { return byte == ' ' || is_graph(byte); }},
    {"punct", [](int byte) { return is_graph(byte) && !is_alnum(byte); }},
    {"space", [](int byte) { return byte == ' ' || between(byte, '\t', '\r'); }},
    {"upper", is_upper},
    {"xdigit",
     [](int byte) { return is_digit(byte) || between(byte, 'a', 'f') || between(byte, 'A', 'F'); }},
}};

std::string escaped(int byte) {
  if (is_alnum(byte)) return std::string(1, static_cast<char>(byte));
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto value = static_cast<std::size_t>(byte);
  return {'\\', 'x', kDigits[value / 16], kDigits[value % 16]};
}

/// Reads a pattern byte by byte; beyond its end there are zeros, as in a C string.
class Translator {
 public:
  explicit Translator(std::string_view wildcards) : text_(wildcards) {}

  std::optional<std::string> translate() {
    while (at_ < text_.size() && possible_) add_next();
    return possible_ ? std::optional(std::move(expression_)) : std::nullopt;
  }

 private:
  [[nodiscard]] int byte(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? static_cast<unsigned char>(text_[at_ + ahead]) : 0;
  }
  [[nodiscard]] int take() {
    const int taken = byte();
    ++at_;
    return taken;
  }

  void add_next() {
    switch (const int first = take()) {
      case '*':
        add_stars();
        break;
      case '?':
        expression_ += "[^/]";
        break;
      case '[':
        add_class();
        break;
      case '\\':
        // Nothing is behind the last one, and no text has that.
        if (at_ == text_.size()) possible_ = false;
        expression_ += escaped(take());
        break;
      default:
        expression_ += escaped(first);
    }
  }

  void add_stars() {
    const bool deep = byte() == '*';
    while (byte() == '*') ++at_;
    expression_ += deep ? ".*" : "[^/]*";
  }

  void add_class() {
    const bool negated = byte() == '!' || byte() == '^';
    if (negated) ++at_;
    ByteSet members;
    int before = 0;  // what a range may begin with
    do {             // a bracket that comes first is a member
      before = add_member(members, before);
    } while (possible_ && byte() != ']');
    ++at_;
    if (negated) members.flip();
    members.reset('/');
    members.reset(0);
    if (members.none()) possible_ = false;
    add(members);
  }

  /// Adds the next member, range or named class, and returns what a range may begin with after it.
  int add_member(ByteSet& members, int before) {
    const int first = take();
    if (first == 0) return give_up();
    if (first == '\\') return add_literal(members);
    if (first == '-' && before != 0 && byte() != 0 && byte() != ']') {
      if (byte() == '\\') ++at_;
      const int last = take();
      if (last == 0) return give_up();
      for (int member = before; member <= last; ++member) members.set(index(member));
      return 0;
    }
    if (first == '[' && byte() == ':' && add_named_class(members)) return 0;
    members.set(index(first));
    return first;
  }

  int add_literal(ByteSet& members) {
    const int literal = take();
    if (literal == 0) return give_up();
    members.set(index(literal));
    return literal;
  }

  /// At the colon of "[:name:]". False when this is not the form of a named class.
  bool add_named_class(ByteSet& members) {
    const std::size_t begin = at_ + 1;
    const std::size_t close = text_.find(']', begin);
    if (close == text_.npos) {
      give_up();
      return true;
    }
    if (close == begin || text_[close - 1] != ':') return false;
    const std::string_view name = text_.substr(begin, close - 1 - begin);
    at_ = close + 1;
    for (const NamedClass& named : kNamedClasses) {
      if (named.name != name) continue;
      for (int member = 0; member < 256; ++member)
        if (named.has(member)) members.set(index(member));
      return true;
    }
    give_up();
    return true;
  }

  void add(const ByteSet& members) {
    expression_ += '[';
    for (int low = 0; low < 256; ++low) {
      if (!members[index(low)]) continue;
      int high = low;
      while (high < 255 && members[index(high + 1)]) ++high;
      expression_ += escaped(low);
      if (high > low) expression_.append("-").append(escaped(high));
      low = high;
    }
    expression_ += ']';
  }

  int give_up() {
    possible_ = false;
    return 0;
  }

  static std::size_t index(int byte) { return static_cast<std::size_t>(byte); }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string expression_;
  bool possible_ = true;
};

}  // namespace

std::optional<std::string> regular_expression(std::string_view wildcards) {
  return Translator(wildcards).translate();
}

}  // namespace adoc
