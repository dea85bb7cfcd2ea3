// SPDX-License-Identifier: Apache-2.0
// What a rotation comes to, at lengths that tell its regimes apart; a cosine at position 0 is its magnitude.
#include "src/inspect/measured.h"

#include <posenc/rotary_cache.h>

namespace posenc::config {
namespace {

// The same frequencies on one axis, as a table of cosines.
Rotary on_one_axis(const Geometric& ladder, const Rotary& rotary) {
  Rotary plain(ladder, Pairing::split_half);
  plain.part = rotary.part;
  plain.where = rotary.where;
  plain.magnitude = rotary.magnitude;
  plain.stored = StoredAs::halves_twice;
  return plain;
}

double magnitude_of(const RotaryCache& cache) {
  std::vector<double> row(static_cast<std::size_t>(cache.width()));
  const std::vector<Positions> origin(cache.axes().size(), Positions::at(0));
  cache.write("cos", origin, view(row.data(), {1, cache.width()}));
  return row.front();
}

/// Where the frequencies change, and whether they go on changing beyond.
struct Regimes {
  std::optional<std::int64_t> length = {};
  enum class Beyond : std::uint8_t { one = 1, one_each } beyond = Beyond::one;
};

Regimes regimes_of(const Scaling& scaling) {
  if (const auto* dynamic = std::get_if<DynamicNtkScaling>(&scaling)) {
    return {dynamic->length, Regimes::Beyond::one_each};
  }
  const auto* lists = std::get_if<LongRopeScaling>(&scaling);
  return lists == nullptr ? Regimes{} : Regimes{lists->length, Regimes::Beyond::one};
}

/// A length for every list of frequencies, and what it is called.
struct NamedLength {
  std::string name;
  std::int64_t length;
};

std::vector<NamedLength> named_lengths(const Regimes& regimes, const std::optional<std::int64_t>& asked) {
  if (asked) return {{"length " + std::to_string(*asked), *asked}};
  if (!regimes.length) return {{"any length", 1}};
  const std::string length = std::to_string(*regimes.length);
  if (regimes.beyond == Regimes::Beyond::one_each) return {{"length <= " + length, *regimes.length}};
  return {{"length <= " + length, *regimes.length}, {"length > " + length, *regimes.length + 1}};
}

}  // namespace

void measure(Part& part, const Rotary& rotary, const Geometric& ladder, PositionRole& role) {
  const Rotary table = on_one_axis(ladder, rotary);
  const Regimes regimes = regimes_of(ladder.scaling);
  const auto asked = regimes.length ? part.options.length : std::nullopt;
  if (regimes.length) part.all.regimes.push_back(*regimes.length);
  for (const NamedLength& each : named_lengths(regimes, asked)) {
    const RotaryCache cache(table, *role.head, exact(), {.length = each.length});
    role.magnitude = magnitude_of(cache);
    role.frequencies.push_back({each.name, cache.frequencies()});
  }
}

std::optional<Problem> check_measure(const Convention& rotation, std::int64_t head) {
  return RotaryCache::check(with(rotation, "stored", "halves_twice"), head, exact(), {});
}

void measure(const Convention& rotation, PositionRole& role) {
  const RotaryCache cache(with(rotation, "stored", "halves_twice"), *role.head);
  role.magnitude = magnitude_of(cache);
  role.frequencies.push_back({"any length", cache.frequencies()});
}

double yarn_gain(double factor, double gain) {
  if (factor <= 1 || gain == 0) return 1;
  const auto made = [&](double of, double over) {
    Rotary plain(Geometric(10000, 1, Spacing::over_width), Pairing::split_half);
    plain.magnitude = YarnMagnitude{factor, of, over};
    plain.stored = StoredAs::halves_twice;
    return magnitude_of(RotaryCache(plain, 2));
  };
  return made(1, 0) / made(1, gain);
}

}  // namespace posenc::config
