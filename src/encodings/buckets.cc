// SPDX-License-Identifier: Apache-2.0
// Classes of pairs: one for each distance where positions are equally spaced, else one for each entry.
#include <posenc/buckets.h>

#include "src/conventions/lower.h"
#include "src/encodings/integers.h"
#include "src/encodings/pair_rows.h"
#include "src/encodings/rules.h"

namespace posenc {
namespace {

constexpr std::int64_t furthest_position = plan::furthest_distance / 2;
constexpr std::int64_t most_classes = std::int64_t{1} << 30;
constexpr std::int64_t rows_of_a_block = 16;

std::optional<Problem> check_whole(std::string_view name, const Positions& positions) {
  for (std::int64_t t = 0; t < positions.count_; ++t) {
    const std::optional<std::int64_t> p = integer_at(positions, 0, t);
    if (p && *p >= -furthest_position && *p <= furthest_position) continue;
    const std::string rule = "positions of " + std::string(name) + " must be integers from -2^52 to 2^52";
    return Problem{"buckets", rule, p ? std::to_string(*p) : "another", {t}};
  }
  return std::nullopt;
}

// The greatest distance of a query and a key that check_whole admits.
std::int64_t furthest(const Positions& queries, const Positions& keys) {
  std::int64_t least = furthest_position, greatest = -furthest_position;
  for (const Positions* positions : {&queries, &keys}) {
    for (std::int64_t t = 0; t < positions->count_; ++t) {
      const std::int64_t p = *integer_at(*positions, 0, t);
      least = std::min(least, p), greatest = std::max(greatest, p);
    }
  }
  return greatest - least;
}

// The class of two cells, by the query's place less the key's.
std::int64_t window_class(const GridSize& window, std::int64_t dy, std::int64_t dx) {
  return (dy + window.height - 1) * (2 * window.width - 1) + dx + window.width - 1;
}

}  // namespace

std::optional<Problem> check_buckets(const Convention& convention, const Positions& queries, const Positions& keys,
                                     const View& out, const Options& options) {
  if (auto problem = check_use("buckets", ConventionUse::classes, convention)) return problem;
  if (auto problem = check_exact("buckets", options)) return problem;
  if (auto problem = check_lower(convention, {})) return problem;
  if (auto problem = check_integer_out("buckets", out)) return problem;
  if (out.rank != 2) return Problem{"buckets", "out must have shape [L, S]", shape_text(out)};
  if (auto problem = check_one_axis("buckets", "queries", queries)) return problem;
  if (auto problem = check_one_axis("buckets", "keys", keys)) return problem;
  if (auto problem = check_pairs("buckets", queries, keys, out, "")) return problem;
  if (auto problem = check_whole("queries", queries)) return problem;
  return check_whole("keys", keys);
}

std::int64_t window_places(const Convention& convention, const GridSize& window) {
  return window.height * window.width + (extra_classes(convention) == 0 ? 0 : 1);
}

std::optional<Problem> check_window_buckets(const Convention& convention, const GridSize& window, const View& out,
                                            const Options& options) {
  const auto problem = [](std::string rule, std::string value) {
    return Problem{"window_buckets", std::move(rule), std::move(value)};
  };
  if (auto found = check_use("window_buckets", ConventionUse::windows, convention)) return found;
  if (auto found = check_exact("window_buckets", options)) return found;
  if (auto found = check_lower(convention, {})) return found;
  const auto [height, width] = window;
  const std::string sides = std::to_string(height) + " x " + std::to_string(width);
  if (height < 1 || width < 1) return problem("the sides of the window must be 1 or more", sides);
  if (height > most_classes || width > most_classes || (2 * height - 1) > (most_classes - 3) / (2 * width - 1)) {
    return problem("the window must have at most 2^30 classes", sides);
  }
  if (auto found = check_integer_out("window_buckets", out)) return found;
  const std::int64_t places = window_places(convention, window);
  if (out.rank == 2 && out.size(0) == places && out.size(1) == places) return std::nullopt;
  const std::string n = std::to_string(places);
  return problem("out must have shape [" + n + ", " + n + "]", shape_text(out));
}

namespace detail {

void buckets(const Convention& convention, const Positions& queries, const Positions& keys, const View& out,
             const Executor& executor) {
  if (out.count() == 0) return;
  const DefaultEnvironment environment;
  const plan::ClassPlan plan = lower_classes(convention, furthest(queries, keys));
  const auto class_of = [&](const PairAt& pair) {
    return plan.at(*integer_at(keys, 0, pair.key) - *integer_at(queries, 0, pair.query));
  };
  with_integer(out.dtype, [&]<class T>(T) {
    const std::int64_t rows = queries.count_, columns = keys.count_;
    if (equally_spaced(queries, keys)) {
      std::vector<T> values(static_cast<std::size_t>(rows + columns - 1));
      for (std::size_t m = 0; m < values.size(); ++m) {
        values[m] = static_cast<T>(class_of(pair_of_diagonal(static_cast<std::int64_t>(m), rows)));
      }
      return copy_rows(values, rows - 1, 1, out.repeated(1), 0, executor);
    }
    for_blocks(executor, rows, rows_of_a_block, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const StridedRow<T> to = strided_row<T>(out, {i});
        for (std::int64_t j = 0; j < columns; ++j) to[j] = static_cast<T>(class_of({i, j}));
      }
    });
  });
}

void window_buckets(const Convention& convention, const GridSize& window, const View& out, const Executor& executor) {
  const auto [height, width] = window;
  const std::int64_t token = window_places(convention, window) - height * width;
  const std::int64_t first_extra = (2 * height - 1) * (2 * width - 1);
  with_integer(out.dtype, [&]<class T>(T) {
    for_blocks(executor, out.size(0), rows_of_a_block, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const StridedRow<T> to = strided_row<T>(out, {i});
        const std::int64_t query = i - token;
        for (std::int64_t j = 0; j < out.size(1); ++j) {
          const std::int64_t key = j - token;
          const std::int64_t of_token = first_extra + (query < 0 && key < 0 ? 2 : query < 0 ? 0 : 1);
          const std::int64_t of_cells = window_class(window, query / width - key / width, query % width - key % width);
          to[j] = static_cast<T>(query < 0 || key < 0 ? of_token : of_cells);
        }
      }
    });
  });
}

}  // namespace detail
}  // namespace posenc
