#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>

namespace adoc::testkit {

using Rng = std::mt19937_64;

/// A generator for one test, another one each run. Its seed is printed; ADOC_TEST_SEED repeats a
/// run that failed.
[[nodiscard]] inline Rng seeded_rng() {
  const char* given = std::getenv("ADOC_TEST_SEED");
  const std::uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "ADOC_TEST_SEED=" << seed << std::endl;
  return Rng(seed);
}

/// Uniform in 0 .. limit.
[[nodiscard]] inline std::uint64_t up_to(Rng& rng, std::uint64_t limit) {
  return std::uniform_int_distribution<std::uint64_t>(0, limit)(rng);
}

/// In 0 .. limit with every order of magnitude about as likely, both ends included often.
[[nodiscard]] inline std::uint64_t any_size(Rng& rng, std::uint64_t limit) {
  if (up_to(rng, 15) == 0) return limit;
  const std::uint64_t bits = rng() >> up_to(rng, 63);
  return limit == ~std::uint64_t{0} ? bits : bits % (limit + 1);
}

}  // namespace adoc::testkit
