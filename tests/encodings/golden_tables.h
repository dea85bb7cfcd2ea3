// SPDX-License-Identifier: Apache-2.0
// The tables of a preset in tests/goldens, and what the library gives in their place.
#pragma once

#include <gtest/gtest.h>
#include <posenc/grid.h>
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

#include "tests/encodings/plain_cells.h"
#include "tests/golden_files.h"

namespace posenc::test {

// The tables of one width, at its positions or of its grid.
struct GoldenTables {
  const GoldenFile& file;
  std::string name;  // d64, d64-3x2

  const Preset& preset() const { return posenc::preset(file.metadata("preset")); }
  std::int64_t dim() const { return std::stoll(name.substr(1)); }
  bool is_grid() const { return file.has(name + "/grid"); }
  std::span<const std::int64_t> grid() const { return file[name + "/grid"].values<std::int64_t>(); }
  const GoldenArray& positions() const { return file[name + "/positions"]; }

  // The tensors DIM/BY/TYPE/HOLDS: of the original that follows a recipe, or exact ones.
  std::vector<std::string> tensors(std::string_view holds, bool is_exact) const {
    std::vector<std::string> names;
    for (const auto& [tensor, array] : file.tensors()) {
      if (tensor.starts_with(name + "/") && tensor.ends_with("/" + std::string(holds)) &&
          (by(tensor) == "exact") == is_exact) {
        names.push_back(tensor);
      }
    }
    return names;
  }
  static std::string by(const std::string& tensor) {
    const std::size_t from = tensor.find('/') + 1;
    return tensor.substr(from, tensor.find('/', from) - from);
  }
};

template <class Check>
void for_each_golden_table(const Check& check) {
  for (const std::string& name : golden_names("tables")) {
    const GoldenFile file(name);
    for (const std::string& of_width : file.cases()) {
      SCOPED_TRACE(name + " " + of_width);
      check(GoldenTables{file, of_width});
    }
  }
}

template <class Function>
void with_type(DType type, const Function& function) {
  if (type == DType::f32) return function(float{});
  if (type == DType::f64) return function(double{});
  if (type == DType::f16) return function(half{});
  ASSERT_EQ(type, DType::bf16);
  function(bfloat16{});
}

template <class T>
T narrowed(double value) {
  if constexpr (std::is_same_v<T, double>) return value;
  return T(static_cast<float>(value));
}

// ---- what the library gives -----------------------------------------------------------------------

// The convention of a table of several axes, else nothing.
inline const Waves* cells_of(const Convention& convention) {
  return check_use("test", ConventionUse::cells, convention) ? nullptr : std::get_if<Waves>(&convention);
}

// Whether the axes of a table have one ladder in common.
inline bool axes_are_alike(const Waves& cells, std::int64_t dim) {
  const std::vector<std::int64_t> pairs = plain_pairs(cells, dim);
  return cells.ladders.size() == 1 && std::ranges::count(pairs, pairs[0]) == std::ssize(pairs);
}

// The ladder that a file states: of several axes the one that all have, or those of each, one after the other.
inline std::vector<double> frequencies(const GoldenTables& of, const Recipe& recipe) {
  const Waves* cells = cells_of(of.preset().convention);
  if (cells == nullptr) return Rows(of.preset().convention, of.dim(), {.recipe = recipe}).frequencies();
  std::vector<double> all;
  const std::vector<std::int64_t> pairs = plain_pairs(*cells, of.dim());
  for (std::size_t axis = 0; axis < (axes_are_alike(*cells, of.dim()) ? 1 : pairs.size()); ++axis) {
    const Ladder& ladder = cells->ladders[cells->ladders.size() == 1 ? 0 : axis];
    const Sinusoid row = {ladder, Layout::sine_first, OddWidth::refused};
    const std::vector<double> own = Rows(row, 2 * pairs[axis], {.recipe = recipe}).frequencies();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

inline Waves with_frequencies(Waves cells, std::int64_t dim, const Listed& ladder) {
  if (axes_are_alike(cells, dim)) {
    cells.ladders = {ladder};
    return cells;
  }
  auto from = ladder.frequencies.begin();
  cells.ladders.clear();
  for (const std::int64_t pairs : plain_pairs(cells, dim)) {
    cells.ladders.push_back(Listed{{from, from + pairs}});
    from += pairs;
  }
  return cells;
}

// The convention on another ladder.
inline Convention with_ladder(const Convention& convention, std::int64_t dim, const Listed& ladder) {
  if (const Waves* cells = cells_of(convention)) return with_frequencies(*cells, dim, ladder);
  Waves waves = std::get<Waves>(convention);
  waves.ladders = {ladder};
  return waves;
}

inline bool is_interleaved(const Convention& convention) {
  return std::get<Waves>(convention).layout == Layout::interleaved;
}

// Of every angle: what an original multiplies its ladder's angles by.
inline double angle_factor(const Convention& convention) { return std::get<Waves>(convention).angle_factor; }

template <class T>
std::vector<T> table_of(const GoldenTables& of, const Convention& convention, const Recipe& recipe,
                        const GoldenArray& like) {
  std::vector<T> out(like.values<T>().size());
  if (of.is_grid()) {
    GridChunks(Rows(convention, of.dim(), {.recipe = recipe}), {of.grid().begin(), of.grid().end()}, dtype_of<T>)
        .write(0, view(out.data(), {like.shape[0], like.shape[1]}));
  } else {
    const Rows rows(convention, of.dim(), {.recipe = recipe});
    rows.write(Positions::list(of.positions().view()), view(out.data(), {like.shape[0], like.shape[1]}));
  }
  return out;
}

}  // namespace posenc::test
