// A sparse symmetric matrix in Harwell-Boeing-like text on standard output, always the same: the
// stiffness of a shell mesh with six unknowns at a node, one part of it regular, so that values
// recur as in a real one, the rest irregular, so that they do not.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int kWidth = 86;
constexpr int kHeight = 139;
constexpr int kUnknowns = 6;
// Of a hundred columns of the mesh, those that are regular.
constexpr int kRegularPercent = 40;

struct Entry {
  int row = 0;  // from 1, as in Fortran
  double value = 0;
};

// A fixed function of its argument that looks random: SplitMix64.
double noise(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  x ^= x >> 31U;
  return static_cast<double>(x >> 11U) / 9007199254740992.0 - 0.5;
}

// A node is coupled with itself and the four neighbours that come later in the numbering.
constexpr std::array<std::array<int, 2>, 5> kLater = {{{0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}};

std::vector<Entry> column(int x, int y, int unknown) {
  std::vector<Entry> entries;
  const bool regular = x * 100 < kRegularPercent * kWidth;
  const int node = y * kWidth + x;
  for (std::size_t way = 0; way < kLater.size(); ++way) {
    const int nx = x + kLater[way][0];
    const int ny = y + kLater[way][1];
    if (nx < 0 || nx >= kWidth || ny >= kHeight) continue;
    for (int other = way == 0 ? unknown : 0; other < kUnknowns; ++other) {
      const auto kind = way * 36 + static_cast<std::size_t>(unknown * kUnknowns + other);
      // Bending and stretching hardly meet: such entries are stored, and zero.
      const bool zero = (unknown < 3) != (other < 3) && (kind % 4 != 0 || regular);
      const std::uint64_t seed =
          regular ? kind : (static_cast<std::uint64_t>(node) << 10U) + kind + 1'000'000U;
      const double scale = way == 0 && other == unknown ? 4e5 : 7e4;
      entries.push_back({(ny * kWidth + nx) * kUnknowns + other + 1,
                         zero ? 0.0 : scale * (noise(kind) + 0.1 * noise(seed))});
    }
  }
  return entries;
}

class Cards {
 public:
  Cards(int per_line, const char* format) : per_line_(per_line), format_(format) {}

  template <typename Number>
  void put(Number number) {
    std::printf(format_, number);
    if (++on_line_ == per_line_) end_line();
  }
  void finish() {
    if (on_line_ != 0) end_line();
  }

 private:
  void end_line() {
    std::putchar('\n');
    on_line_ = 0;
  }

  int per_line_;
  const char* format_;
  int on_line_ = 0;
};

}  // namespace

int main() {
  std::vector<int> starts{1};
  std::vector<Entry> entries;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      for (int unknown = 0; unknown < kUnknowns; ++unknown) {
        const auto more = column(x, y, unknown);
        entries.insert(entries.end(), more.begin(), more.end());
        starts.push_back(static_cast<int>(entries.size()) + 1);
      }

  const int order = kWidth * kHeight * kUnknowns;
  std::printf("%-72s%-8s\n", "Stiffness of a shell mesh, made for measurements", "SHELL");
  std::printf("%-14s%14d%14d%14zu%14d\n", "RSA", order, order, entries.size(), 0);
  std::printf("%-16s%-16s%-20s\n", "(10I8)", "(10I8)", "(4E20.12)");
  Cards pointers(10, "%8d");
  for (const int start : starts) pointers.put(start);
  pointers.finish();
  Cards rows(10, "%8d");
  for (const Entry& entry : entries) rows.put(entry.row);
  rows.finish();
  Cards values(4, "%20.12E");
  for (const Entry& entry : entries) values.put(entry.value);
  values.finish();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return EXIT_SUCCESS;
  std::perror("make_matrix");
  return EXIT_FAILURE;
}
