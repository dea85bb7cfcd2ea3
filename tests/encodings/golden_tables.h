// SPDX-License-Identifier: Apache-2.0
// The tables of a preset in tests/goldens, and what the library gives in their place.
#pragma once

#include <gtest/gtest.h>
#include <posenc/grid.h>
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

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

// The one-axis rows whose ladder a file states: half of the width for a grid.
inline SinusoidRows axis_rows(const GoldenTables& of, const Recipe& recipe) {
  if (const auto cells = short_form<Grid>(of.preset().convention)) {
    return {Sinusoid{cells->ladder, cells->layout, OddWidth::refused}, of.dim() / 2, recipe};
  }
  return {of.preset().convention, of.dim(), recipe};
}

// The convention on another ladder.
inline Convention with_ladder(const Convention& convention, const Ladder& ladder) {
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
    grid(convention, view(out.data(), {of.grid()[0], of.grid()[1], of.dim()}), recipe);
  } else {
    const SinusoidRows rows(convention, of.dim(), recipe);
    rows.write(Positions::list(of.positions().view()), view(out.data(), {like.shape[0], like.shape[1]}));
  }
  return out;
}

}  // namespace posenc::test
