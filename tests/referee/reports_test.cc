// SPDX-License-Identifier: Apache-2.0
// Public reports of wrong positions, made anew: the tensor that the report is about, right and wrong, in arithmetic of
// their own, checked against the convention that was meant. The answers are those recorded (recorded.h); to_come.json
// lists those that are wrong today.
#include <gtest/gtest.h>
#include <posenc/bias.h>
#include <posenc/log_coordinates.h>
#include <posenc/referee/referee.h>
#include <posenc/rotary.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "tests/referee/draws.h"
#include "tests/referee/recorded.h"

namespace posenc::reports {
namespace {

using test::Draws;
using Numbers = std::vector<double>;

struct Tensor {
  std::vector<std::int64_t> shape;
  std::vector<float> entries;
  ConstView view() const { return posenc::view(entries.data(), std::span<const std::int64_t>(shape)); }
};
Tensor tensor_of(std::vector<std::int64_t> shape, const Numbers& numbers) {
  Tensor tensor = {std::move(shape), {}};
  for (const double x : numbers) tensor.entries.push_back(static_cast<float>(x));
  return tensor;
}
double rounded_to_bf16(double x) { return static_cast<double>(static_cast<float>(bfloat16(static_cast<float>(x)))); }
Tensor through_bf16(Tensor tensor) {
  for (float& x : tensor.entries) x = static_cast<float>(bfloat16(x));
  return tensor;
}
Tensor through_f16(Tensor tensor) {
  for (float& x : tensor.entries) x = static_cast<float>(half(x));
  return tensor;
}

void ask(const std::string& name, const Tensor& tensor, const Convention& asked, const DiagnoseOptions& options = {}) {
  const ConstView view = tensor.view();
  test::expect_recorded("reports/" + name + "/identify", to_json(identify(view)));
  ASSERT_FALSE(check_diagnose(view, asked, options)) << check_diagnose(view, asked, options)->message();
  test::expect_recorded("reports/" + name + "/check", to_json(diagnose(view, asked, options)));
}
void ask(const std::string& name, const Tensor& tensor) {
  test::expect_recorded("reports/" + name + "/identify", to_json(identify(tensor.view())));
}
const Convention& named(std::string_view name) { return preset(name).convention; }

// ---- arithmetic of its own -----------------------------------------------------------------------

Numbers counted(std::int64_t count, double first = 0) {
  Numbers all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(first + static_cast<double>(i));
  return all;
}
Numbers ladder(double base, int columns) {
  Numbers w;
  for (int k = 0; k < columns; k += 2) w.push_back(std::pow(base, -static_cast<double>(k) / columns));
  return w;
}
Numbers yarn(double base, int d, double factor, double length, bool truncate, double last) {
  const auto pair_of = [&](double turns) {
    return d * std::log(length / (turns * 2 * std::numbers::pi)) / (2 * std::log(base));
  };
  double low = pair_of(32), high = pair_of(1);
  if (truncate) low = std::floor(low), high = std::ceil(high);
  low = std::max(low, 0.0), high = std::min(high, last);
  Numbers w = ladder(base, d);
  for (std::size_t k = 0; k < w.size(); ++k) {
    const double ramp = std::clamp((static_cast<double>(k) - low) / (high - low), 0.0, 1.0);
    w[k] = w[k] / factor * ramp + w[k] * (1 - ramp);
  }
  return w;
}
// [cos | sin] of every angle, times the magnitude.
Tensor cache_of(const Numbers& positions, const Numbers& w, double magnitude = 1) {
  Numbers all;
  for (const double p : positions) {
    for (const double each : w) all.push_back(std::cos(p * each) * magnitude);
    for (const double each : w) all.push_back(std::sin(p * each) * magnitude);
  }
  return tensor_of({std::ssize(positions), 2 * std::ssize(w)}, all);
}
enum class Pairs : std::uint8_t { halves = 1, adjacent };
Numbers turned(const Numbers& rows, const Numbers& positions, const Numbers& w, Pairs pairs, double magnitude = 1) {
  Numbers out = rows;
  const std::size_t n = w.size(), columns = rows.size() / positions.size();
  for (std::size_t p = 0; p < positions.size(); ++p) {
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t a = p * columns + (pairs == Pairs::halves ? k : 2 * k);
      const std::size_t b = pairs == Pairs::halves ? a + n : a + 1;
      const double c = std::cos(positions[p] * w[k]) * magnitude, s = std::sin(positions[p] * w[k]) * magnitude;
      out[a] = rows[a] * c - rows[b] * s, out[b] = rows[a] * s + rows[b] * c;
    }
  }
  return out;
}
Numbers normal(std::int64_t count, unsigned seed) {
  Draws draw(seed);
  Numbers all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(static_cast<double>(static_cast<float>(draw.normal())));
  return all;
}
void ask_rotation(const std::string& name, const Numbers& before, const Numbers& after, const Numbers& positions) {
  const std::vector<std::int64_t> shape = {std::ssize(positions), std::ssize(before) / std::ssize(positions)};
  const Tensor from = tensor_of(shape, before), to = tensor_of(shape, after);
  const Positions asked = Positions::list(view(positions.data(), {std::ssize(positions)}));
  test::expect_recorded("reports/" + name + "/rotation", to_json(identify_rotation(from.view(), to.view(), asked)));
}

// ---- rotations -----------------------------------------------------------------------------------

TEST(Reports, ARotationMadeTwice) {
  const Numbers w = yarn(150000, 64, 32, 4096, false, 63), p = counted(200), k = normal(200 * 64, 1);
  const double magnitude = 0.1 * std::log(32) + 1;
  const Numbers halves = turned(k, p, w, Pairs::halves, magnitude), pairs = turned(k, p, w, Pairs::adjacent, magnitude);
  ask_rotation("gpt-oss, right", k, halves, p);
  ask_rotation("gpt-oss, adjacent pairs", k, pairs, p);
  ask_rotation("gpt-oss, twice", k, turned(halves, p, w, Pairs::halves, magnitude), p);
  ask_rotation("gpt-oss, both pairings", k, turned(pairs, p, w, Pairs::halves, magnitude), p);
}

TEST(Reports, RotationsAtOtherPositions) {
  const Numbers w = ladder(1e4, 64), p = counted(40), q = normal(40 * 64, 2);
  Numbers packed = counted(15);
  for (const double each : counted(25)) packed.push_back(each);
  Numbers padded;
  for (const double each : p) padded.push_back(std::max(each - 13, 0.0));
  ask_rotation("right", q, turned(q, p, w, Pairs::halves), p);
  ask_rotation("packed", q, turned(q, packed, w, Pairs::halves), p);
  ask_rotation("padded in front", q, turned(q, padded, w, Pairs::halves), p);
  ask_rotation("one position", q, turned(q, Numbers(40, 5), w, Pairs::halves), p);
  ask_rotation("from 1", q, turned(q, counted(40, 1), w, Pairs::halves), p);
  const Numbers far = counted(600), more = normal(std::int64_t{600} * 128, 3);
  Numbers rounded;
  for (const double each : far) rounded.push_back(rounded_to_bf16(each));
  ask_rotation("positions in bf16", more, turned(more, rounded, ladder(1e4, 128), Pairs::halves), far);
}

TEST(Reports, ARotationOfHalfTheLadder) {
  Numbers w;
  for (int k = 0; k < 64; ++k) w.push_back(k < 32 ? std::pow(1 / 1024.0, k / 31.0) : 0);
  const Numbers p = counted(128), q = normal(std::int64_t{128} * 128, 4);
  ask_rotation("half-truncated", q, turned(q, p, w, Pairs::halves), p);
  Numbers sines;
  for (const double each : counted(128)) {
    for (const double frequency : w) sines.push_back(std::sin(each * frequency));
  }
  ask("half-truncated, sines", tensor_of({128, 64}, sines));
  ask("half-truncated, frequencies", tensor_of({64}, w));
}

// A rotation by the arithmetic of its original, with more entries than recipes are sampled on.
TEST(Reports, ALargeRotation) {
  const std::int64_t count = 9000;
  const Tensor before = tensor_of({count, 128}, normal(count * 128, 5));
  Tensor after = before;
  rotary(named("llama"), Positions::range(0, count), before.view(),
         view(after.entries.data(), {count, std::int64_t{128}}), Direction::forward,
         {.recipe = preset("llama").original});
  test::expect_recorded("reports/llama, original/rotation",
                        to_json(identify_rotation(before.view(), after.view(), Positions::range(0, count))));
}

// ---- caches and lists ----------------------------------------------------------------------------

TEST(Reports, TheLastPairOfARamp) {
  const Convention asked = with_fields(
      named("rope-yarn"), {{"ladder.scaling.factor", 4}, {"ladder.scaling.length", 131072}, {"magnitude.factor", 4}});
  for (const auto& [name, last] : {std::pair{"right", 127.0}, {"clamped", 63.0}}) {
    const Numbers w = yarn(1e4, 128, 4, 131072, true, last);
    ask(std::string("yarn, ") + name, cache_of(counted(512), w, 0.1 * std::log(4) + 1), asked, {.dim = 128});
    ask(std::string("yarn, frequencies, ") + name, tensor_of({64}, w), asked, {.dim = 128});
  }
}

TEST(Reports, APartTakenTwice) {
  const Convention quarter = with_fields(named("rope-half"), {{"part", "share"}, {"part.share", 0.25}});
  ask("part, right", cache_of(counted(200), ladder(1e4, 32)), quarter, {.dim = 128});
  ask("part, twice", cache_of(counted(200), ladder(1e4, 8)), quarter, {.dim = 128});
}

TEST(Reports, AFactorInTheExponent) {
  const Convention asked = with_field(named("rope-linear"), "ladder.scaling.factor", 2);
  Numbers w = ladder(1e4, 64);
  for (double& each : w) each = std::sqrt(each);
  ask("linear, cache", cache_of(counted(512), w), asked);
  ask("linear, frequencies", tensor_of({32}, w), asked);
}

TEST(Reports, FactorsOfLlama) {
  const Convention asked = with_field(named("rope-llama3"), "ladder.scaling.factor", 32);
  for (const double factor : {32.0, 8.0}) {
    Numbers divisors;
    for (const double w : ladder(5e5, 64)) {
      const double wavelength = 2 * std::numbers::pi / w, smooth = (8192 / wavelength - 1) / 3;
      divisors.push_back(wavelength < 2048 ? 1 : wavelength > 8192 ? factor : 1 / ((1 - smooth) / factor + smooth));
    }
    ask("rope_freqs of " + std::to_string(static_cast<int>(factor)), tensor_of({32}, divisors), asked);
  }
}

TEST(Reports, CachesThatWereNotFilled) {
  const Numbers w = ladder(1e4, 64);
  const Tensor right = cache_of(counted(40), w);
  Numbers packed = counted(15);
  for (const double each : counted(25)) packed.push_back(each);
  ask("cache, right", right, named("rope-half"));
  ask("cache, packed", cache_of(packed, w), named("rope-half"));
  ask("cache, one position", cache_of(Numbers(40, 5), w), named("rope-half"));
  Tensor tail = right, none = right, column = right;
  std::fill(tail.entries.begin() + 20 * 64, tail.entries.end(), 0.0F);
  ask("cache, rows of zeros", tail, named("rope-half"));
  std::ranges::fill(none.entries, std::nanf(""));
  ask("cache, no numbers", none, named("rope-half"));
  for (std::size_t p = 0; p < 40; ++p) column.entries[p * 64 + 7] = std::nanf("");
  ask("cache, a column of no numbers", column, named("rope-half"));
  Numbers rounded;
  for (const double each : w) rounded.push_back(rounded_to_bf16(each));
  ask("cache, frequencies in bf16", cache_of(counted(128), rounded), named("rope-half"));
  ask("cache in bf16", through_bf16(cache_of(counted(128), w)), named("rope-half"));
}

// ---- axes ----------------------------------------------------------------------------------------

struct Cells {
  Numbers y, x;
};
Cells cells(int height, int width) {
  Cells all;
  for (int i = 0; i < height * width; ++i) all.y.push_back(i / width), all.x.push_back(i % width);
  return all;
}

TEST(Reports, AxesOfPixtral) {
  const Numbers w = ladder(1e4, 64);
  const auto cosines = [&](const Numbers& y, const Numbers& x) {
    Numbers all;
    for (std::size_t i = 0; i < y.size(); ++i) {
      for (int twice = 0; twice < 2; ++twice) {
        for (std::size_t k = 0; k < w.size(); k += 2) all.push_back(std::cos(y[i] * w[k]));
        for (std::size_t k = 1; k < w.size(); k += 2) all.push_back(std::cos(x[i] * w[k]));
      }
    }
    return tensor_of({std::ssize(y), 64}, all);
  };
  const Cells all = cells(4, 6);
  ask("pixtral, right", cosines(all.y, all.x), named("rope2d-pixtral"));
  ask("pixtral, axes exchanged", cosines(all.x, all.y), named("rope2d-pixtral"));
  DiagnoseOptions stated;
  for (const Numbers* each : {&all.y, &all.x}) {
    stated.identify.positions.push_back(Positions::list(view(each->data(), {std::ssize(*each)})));
  }
  ask("pixtral, stated, right", cosines(all.y, all.x), named("rope2d-pixtral"), stated);
  ask("pixtral, stated, axes exchanged", cosines(all.x, all.y), named("rope2d-pixtral"), stated);
}

TEST(Reports, CellsColumnByColumn) {
  const auto half_row = [](double p, Numbers& all) {
    for (int k = 0; k < 16; ++k) all.push_back(std::sin(p * std::pow(1e4, -k / 16.0)));
    for (int k = 0; k < 16; ++k) all.push_back(std::cos(p * std::pow(1e4, -k / 16.0)));
  };
  Numbers by_row, by_column;
  for (int i = 0; i < 24; ++i) half_row(i % 6, by_row), half_row(i / 6, by_row);
  for (int i = 0; i < 24; ++i) half_row(i / 4, by_column), half_row(i % 4, by_column);
  ask("cells, right", tensor_of({4, 6, 64}, by_row), named("diffusers-2d"));
  ask("cells, column by column", tensor_of({4, 6, 64}, by_column), named("mae-2d"));
  ask("cells, column by column, flat", tensor_of({24, 64}, by_column), named("mae-2d"));
}

// ---- classes and biases --------------------------------------------------------------------------

TEST(Reports, AStepOfADecoder) {
  const auto classes = [](double first, std::int64_t count) {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < count; ++i) {
      for (int k = 0; k < 200; ++k) {
        const double n = std::max(first + static_cast<double>(i) - k, 0.0);
        const double far = 16 + std::floor(std::log(std::max(n, 1.0) / 16) / std::log(128 / 16.0) * 16);
        all.push_back(static_cast<std::int64_t>(n < 16 ? n : std::min(far, 31.0)));
      }
    }
    return all;
  };
  const Convention& asked = named("t5-bucket-decoder");
  for (const auto& [name, first, count] :
       {std::tuple{"t5, wrong step", 0.0, 1}, {"t5, right step", 199.0, 1}, {"t5, from 5", 5.0, 50}}) {
    const std::vector<std::int64_t> all = classes(first, count);
    const ConstView tensor = view(all.data(), {std::int64_t{count}, 200});
    test::expect_recorded(std::string("reports/") + name + "/identify", to_json(identify(tensor)));
    test::expect_recorded(std::string("reports/") + name + "/check", to_json(diagnose(tensor, asked)));
  }
}

Numbers slopes_of(int heads) {
  int power = 1;
  while (2 * power <= heads) power *= 2;
  Numbers all;
  for (int i = 0; i < power; ++i) all.push_back(std::exp2(-8.0 * (i + 1) / power));
  for (int i = 0; i < heads - power; ++i) all.push_back(std::exp2(-4.0 * (2 * i + 1) / power));
  return all;
}

TEST(Reports, HeadsOfAShard) {
  const Numbers of_32 = slopes_of(32), of_40 = slopes_of(40);
  ask("alibi, heads 8 to 15 of 32", tensor_of({8}, Numbers(of_32.begin() + 8, of_32.begin() + 16)), named("alibi"));
  ask("alibi, heads 20 to 39 of 40", tensor_of({20}, Numbers(of_40.begin() + 20, of_40.end())), named("alibi"));
  ask("alibi, a list of 8", tensor_of({8}, slopes_of(8)), named("alibi"));
}

Tensor alibi_of(int heads, std::int64_t places, double factor) {
  Numbers all;
  for (const double slope : slopes_of(heads)) {
    for (std::int64_t i = 0; i < places; ++i) {
      for (std::int64_t k = 0; k < places; ++k) all.push_back(-factor * slope * std::abs(static_cast<double>(i - k)));
    }
  }
  return tensor_of({heads, places, places}, all);
}
TEST(Reports, BiasesOfAnotherScale) { ask("alibi, times 2", alibi_of(8, 16, 2), named("alibi")); }

// ---- one entry off by little ---------------------------------------------------------------------

TEST(Reports, OneEntryByFewUnits) {
  Tensor biases = through_f16(alibi_of(8, 16, 1));
  ask("alibi in f16", biases, named("alibi"));
  biases.entries[13 * 16 + 2] = -5.5078125F;  // head 0, two units in the last place
  ask("alibi in f16, an entry by two units", biases, named("alibi"));
  Tensor factors = {{30000}, {}};
  for (int p = 0; p < 30000; ++p) {
    const double factor = 1 + 0.1 * std::log(1 + std::floor((p + 1) / 8192.0));
    factors.entries.push_back(static_cast<float>(half(static_cast<float>(factor))));
    if (p >= 8191 && p < 16383) factors.entries.back() += 0x1p-10F;
  }
  ask("factors in f16, a step by one unit", factors, named("llama4-temperature"));
  Tensor coordinates = {{15, 15, 2}, std::vector<float>(15 * 15 * 2)};
  log_coordinates(named("swinv2-cpb"), view(coordinates.entries.data(), {15, 15, 2}));
  ask("swinv2", coordinates, named("swinv2-cpb"));
  coordinates.entries[(3 * 15 + 2) * 2] *= 1 + 0x1.8p-20F;
  ask("swinv2, an entry by 20 units", coordinates, named("swinv2-cpb"));
  Tensor cache = cache_of(counted(128), ladder(1e4, 64));
  cache.entries[100 * 64 + 20] *= 1 + 34 * 0x1p-24F;
  ask("cache, an entry by 34 units", cache, named("rope-half"));
}

// ---- tensors of no convention --------------------------------------------------------------------

TEST(Reports, AListOfFourInHalfPrecision) {
  ask("a list of 4", tensor_of({4}, {1, 0.12158203125, 0.01116943359375, 0.00110626220703125}));
}

TEST(Reports, ExhaustiveShortListsInHalfPrecision) {
  Draws draw(6);
  for (const int count : {4, 5, 6, 8}) {
    for (int i = 0; i < 12; ++i) {
      Numbers list;
      const double base = std::pow(10.0, 2 + 4 * draw.uniform()), bend = 1 + 7 * draw.uniform();
      const std::size_t kind = static_cast<std::size_t>(i) % 4, kink = 1 + draw.below(count - 1);
      for (int k = 0; k < count; ++k) {
        double x = std::pow(base, -static_cast<double>(k) / count);
        if (kind == 0) x /= 1 + (bend - 1) * k / count;                              // a ramp
        if (kind == 1 && static_cast<std::size_t>(k) >= kink) x /= bend;             // a kink
        if (kind == 2) x *= 1 + 0.2 * draw.normal();                                 // noise
        if (kind == 3) x = k == 0 ? 1 : list.back() * (0.1 + 0.8 * draw.uniform());  // falling at random
        list.push_back(std::abs(x));
      }
      const Tensor tensor = tensor_of({count}, list);
      const std::string name = "a list of " + std::to_string(count) + ", " + std::to_string(i);
      ask(name + " in bf16", through_bf16(tensor));
      ask(name + " in f16", through_f16(tensor));
    }
  }
}

TEST(Reports, ExhaustiveSmoothTables) {
  const Numbers w = ladder(1e4, 32);
  const auto rows = [&](const std::function<double(double)>& wave) {
    Numbers all;
    for (const double p : counted(48)) {
      for (const double each : w) all.push_back(wave(p * each));
      for (const double each : w) all.push_back(wave(p * each + std::numbers::pi / 2));
    }
    return tensor_of({48, 32}, all);
  };
  ask("triangles", rows([](double x) { return 2 / std::numbers::pi * std::asin(std::sin(x)); }));
  ask("cubes of sines", rows([](double x) { return std::pow(std::sin(x), 3); }));
  ask("tanh of sines", rows([](double x) { return std::tanh(std::sin(x)); }));
  ask("sines to 2^-11", rows([](double x) { return std::trunc(std::sin(x) * 2048) / 2048; }));
}

TEST(Reports, ProductsAndRowsThatRepeat) {
  Numbers products;
  for (int i = 0; i < 64; ++i) {
    for (int k = 0; k < 32; ++k) products.push_back(i * k);
  }
  ask("products", tensor_of({64, 32}, products));
  Numbers twice;
  for (int i = 0; i < 128; ++i) {
    for (const double each : ladder(1e4, 64)) twice.push_back(std::sin(i % 64 * each));
  }
  ask("sines twice", tensor_of({128, 32}, twice), named("llama"));
}

TEST(Reports, ListsOfUnusualLadders) {
  ask("frequencies of base 7", tensor_of({32}, ladder(7, 64)));
  ask("frequencies of a dynamic ladder", tensor_of({32}, ladder(1e4 * std::pow(2 * 300.0 / 128 - 1, 64.0 / 62), 64)));
  Numbers step = ladder(1e4, 64);
  for (std::size_t k = 16; k < step.size(); ++k) step[k] /= 3.3;
  ask("frequencies with a step", tensor_of({32}, step));
}

}  // namespace
}  // namespace posenc::reports
