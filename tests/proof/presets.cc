// SPDX-License-Identifier: Apache-2.0
// Every preset, by the exact recipe, by its original one and by the phase where that serves, in every type: tables,
// grids, rotations, places, and the numbers of any other operation. A preset that none of them takes ends the program.
#include <posenc/grid.h>
#include <posenc/operation.h>
#include <posenc/phase_plan.h>
#include <posenc/preset.h>
#include <posenc/resize.h>
#include <posenc/rotary.h>
#include <posenc/rows.h>

#include <numeric>

#include "src/conventions/lower.h"
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
View cells_of(RowMemory<T>& rows, const std::vector<std::int64_t>& extents) {
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
  if (check_use("proof", ConventionUse::rows, asked.preset.convention)) return false;
  const auto check = [&](std::int64_t dim) {
    return Rows::check(asked.preset.convention, dim, {.recipe = asked.recipe});
  };
  const std::vector<std::int64_t> widths = admitted({1, 2, 3, 7, 64, 97}, check);
  for (const std::int64_t width : widths) {
    const Rows rows(asked.preset.convention, width, {.recipe = asked.recipe});
    for_types([&]<class T>(T) {
      for (const Positions& positions : {near(), integers(), reals()}) put_table<T>(how, asked.name(), rows, positions);
    });
  }
  // The constants of a recipe are rounded by width: where one rounding is another's, the next width tells them apart.
  for (const std::int64_t width : admitted({10, 14, 22, 34, 46, 58, 70, 82}, check)) {
    const Rows rows(asked.preset.convention, width, {.recipe = asked.recipe});
    for_types([&]<class T>(T) { put_table<T>(how, asked.name(), rows, Positions::range(1019, 2)); });
  }
  return !widths.empty();
}

bool grids(const Surroundings& how, const Asked& asked) {
  if (check_use("proof", ConventionUse::cells, asked.preset.convention)) return false;
  const auto check = [&](std::int64_t dim) {
    return Rows::check(asked.preset.convention, dim, {.recipe = asked.recipe});
  };
  const auto* waves = std::get_if<Waves>(&asked.preset.convention);
  if (waves != nullptr && waves->axes.size() > 7) return false;  // no view has an index for each, and columns
  const std::vector<std::int64_t> widths = admitted({4, 12, 64}, check);
  const std::vector<std::int64_t> extents = extents_of(asked.preset.convention);
  const auto put = [&](const Rows& cells, const PlaceNumbering& places, const std::string& name) {
    for_types([&]<class T>(T) {
      Threads threads(how.threads);
      RowMemory<T> out(how, std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies()),
                       cells.width());
      cells.write_cells(cells_of(out, extents), places, threads.executor());
      out.put(name);
    });
  };
  for (const std::int64_t width : widths) {
    const Rows rows(asked.preset.convention, width, {.recipe = asked.recipe});
    put(rows, whole_places, asked.name());
    if (asked.preset.places) put(rows, *asked.preset.places, asked.name() + "/places");
  }
  return !widths.empty();
}

bool decays(const Convention& convention) {
  const auto* rotary = std::get_if<Rotary>(&convention);
  return rotary != nullptr && std::holds_alternative<PairDecay>(rotary->decay);
}

// A list for each axis, of as many places: the first is `first`.
std::vector<Positions> coordinates_of(const RotaryRows& rotary, const Positions& first) {
  std::vector<Positions> lists = {first};
  for (std::int64_t a = 1; a < std::ssize(rotary.axes()); ++a) {
    lists.push_back(Positions::range(1000 * a, first.count_, 2 - a));
  }
  return lists;
}

template <class T>
void turn(const Surroundings& how, const Asked& asked, const RotaryRows& rotary, std::int64_t dim,
          Direction direction) {
  Threads threads(how.threads);
  std::vector<Positions> lists = {near(), integers(), reals()};
  if (decays(asked.preset.convention)) lists.resize(1);  // far from its centre a decay is no f32
  for (const Positions& positions : lists) {
    constexpr std::int64_t heads = 2;
    RowMemory<T> rows(how, heads * positions.count_, dim);
    rows.fill(seeded<T>(heads * positions.count_, dim));
    const View all = rows.batch(heads);
    const Rotated one[] = {{all, RotatedSide::key, TokenAxis::before_columns}};
    rotary.rotate(coordinates_of(rotary, positions), one, direction, threads.executor());
    rows.put(asked.name() + (direction == Direction::forward ? "/forward" : "/inverse"));
  }
}

bool rotations(const Surroundings& how, const Asked& asked) {
  const Context context = {.length = 8192, .centre = 31};
  const auto check = [&](std::int64_t r) {
    return RotaryRows::check(asked.preset.convention, r, {.recipe = asked.recipe, .context = context});
  };
  std::vector<std::int64_t> widths = admitted({2, 6, 64, 130}, check);
  if (widths.empty()) widths = admitted({36, 80}, check);   // a share of those heads is odd
  if (widths.empty()) widths = admitted({96, 128}, check);  // the pairs of each axis are stated
  if (widths.empty()) widths = admitted({8, 256}, check);   // frequencies are listed, or of a share's pairs
  for (const std::int64_t width : widths) {
    const RotaryRows rotary(asked.preset.convention, width, {.recipe = asked.recipe, .context = context});
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

// Rows of a place a line, each axis with reals of its own.
bool places(const Surroundings& how, const Asked& asked) {
  const Context context = {.length = 0, .centre = {}, .learned = 1.25};
  const Convention& convention = asked.preset.convention;
  if (check_use("proof", ConventionUse::coordinates, convention)) return false;
  const auto check = [&](std::int64_t dim) {
    return Rows::check(convention, dim, {.recipe = asked.recipe, .context = context});
  };
  const std::vector<std::int64_t> widths = admitted({8, 9, 10, 15, 16, 34, 63}, check);
  for (const std::int64_t width : widths) {
    const Rows rows(convention, width, {.recipe = asked.recipe, .context = context});
    const std::vector<Positions> lists(rows.axes().size(), reals());
    for_types([&]<class T>(T) {
      Threads threads(how.threads);
      RowMemory<T> out(how, reals().count_, rows.width());
      rows.write(lists, out.matrix(), threads.executor());
      out.put(asked.name());
    });
  }
  return !widths.empty();
}

void put_resized(const Surroundings& how, const Asked& asked) {
  const Convention& convention = asked.preset.convention;
  if (check_use("proof", ConventionUse::resized_tables, convention)) return;
  constexpr GridSize from = {7, 5}, sizes[] = {{16, 3}, {4, 11}};
  constexpr std::int64_t columns = 67;
  for_types([&]<class T>(T) {
    if constexpr (std::is_same_v<T, double>) return;
    Threads threads(how.threads);
    std::vector<T> table(static_cast<std::size_t>(table_rows(convention, from) * columns));
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = T(static_cast<float>(i * 40503 % 65536) / 65536 - 0.5f);
    for (const GridSize& to : sizes) {
      RowMemory<T> out(how, table_rows(convention, to), columns);
      if constexpr (!std::is_same_v<T, double>) {
        resize_table(convention, view(std::as_const(table).data(), {table_rows(convention, from), columns}), from, to,
                     out.matrix(), {.executor = threads.executor()});
      }
      out.put(asked.name());
    }
  });
}

// ---- what is made of pairs, queries, windows and stored rows: whole numbers, or by the exact recipe alone -----------

// Lists of positions that an operation reads, a case each.
std::vector<std::vector<Positions>> lists_of(const Convention& convention) {
  const Operation& operation = operation_of(convention);
  const Positions keys = Positions::range(-300, 600);
  switch (operation.reads) {
    case OperationReads::window: return {{}};
    case OperationReads::pairs:
      if (operation.dim == DimCounts::heads) return {{near(), near()}};
      return {{near(), keys}, {Positions::range(-700, 31, 50), keys}};
    case OperationReads::places: break;
  }
  if (operation.elements == ElementKind::reals) return {{Positions::range(0, 300, 997)}};
  if (axes_of(convention).size() == 1) return {{Positions::range(0, 49)}};
  const std::int64_t columns = lower_index(convention).columns;  // of cells; 0: a table for each axis
  constexpr std::int64_t first = 3, most = 46;
  const std::int64_t count = columns == 0 ? most : std::min(most, columns - first);
  return {{Positions::range(first, count), Positions::range(0, count)}};
}

// Returns false if the operation refuses the inputs.
template <class T>
bool put_numbers(const Surroundings& how, const Asked& asked, OperationInputs inputs) {
  Threads threads(how.threads);
  const Convention& convention = asked.preset.convention;
  inputs.options.executor = threads.executor();
  std::vector<std::int64_t> extents = shape_of_numbers(convention, inputs);
  std::int64_t width = 1;
  const bool one_axis = extents.size() == 1;
  if (!one_axis) width = extents.back(), extents.pop_back();
  RowMemory<T> rows(how, std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies()), width);
  View out = cells_of(rows, extents);
  if (one_axis) out.rank = 1;
  if (check_write_numbers(convention, inputs, out)) return false;
  const std::span<const Positions> all = inputs.lists;
  std::vector<Positions> lists(all.begin(), all.end());
  inputs.lists = lists;
  const std::size_t cut = operation_of(convention).reads == OperationReads::pairs ? 1 : all.size();  // keys stay whole
  const int axis = inputs.dim > 0 ? 1 : 0;                                                           // behind the heads
  in_cuts(how, all.empty() ? 1 : all[0].count_, [&](std::int64_t first, std::int64_t count) {
    for (std::size_t a = 0; a < cut; ++a) lists[a] = part(all[a], first, count);
    write_numbers(convention, inputs, all.empty() ? out : out.slice(axis, first, count));
  });
  rows.put(asked.name());
  return true;
}

// Whatever is no row and no rotation, by its row of the table of operations.
bool numbers(const Surroundings& how, const Asked& asked) {
  const Convention& convention = asked.preset.convention;
  const Operation& operation = operation_of(convention);
  if (operation.dim == DimCounts::columns) return false;
  const auto check = [&](std::int64_t heads) { return check_width(convention, heads); };
  const std::vector<std::int64_t> dims =
      operation.dim == DimCounts::heads ? admitted({1, 8, 12}, check) : std::vector<std::int64_t>{0};
  std::vector<std::int32_t> mask(static_cast<std::size_t>(near().count_), 1);
  mask[2] = mask[20] = 0;
  const auto* slopes = std::get_if<Slopes>(&convention);
  const bool counts = slopes != nullptr && slopes->over == KeysCounted::present;
  const Context context = {.head = 80, .present = counts ? view(mask.data(), {near().count_}) : ConstView{}};
  bool written = false;
  for (const std::int64_t dim : dims) {
    for (const std::vector<Positions>& lists : lists_of(convention)) {
      OperationInputs inputs = {.dim = dim, .lists = lists, .window = {5, 7}, .options = {.context = context}};
      if (operation.elements == ElementKind::reals) inputs.window = {8, 12};
      const auto put = [&]<class T>(T) { written |= put_numbers<T>(how, asked, inputs); };
      if (operation.elements == ElementKind::reals) {
        for_types(put);
      } else {
        put(std::int32_t{}), put(std::int64_t{});
      }
    }
  }
  put_resized(how, asked);
  return written;
}

// The words of angles, the starts behind them.
void put_plan(const std::string& name, const PhasePlan& plan) {
  std::vector<std::int64_t> words;
  for (const auto& [of_axes, start] : plan.angles) {
    for (const std::uint64_t word : of_axes) words.push_back(static_cast<std::int64_t>(word));
    words.push_back(static_cast<std::int64_t>(start));
  }
  put(name, words);
}

void phase_plans(const Preset& preset) {
  const Context context = {.length = 8192, .centre = 31, .learned = 1.25};
  for (const std::int64_t width : {8, 64, 96, 128}) {
    const std::string name = "phase_plan/" + std::string(preset.name);
    if (!check_phase_plan_of_rows(preset.convention, width, context)) {
      put_plan(name, phase_plan_of_rows(preset.convention, width, context));
    }
    if (!check_phase_plan_of_rotation(preset.convention, width, context)) {
      put_plan(name, phase_plan_of_rotation(preset.convention, width, context));
    }
  }
}

void every_kind(const Surroundings& how, const Asked& asked) {
  const bool written =
      tables(how, asked) || grids(how, asked) || rotations(how, asked) || places(how, asked) || numbers(how, asked);
  if (written) return;
  std::fprintf(stderr, "posenc_bits: no work is made of preset %s\n", std::string(asked.preset.name).c_str());
  std::exit(1);
}

}  // namespace

void write_presets(const Surroundings& how) {
  for (const Preset& preset : presets()) {
    every_kind(how, {preset, recipe("exact")});
    if (!preset.original.exact()) every_kind(how, {preset, preset.original});
    const Recipe by_phase = phase();
    const Asked asked = {preset, by_phase};
    tables(how, asked) || grids(how, asked) || rotations(how, asked) || places(how, asked);
    phase_plans(preset);
  }
}

}  // namespace posenc::proof
