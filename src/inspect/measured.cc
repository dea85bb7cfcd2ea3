// SPDX-License-Identifier: Apache-2.0
// What a rotation comes to, at lengths that tell its regimes apart; a cosine at position 0 is its magnitude.
#include "src/inspect/measured.h"

#include <posenc/rotary_cache.h>

namespace posenc::config {
namespace {

std::size_t frequencies_in(const std::vector<PositionRole>& roles) {
  std::size_t count = 0;
  for (const PositionRole& role : roles) {
    for (const LengthFrequencies& each : role.frequencies) count += each.values.size();
  }
  return count;
}

// A frequency that is blended costs up to 0.3 ms, a hundred times as much under the sanitizers: a file of 8 KiB with 8
// kinds of layers in each of its parts would cost minutes. Models have a few hundred, Qwen3-Omni 340.
void check_work(const Part& part, const PositionRole& role, std::size_t lists) {
  std::size_t count = frequencies_in(part.result.roles) + lists * static_cast<std::size_t>(*role.rotated) / 2;
  for (const ModelPart& each : part.all.parts) count += frequencies_in(each.roles);
  if (std::cmp_less_equal(count, part.options.frequencies)) return;
  part.keys.node().source.refuse("rotations must have at most " + std::to_string(part.options.frequencies) +
                                     " frequencies together, those of each length counted",
                                 std::to_string(count));
}

// The same frequencies on one axis, as a table of sines and cosines.
Rotary on_one_axis(const Geometric& ladder, const Rotary& rotary) {
  Rotary plain(ladder, Pairing::split_half);
  plain.part = rotary.part;
  plain.where = rotary.where;
  plain.magnitude = rotary.magnitude;
  plain.stored = StoredAs::sine_cosine;
  return plain;
}

// Of a cache of sines and cosines.
double magnitude_of(const RotaryCache& cache) {
  std::vector<double> row(static_cast<std::size_t>(cache.width()));
  const std::vector<Positions> origin(cache.axes().size(), Positions::at(0));
  cache.write("sin_cos", origin, view(row.data(), {1, cache.width()}));
  return row[row.size() / 2];
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
  const std::vector<NamedLength> lengths = named_lengths(regimes, asked);
  check_work(part, role, lengths.size());
  for (const NamedLength& each : lengths) {
    const RotaryCache cache(table, *role.head, {.context = {.length = each.length}});
    role.magnitude = magnitude_of(cache);
    role.frequencies.push_back({each.name, cache.frequencies()});
  }
}

std::optional<Problem> check_measure(const Convention& rotation, std::int64_t head) {
  return RotaryCache::check(with_field(rotation, "stored", "sine_cosine"), head);
}

void measure(const Part& part, const Convention& rotation, PositionRole& role) {
  check_work(part, role, 1);
  const RotaryCache cache(with_field(rotation, "stored", "sine_cosine"), *role.head);
  role.magnitude = magnitude_of(cache);
  role.frequencies.push_back({"any length", cache.frequencies()});
}

double yarn_gain(double factor, double gain) {
  if (factor <= 1 || gain == 0) return 1;
  const auto made = [&](double of, double over) {
    Rotary plain(Geometric(10000, 1, Spacing::over_width), Pairing::split_half);
    plain.magnitude = YarnMagnitude{factor, of, over};
    plain.stored = StoredAs::sine_cosine;
    return magnitude_of(RotaryCache(plain, 2));
  };
  return made(1, 0) / made(1, gain);
}

}  // namespace posenc::config
