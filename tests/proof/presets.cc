// SPDX-License-Identifier: Apache-2.0
// Every preset, by the exact recipe and by its original one, in every type: tables, grids, rotations, biases. A preset
// that none of them takes ends the program.
#include <posenc/bias.h>
#include <posenc/grid.h>
#include <posenc/preset.h>
#include <posenc/rotary.h>

#include <numeric>

#include "tests/proof/positions.h"
#include "tests/proof/works.h"

namespace posenc::proof {
namespace {

struct Asked {
  const Preset& preset;
  const Recipe& recipe;
  std::string name() const { return "preset/" + std::string(preset.name) + "/" + recipe.name; }
};

// A few cells along every axis, 14 x 9 of an image.
std::vector<std::int64_t> extents_of(const Convention& convention) {
  std::vector<std::int64_t> extents = {14, 9};
  while (extents.size() < cell_axes(convention).size()) extents.insert(extents.begin(), 2);
  return extents;
}

// Rows as cells of these extents.
template <class T>
View cells_of(Rows<T>& rows, const std::vector<std::int64_t>& extents) {
  View out = rows.matrix();
  std::int64_t stride = out.stride(0);
  out.strides[extents.size()] = 1;
  out.shape[extents.size()] = out.size(-1);
  out.rank = static_cast<int>(extents.size()) + 1;
  for (std::size_t i = extents.size(); i-- > 0; stride *= extents[i]) {
    out.shape[i] = extents[i];
    out.strides[i] = stride;
  }
  return out;
}

// Those of `widths` at which `check` has no problem.
template <class Check>
std::vector<std::int64_t> admitted(std::initializer_list<std::int64_t> widths, const Check& check) {
  std::vector<std::int64_t> good;
  for (const std::int64_t width : widths) {
    if (!check(width)) good.push_back(width);
  }
  return good;
}

bool tables(const Surroundings& how, const Asked& asked) {
  const auto check = [&](std::int64_t dim) { return SinusoidRows::check(asked.preset.convention, dim, asked.recipe); };
  const std::vector<std::int64_t> widths = admitted({1, 2, 3, 7, 64, 97}, check);
  for (const std::int64_t width : widths) {
    const SinusoidRows rows(asked.preset.convention, width, asked.recipe);
    for_types([&]<class T>(T) {
      for (const Positions& positions : {near(), integers(), reals()}) put_table<T>(how, asked.name(), rows, positions);
    });
  }
  // The constants of a recipe are rounded by width: where one rounding is another's, the next width tells them apart.
  for (const std::int64_t width : admitted({10, 14, 22, 34, 46, 58, 70, 82}, check)) {
    const SinusoidRows rows(asked.preset.convention, width, asked.recipe);
    for_types([&]<class T>(T) { put_table<T>(how, asked.name(), rows, Positions::range(1019, 2)); });
  }
  return !widths.empty();
}

bool grids(const Surroundings& how, const Asked& asked) {
  const auto check = [&](std::int64_t dim) { return GridRows::check(asked.preset.convention, dim, asked.recipe); };
  const std::vector<std::int64_t> widths = admitted({4, 12, 64}, check);
  for (const std::int64_t width : widths) {
    const GridRows cells(asked.preset.convention, width, asked.recipe);
    const std::vector<std::int64_t> extents = extents_of(asked.preset.convention);
    for_types([&]<class T>(T) {
      Threads threads(how.threads);
      Rows<T> out(how, std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies()), width);
      cells.write(cells_of(out, extents), threads.executor());
      out.put(asked.name());
    });
  }
  return !widths.empty();
}

template <class T>
void turn(const Surroundings& how, const Asked& asked, const RotaryRows& rotary, std::int64_t dim,
          Direction direction) {
  Threads threads(how.threads);
  for (const Positions& positions : {near(), integers(), reals()}) {
    constexpr std::int64_t heads = 2;
    Rows<T> rows(how, heads * positions.count_, dim);
    rows.fill(seeded<T>(heads * positions.count_, dim));
    const View all = rows.batch(heads);
    rotary.rotate(positions, all, all, direction, threads.executor());
    rows.put(asked.name() + (direction == Direction::forward ? "/forward" : "/inverse"));
  }
}

bool rotations(const Surroundings& how, const Asked& asked) {
  const auto check = [&](std::int64_t r) { return RotaryRows::check(asked.preset.convention, r, asked.recipe); };
  std::vector<std::int64_t> widths = admitted({2, 6, 64, 130}, check);
  if (widths.empty()) widths = admitted({36, 80}, check);  // a share of those heads is odd
  for (const std::int64_t width : widths) {
    const RotaryRows rotary(asked.preset.convention, width, asked.recipe);
    for (const std::int64_t dim : {width, width + 3}) {
      for (const Direction direction : {Direction::forward, Direction::inverse}) {
        turn<float>(how, asked, rotary, dim, direction);
        turn<bfloat16>(how, asked, rotary, dim, direction);
        turn<half>(how, asked, rotary, dim, direction);
      }
    }
  }
  return !widths.empty();
}

// No recipe rounds a bias.
bool biases(const Surroundings& how, const Asked& asked) {
  const Convention& convention = asked.preset.convention;
  if (check_use("proof", Use::slopes, convention)) return false;
  const auto check = [&](std::int64_t heads) { return check_width(convention, heads); };
  const std::vector<std::int64_t> numbers = admitted({1, 8, 12}, check);
  for (const std::int64_t heads : numbers) {
    for_types([&]<class T>(T) {
      Threads threads(how.threads);
      Rows<T> out(how, heads * near().count_, near().count_);
      bias(convention, near(), near(), out.batch(heads), threads.executor());
      out.put(asked.name());
    });
  }
  return !numbers.empty();
}

void every_kind(const Surroundings& how, const Asked& asked) {
  const bool written = tables(how, asked) || grids(how, asked) || rotations(how, asked) || biases(how, asked);
  if (written) return;
  std::fprintf(stderr, "posenc_bits: no work is made of preset %s\n", std::string(asked.preset.name).c_str());
  std::exit(1);
}

}  // namespace

void write_presets(const Surroundings& how) {
  for (const Preset& preset : presets()) {
    every_kind(how, {preset, recipe("exact")});
    if (!preset.original.exact()) every_kind(how, {preset, preset.original});
  }
}

}  // namespace posenc::proof
