// SPDX-License-Identifier: Apache-2.0
// Tables at positions of every kind and of every width, and sums with them.
#include <posenc/preset.h>

#include "tests/proof/positions.h"
#include "tests/proof/works.h"

namespace posenc::proof {
namespace {

// ---- positions ------------------------------------------------------------------------------------

struct Kind {
  std::string name;
  Positions positions;
};

constexpr std::array<std::int32_t, 4> short_integers = {std::numeric_limits<std::int32_t>::min(), -1, 77, 2147483647};
constexpr std::array<float, 5> short_reals = {-0x1p53F, 0x1p-149F, 0.1F, 33.5F, 1e9F};

std::vector<Kind> kinds() {
  return {{"below-zero", Positions::range(-300, 301)},
          {"integers", integers()},
          {"reals", reals()},
          {"i32", Positions::list(view(short_integers.data(), {std::ssize(short_integers)}))},
          {"f32", Positions::list(view(short_reals.data(), {std::ssize(short_reals)}))},
          {"last", Positions::range(std::numeric_limits<std::int64_t>::max() - 299, 300)},
          {"first", Positions::range(std::numeric_limits<std::int64_t>::min() + 299, 300, -1)},
          {"repeated", Positions::range(-two_to_62, 80, 0)},
          {"far-apart", Positions::range(-two_to_62, 100, two_to_53 * 7 + 1)},
          {"quarters", Positions::range(0x1p49, 150, 0.25)},
          {"tenths", Positions::range(0.0, 150, 0.1)}};
}

void every_position(const Surroundings& how) {
  const Rows rows({Sinusoid{paper, Layout::interleaved, OddWidth::refused}}, 34);
  Surroundings whole = how;
  for (const Kind& kind : kinds()) {
    // A range in tenths that begins elsewhere is rounded elsewhere.
    whole.cut = kind.name == "tenths" ? 0 : how.cut;
    for_types([&]<class T>(T) { put_table<T>(whole, "positions/" + kind.name + "/exact", rows, kind.positions); });
  }
}

// ---- widths ---------------------------------------------------------------------------------------

void width(const Surroundings& how, const std::string& name, Layout layout, OddWidth rule, std::int64_t dim) {
  const Rows rows({Sinusoid{paper, layout, rule}}, dim);
  for_types([&]<class T>(T) {
    put_table<T>(how, "width/" + name + "/exact", rows, near());
    put_table<T>(how, "width/" + name + "/exact", rows, some_reals());
  });
}

void every_width(const Surroundings& how) {
  for (const std::int64_t dim : {1, 3, 127}) {
    width(how, "lone_sine", Layout::interleaved, OddWidth::lone_sine, dim);
    width(how, "lone_sine", Layout::cosine_first, OddWidth::lone_sine, dim);
    width(how, "zero_column", Layout::cosine_first, OddWidth::zero_column, dim);
    if (dim > 1) width(how, "short_row", Layout::sine_first, OddWidth::short_row, dim);
  }
  width(how, "even", Layout::interleaved, OddWidth::refused, 2);
  width(how, "even", Layout::cosine_first, OddWidth::refused, 254);
  width(how, "20002", Layout::sine_first, OddWidth::refused, 20002);
}

// ---- sums -----------------------------------------------------------------------------------------

template <class T>
void add(const Surroundings& how, const Convention& convention, const Recipe& recipe, const Positions& positions,
         std::int64_t dim) {
  const std::int64_t length = positions.count_;
  Threads threads(how.threads);
  const std::vector<T> values = seeded<T>(length, dim);
  RowMemory<T> apart(how, length, dim), both(how, length, dim);
  both.fill(values);
  in_cuts(how, length, [&](std::int64_t first, std::int64_t count) {
    const Positions some = part(positions, first, count);
    const ConstView in = view(values.data() + first * dim, {1, count, dim});
    add_sinusoid(convention, some, in, apart.view(first, count), {.recipe = recipe, .executor = threads.executor()});
    const View in_place = both.view(first, count);
    add_sinusoid(convention, some, in_place, in_place, {.recipe = recipe, .executor = threads.executor()});
  });
  apart.put("add/apart/" + recipe.name);
  both.put("add/in-place/" + recipe.name);
}

// Two sequences with positions of their own, and two that share them.
template <class T>
void add_batch(const Surroundings& how, const Convention& convention) {
  constexpr std::int64_t dim = 30, length = 8;
  Threads threads(how.threads);
  const ConstView lists = view(extreme_integers.data(), {2, length});
  for (const Positions& positions : {Positions::list(lists), near()}) {
    RowMemory<T> rows(how, 2 * positions.count_, dim);
    rows.fill(seeded<T>(2 * positions.count_, dim));
    const View all = rows.batch(2);
    add_sinusoid(convention, positions, all, all, {.executor = threads.executor()});
    rows.put("add/batch/exact");
  }
}

void every_sum(const Surroundings& how) {
  const Convention odd = Sinusoid{paper, Layout::sine_first, OddWidth::zero_column};
  for_types([&]<class T>(T) {
    for (const std::string_view name : {"exact", "f32-exp", "f64-to-f16"}) {
      for (const Positions& positions : {near(), integers(), reals(), Positions::range(70, 40)}) {
        add<T>(how, odd, recipe(name), positions, 37);
      }
    }
    add_batch<T>(how, odd);
  });
}

}  // namespace

void write_places(const Surroundings& how) {
  every_position(how);
  every_width(how);
  every_sum(how);
}

}  // namespace posenc::proof
