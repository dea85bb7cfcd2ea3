// SPDX-License-Identifier: Apache-2.0
// Position tables: large ones past the caches, small ones in them; each entry the real number rounded once.
#include <posenc/phase_plan.h>
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

#include "bench/buffer.h"
#include "bench/words.h"

namespace posenc::bench {
namespace {

// Frequencies in units of pi, of which every entry at a whole number of quarter turns is known: 1, 1/2, .. 2^-9 half
// turns a position, over and over.
Convention half_turns(std::int64_t width) {
  Listed listed;
  listed.unit = AngleUnit::half_turns;
  for (std::int64_t k = 0; k < width / 2; ++k) listed.frequencies.push_back(1.0 / static_cast<double>(1 << k % 10));
  return Waves(Sinusoid{listed, Layout::interleaved, OddWidth::refused});
}

template <class T>
Work table(std::int64_t rows, std::int64_t width, const Convention& convention = preset("transformer").convention,
           const Recipe& recipe = exact()) {
  const Rows sinusoid(convention, width, {.recipe = recipe});
  const auto out = buffer(rows * width * static_cast<std::int64_t>(sizeof(T)));
  const View to = view(out->as<T>(), {rows, width});
  return {.run = [=](const Executor& executor) { sinusoid.write(Positions::range(0, rows), to, executor); },
          .out = out->bytes(),
          .owns = {out}};
}

template <class T>
Row table_row(std::int64_t rows, std::int64_t width, Ceiling ceiling, Floor one, Floor two) {
  return {"table " + std::string(to_string(dtype_of<T>)),
          std::to_string(rows) + " x " + std::to_string(width),
          ceiling,
          one,
          two,
          [=] { return table<T>(rows, width); }};
}

template <class T>
Row row_in_pi(std::int64_t rows, std::int64_t width) {
  Row row = table_row<T>(rows, width, Ceiling::store, no_floor, no_floor);
  row.operation += " in pi";
  row.make = [=] { return table<T>(rows, width, half_turns(width)); };
  return row;
}

// Times a magnitude, YaRN's for a factor of 8.
template <class T>
Row row_scaled(std::int64_t rows, std::int64_t width) {
  Row row = table_row<T>(rows, width, Ceiling::store, no_floor, no_floor);
  row.operation += " scaled";
  row.make = [=] {
    return table<T>(rows, width, with_field(preset("transformer").convention, "scale", 1.2079441541679836));
  };
  return row;
}

// At positions of a list, which lie anywhere.
template <class T>
Row listed_row(std::int64_t rows, std::int64_t width) {
  const auto make = [=] {
    const Rows sinusoid(preset("transformer").convention, width);
    auto positions = std::make_shared<std::vector<std::int64_t>>();
    for (std::int64_t i = 0; i < rows; ++i) positions->push_back(i * i % 100003);
    const auto out = buffer(rows * width * static_cast<std::int64_t>(sizeof(T)));
    const ConstView from = view(static_cast<const std::int64_t*>(positions->data()), {rows});
    const View to = view(out->as<T>(), {rows, width});
    return Work{.run = [=](const Executor& executor) { sinusoid.write(Positions::list(from), to, executor); },
                .out = out->bytes(),
                .owns = {positions, out}};
  };
  return {"table " + std::string(to_string(dtype_of<T>)) + " at a list",
          std::to_string(rows) + " x " + std::to_string(width),
          Ceiling::store,
          no_floor,
          no_floor,
          make};
}

Row row_by(const char* name, std::int64_t rows, std::int64_t width) {
  Row row = table_row<float>(rows, width, Ceiling::store, no_floor, no_floor);
  row.operation += " by " + std::string(name);
  row.make = [=] { return table<float>(rows, width, preset("transformer").convention, recipe(name)); };
  return row;
}

// A handle of one width, made and dropped.
Row handle_row(const char* name, std::int64_t width, Floor floor) {
  const auto work = [=] {
    const auto run = [=](const Executor&) {
      const Rows sinusoid(preset("transformer").convention, width, {.recipe = recipe(name)});
    };
    return Work{.run = run};
  };
  return {"handle by " + std::string(name), std::to_string(width), Ceiling::none, floor, no_floor, work, {1}};
}

Row phase_plan_row(std::int64_t width) {
  const auto work = [=] {
    return Work{.run = [=](const Executor&) { phase_plan_of_rows(preset("transformer").convention, width); }};
  };
  return {"phase plan", std::to_string(width), Ceiling::none, no_floor, no_floor, work, {1}};
}

}  // namespace

std::vector<Row> sinusoid_rows(const Scope& scope) {
  const std::int64_t large = scope.extent == Scope::Extent::full ? 131072 : 32768;
  return {
      table_row<float>(large, 1024, Ceiling::stream, share(0.65, 0.55), share(0.95, 0.90)),
      table_row<bfloat16>(large, 1024, Ceiling::stream, share(0.55, 0.40), no_floor),
      table_row<half>(large, 1024, Ceiling::stream, share(0.55, 0.40), no_floor),
      table_row<float>(5000, 512, Ceiling::store, warm_one, warm_two),
      table_row<float>(512, 512, Ceiling::store, warm_one, warm_two),
      table_row<double>(512, 512, Ceiling::store, no_floor, no_floor),
      table_row<double>(5000, 512, Ceiling::stream, no_floor, no_floor),
      listed_row<double>(512, 512),
      table_row<bfloat16>(512, 512, Ceiling::store, no_floor, no_floor),
      table_row<half>(512, 512, Ceiling::store, no_floor, no_floor),
      // As many entries in narrow rows, and in rows that end within a line of 64 bytes.
      table_row<bfloat16>(8192, 32, Ceiling::store, no_floor, no_floor),
      table_row<half>(8192, 32, Ceiling::store, no_floor, no_floor),
      table_row<bfloat16>(3640, 72, Ceiling::store, no_floor, no_floor),
      table_row<half>(3640, 72, Ceiling::store, no_floor, no_floor),
      row_scaled<float>(512, 512),
      row_scaled<double>(512, 512),
      row_scaled<bfloat16>(512, 512),
      row_scaled<half>(512, 512),
      row_in_pi<float>(512, 512),
      row_in_pi<bfloat16>(512, 512),
      row_in_pi<half>(512, 512),
      row_by("f32-reciprocal", 512, 512),
      row_by("f64-to-f16", 512, 512),
      row_by("phase", 512, 512),
      handle_row("exact", 512, no_floor),
      handle_row("f32-reciprocal", 512, at_most(1e-3, 1e-3)),
      phase_plan_row(512),
  };
}

// The ratio to the ceiling holds as the output grows: from twice the last-level cache to 4 GiB, doubling.
std::vector<Row> growth_rows(const Scope& scope) {
  if (scope.extent == Scope::Extent::quick) return {};
  constexpr Floor nine_tenths = {Floor::Kind::share_of_last, 0.9, 0.9};
  std::vector<Row> rows;
  for (std::int64_t bytes = 2 * scope.last_level_cache; bytes <= std::int64_t{1} << 32; bytes *= 2) {
    if (bytes > scope.free_memory / 4 * 3) break;
    rows.push_back({"growth f32", std::to_string(bytes >> 20) + " MiB", Ceiling::stream, nine_tenths, nine_tenths,
                    [=] { return table<float>(bytes / 4096, 1024); }});
    rows.back().memory = std::int64_t{8} << 20;
  }
  return rows;
}

}  // namespace posenc::bench
