#include "support/worlds.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace adoc::sim {
namespace {

using Random = std::mt19937_64;

/// What is alike in what compressors find in it.
constexpr std::pair<const char*, const char*> kFamilies[] = {
    {"bin.tar", "programs"},        {"stdlib.tar", "programs"},
    {"headers.tar", "text"},        {"docs.tar", "text"},
    {"cg_vectors.f64", "numbers"},  {"ft_field.c128", "numbers"},
    {"is_keys.i32", "numbers"},     {"tsp_tours.i32", "numbers"},
    {"oilpan_like.hb", "matrices"}, {"poisson_csr.bin", "matrices"},
    {"sparse.bin", "matrices"},     {"lineal.bin", "vanishing"},
    {"random.bin", "random"},       {"bin.tar.gz", "random"},
};

constexpr double kMostSeconds = 30;  ///< of the link, raw
constexpr double kFirstWindowBytes = 14'480;

double between(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}
double log_between(Random& random, double low, double high) {
  return std::exp(between(random, std::log(low), std::log(high)));
}
double normal(Random& random) { return std::normal_distribution<double>()(random); }
bool happens(Random& random, double part) { return between(random, 0, 1) < part; }

/// Of blocks of 256 KiB with zstd 3: of JSON and logs 0.02 to 0.05, of programs, text and sources
/// 0.2 to 0.4. There blocks 1 MB apart are alike by some 1/e.
constexpr double kLeastScatter = 0.02;
constexpr double kMostScatter = 0.4;

double strength(const LevelModel& level) { return std::log(std::max(1.0, level.ratio)); }

std::size_t draw_processors(Random& random) {
  return static_cast<std::size_t>(std::lround(log_between(random, 1, 64)));
}

/// Rates that change by themselves: `rate` but for steps up and down, flows that come and share the
/// link, and a policer's burst at the beginning.
std::vector<LinkStep> draw_steps(Random& random, double rate, double seconds) {
  std::vector<LinkStep> link{{0, rate}};
  const double kind = between(random, 0, 1);
  if (kind < 0.15) {
    const double peak = rate * log_between(random, 2, 20);
    link = {{0, peak}, {log_between(random, 32e3, 4e6) / peak, rate}};
  } else if (kind < 0.3) {
    const double factor = log_between(random, 0.05, 20);
    link.push_back({seconds * between(random, 0.1, 0.8), std::min(5e9, rate * factor)});
  } else if (kind < 0.5) {
    for (double at = 0; link.size() < 12;) {
      at += seconds * between(random, 0.02, 0.4);
      const auto others = static_cast<double>(random() % 4);
      link.push_back({at, rate / (1 + others)});
    }
  }
  return link;
}

/// No more than the congestion window lets through while that doubles with each round trip.
std::vector<LinkStep> slow_start(const std::vector<LinkStep>& link, double round_trip) {
  std::vector<LinkStep> slow;
  double at = 0;
  for (double window = kFirstWindowBytes; window / round_trip < link.front().bytes_per_second;
       window *= 2, at += round_trip)
    slow.push_back({at, window / round_trip, true});
  std::vector<LinkStep> all = slow;
  double now = link.front().bytes_per_second;
  for (const LinkStep& step : link)
    if (step.at_seconds <= at) now = step.bytes_per_second;
  all.push_back({at, now});
  for (const LinkStep& step : link)
    if (step.at_seconds > at) all.push_back(step);
  return all;
}

void draw_data(Random& random, const Family& family, double bytes, World& world, Setup& setup) {
  // One kind in most, a mixture of a few in the others.
  const std::size_t count = happens(random, 0.7) ? 1 : 2 + random() % 3;
  std::vector<const Kind*> kinds;
  for (std::size_t i = 0; i < count; ++i) {
    world.kinds.push_back(std::make_shared<const Kind>(draw_kind(family, random())));
    kinds.push_back(world.kinds.back().get());
  }
  const std::size_t sections = count == 1 ? 1 : 2 * count;
  for (std::size_t i = 0; i < sections; ++i)
    setup.data.push_back({kinds[i % count], std::floor(bytes / static_cast<double>(sections))});
}

/// Each as often as it has members.
std::size_t draw_family(Random& random, const std::vector<Family>& families) {
  std::vector<double> members;
  for (const Family& family : families)
    members.push_back(static_cast<double>(family.members.size()));
  return std::discrete_distribution<std::size_t>(members.begin(), members.end())(random);
}

}  // namespace

std::vector<Family> families_of(const std::map<std::string, Kind>& kinds) {
  std::map<std::string, Family> families;
  for (const auto& [name, kind] : kinds) {
    const auto* known = std::ranges::find_if(
        kFamilies, [&its = name](const auto& family) { return its == family.first; });
    const std::string family = known != std::end(kFamilies) ? known->second : name;
    families[family].name = family;
    families[family].members.push_back(kind);
  }
  std::vector<Family> all;
  for (auto& [name, family] : families) all.push_back(std::move(family));
  return all;
}

Kind draw_kind(const Family& family, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> shares;
  for (std::size_t i = 0; i < family.members.size(); ++i)
    shares.push_back(-std::log(between(random, 1e-9, 1)));
  double sum = 0;
  for (const double share : shares) sum += share;
  Kind kind = family.members.front();
  kind.name = family.name;
  kind.stats.entropy_bits = 0;
  const auto mixed = [&](auto value_of) {
    double value = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) value += shares[i] / sum * value_of(i);
    return value;
  };
  kind.stats.entropy_bits = std::clamp(mixed([&](std::size_t i) {
                                         return family.members[i].stats.entropy_bits;
                                       }) + (kind.stats.random ? 0 : 0.4 * normal(random)),
                                       0.0, 8.0);
  const double machine = 0.4 * normal(random);
  double speed_walk = 0;
  double ratio_walk = 0;
  for (std::size_t level = 0; level < kind.levels.size(); ++level) {
    if (level != 0) {
      speed_walk = 0.8 * speed_walk + 0.12 * normal(random);
      ratio_walk = 0.8 * ratio_walk + 0.06 * normal(random);
    }
    const auto of = [&](std::size_t i) -> const LevelModel& {
      return family.members[i].levels[level];
    };
    LevelModel& model = kind.levels[level];
    model.compress_rate = std::exp(
        mixed([&](std::size_t i) { return std::log(of(i).compress_rate); }) + machine + speed_walk);
    model.ratio =
        std::exp(mixed([&](std::size_t i) { return strength(of(i)); }) * std::exp(ratio_walk));
    model.decompress_rate =
        std::exp(mixed([&](std::size_t i) { return std::log(of(i).decompress_rate); }) + machine);
  }
  kind.scatter = log_between(random, kLeastScatter, kMostScatter);
  return kind;
}

World make_world(const Ladder& ladder, const std::vector<Family>& families, std::uint64_t seed,
                 std::uint64_t number) {
  std::seed_seq both{seed, number};
  Random random(both);
  const std::size_t family = draw_family(random, families);
  // Where there is one family alone, it is the other one, too.
  const std::size_t step = families.size() > 1 ? 1 + random() % (families.size() - 1) : 0;
  World world{.family = families[family].name, .bits_per_second = log_between(random, 1e6, 40e9)};
  const double rate = world.bits_per_second / 8;
  const double most = std::min(10e9, kMostSeconds * rate);
  const double bytes = log_between(random, 100e3, std::max(200e3, most));
  const std::size_t sender = draw_processors(random);
  const std::size_t receiver = happens(random, 0.5) ? sender : draw_processors(random);
  const double round_trip = log_between(random, 0.1e-3, 0.2);
  Setup setup{.ladder = &ladder,
              .link = slow_start(draw_steps(random, rate, bytes / rate), round_trip),
              .threads = sender,
              .cores = static_cast<double>(sender),
              .receiver_threads = receiver,
              .receiver_cores = static_cast<double>(receiver),
              .way_seconds = happens(random, 0.5) ? 0 : log_between(random, 1e-3, 1),
              .round_trip_seconds = round_trip};
  for (Setup* one : {&world.first, &world.same, &world.other}) {
    *one = setup;
    one->data_seed = one->seed = random();
  }
  world.same.data_seed = world.first.data_seed;
  draw_data(random, families[family], bytes, world, world.first);
  world.same.data = world.first.data;
  draw_data(random, families[(family + step) % families.size()], bytes, world, world.other);
  return world;
}

ChangingWorld make_changing_world(const Ladder& ladder, const std::vector<Family>& families,
                                  std::uint64_t seed, std::uint64_t number) {
  constexpr double kLeastRate = 1e6 / 8;
  constexpr double kMostRate = 10e9 / 8;
  constexpr double kPhaseSeconds = 4;
  std::seed_seq both{seed, number};
  Random random(both);
  const Family& family = families[draw_family(random, families)];
  const double rate = log_between(random, kLeastRate, kMostRate);
  const double factor = log_between(random, 2, 20);
  const bool up =
      rate * factor <= kMostRate && (rate / factor < kLeastRate || happens(random, 0.5));
  Kind kind = draw_kind(family, random());
  kind.scatter = 0;
  ChangingWorld world{.before = rate,
                      .after = up ? rate * factor : rate / factor,
                      .phase_seconds = kPhaseSeconds,
                      .kind = std::make_shared<const Kind>(std::move(kind))};
  const std::size_t sender = draw_processors(random);
  const std::size_t receiver = happens(random, 0.5) ? sender : draw_processors(random);
  const double round_trip = log_between(random, 0.1e-3, 0.2);
  std::vector<LinkStep> link;
  for (std::size_t phase = 0; phase < ChangingWorld::kPhases; ++phase)
    link.push_back(
        {static_cast<double>(phase) * kPhaseSeconds, phase % 2 == 0 ? world.before : world.after});
  world.setup = {.ladder = &ladder,
                 .data = {{world.kind.get(), 1e13}},
                 .link = slow_start(link, round_trip),
                 .threads = sender,
                 .cores = static_cast<double>(sender),
                 .receiver_threads = receiver,
                 .receiver_cores = static_cast<double>(receiver),
                 .way_seconds = happens(random, 0.5) ? 0 : log_between(random, 1e-3, 0.1),
                 .round_trip_seconds = round_trip,
                 .seed = random(),
                 .data_seed = random(),
                 .limit_seconds = ChangingWorld::kPhases * kPhaseSeconds};
  return world;
}

}  // namespace adoc::sim
