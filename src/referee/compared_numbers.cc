// SPDX-License-Identifier: Apache-2.0
// ComparedNumbers by family: waves and rotations by their plans, others by the public calls.
#include "src/referee/compared_numbers.h"

#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/query_scale.h>

#include <memory>

#include "src/base/blocks.h"
#include "src/encodings/coordinates.h"
#include "src/encodings/undecided.h"

namespace posenc::referee {
namespace {

constexpr GridSize compared_window = {7, 7};

// Rows of whole numbers as those of reals, which hold classes exactly.
void write_reals(const std::vector<std::int64_t>& from, const View& out) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto value = static_cast<double>(from[i]);
    if (out.dtype == DType::f64) static_cast<double*>(out.data)[i] = value;
    if (out.dtype == DType::f32) static_cast<float*>(out.data)[i] = static_cast<float>(value);
    if (out.dtype == DType::bf16) static_cast<bfloat16*>(out.data)[i] = bfloat16(static_cast<float>(value));
  }
}

// All keys are present, where that is asked.
std::vector<std::int64_t> all_present(const Convention& slopes, const LoweredFor& given, std::int64_t keys) {
  const plan::Keys counted = lower_heads(slopes, given).keys;
  return std::vector<std::int64_t>(counted == plan::Keys::present ? static_cast<std::size_t>(keys) : 0, 1);
}
Context bias_context(const LoweredFor& given, const std::vector<std::int64_t>& present) {
  Context context = {.head = given.width, .present = {}};
  if (!present.empty()) context.present = view(present.data(), {std::ssize(present)});
  return context;
}

View with_axes(const View& rows, std::initializer_list<std::int64_t> shape) {
  View view = rows;
  view.rank = static_cast<int>(shape.size());
  std::ranges::copy(shape, view.shape.begin());
  view.strides = detail::row_major_strides(std::span<const std::int64_t>(shape.begin(), shape.size()));
  return view;
}

}  // namespace

plan::RowPlan waves_of_pairs(const plan::PairPlan& pairs) {
  plan::RowPlan row;
  row.axes = pairs.axes, row.ladders = pairs.ladders, row.scale = pairs.magnitude;
  const bool backward = pairs.turning == plan::Turning::backward;
  const auto add = [&](const plan::Angle& angle) {
    const std::uint8_t sine = backward ? 2 : 0;
    if (angle.axis == plan::no_axis) {
      row.columns.push_back({plan::Kind::constant, 1, 0, 0});
      row.columns.push_back({plan::Kind::constant, 0, 0, 0});
    } else {
      row.columns.push_back({plan::Kind::wave, 1, angle.axis, angle.frequency});
      row.columns.push_back({plan::Kind::wave, sine, angle.axis, angle.frequency});
    }
  };
  for (const plan::Pair& pair : pairs.pairs) add(pair.angles[0]);
  if (!plan::turns_by_one_angle(pairs)) {
    for (const plan::Pair& pair : pairs.pairs) add(pair.angles[1]);
  }
  return row;
}

ComparedNumbers numbers_of_rows(std::string name, const plan::RowPlan& plan, const std::vector<std::string>& axes,
                                const Places& coordinates, const Places& told, const Executor& executor) {
  const auto cells = std::make_shared<const CellRows>(plan, exact(), std::vector<StepLadder>{});
  ComparedNumbers numbers = {std::move(name), axes, coordinates.count(), cells->width, {}, {}};
  numbers.axes.emplace_back("column");
  numbers.write = [cells, coordinates, executor](std::int64_t first, std::int64_t count, const View& out) {
    const DefaultEnvironment environment;
    std::vector<std::vector<double>> memory;
    const std::vector<Positions> lists = coordinates.lists(first, count, memory);
    return undecided_unless(write_all_places(*cells, lists, out, executor), "compare");
  };
  numbers.at = [told](std::int64_t row, std::int64_t column) {
    std::vector<double> at = told.at(row);
    at.push_back(static_cast<double>(column));
    return at;
  };
  return numbers;
}

ComparedNumbers numbers_of_bias(const Convention& slopes, const LoweredFor& given, const Positions& queries,
                                const Positions& keys, const Executor& executor) {
  const std::int64_t heads = given.heads;
  ComparedNumbers numbers = {"biases", {"head", "query", "key"}, heads * queries.count_, keys.count_, {}, {}};
  // Row i is that of head i % heads: the call writes the rows of a query for all of them.
  numbers.write = [=](std::int64_t first, std::int64_t count, const View& out) -> std::optional<Problem> {
    const std::int64_t row_bytes = keys.count_ * static_cast<std::int64_t>(size_of(out.dtype));
    const std::int64_t from = first / heads, asked = (first + count - 1) / heads - from + 1;
    std::vector<std::byte> all(static_cast<std::size_t>(heads * asked * row_bytes));
    std::vector<double> memory;
    View made = out;
    made.data = all.data();
    const std::vector<std::int64_t> present = all_present(slopes, given, keys.count_);
    if (auto problem = detail::bias(slopes, slice(queries, from, asked, memory), keys,
                                    with_axes(made, {heads, asked, keys.count_}),
                                    {.executor = executor, .context = bias_context(given, present)})) {
      return problem;
    }
    for (std::int64_t i = first; i < first + count; ++i) {
      const std::byte* row = all.data() + (i % heads * asked + i / heads - from) * row_bytes;
      std::copy(row, row + row_bytes, static_cast<std::byte*>(out.data) + (i - first) * row_bytes);
    }
    return std::nullopt;
  };
  numbers.at = [=](std::int64_t row, std::int64_t column) {
    return std::vector{static_cast<double>(row % heads), number_at(queries, row / heads), number_at(keys, column)};
  };
  return numbers;
}

ComparedNumbers numbers_of_classes(const Convention& buckets, const Positions& queries, const Positions& keys,
                                   const Executor& executor) {
  ComparedNumbers numbers = {"classes", {"query", "key"}, queries.count_, keys.count_, {}, {}};
  numbers.write = [=](std::int64_t first, std::int64_t count, const View& out) -> std::optional<Problem> {
    std::vector<double> memory;
    std::vector<std::int64_t> whole(static_cast<std::size_t>(count * keys.count_));
    const Positions some = slice(queries, first, count, memory);
    detail::buckets(buckets, some, keys, view(whole.data(), {count, keys.count_}), executor);
    write_reals(whole, out);
    return std::nullopt;
  };
  numbers.at = [=](std::int64_t row, std::int64_t column) {
    return std::vector{number_at(queries, row), number_at(keys, column)};
  };
  return numbers;
}

ComparedNumbers numbers_of_windows(const Convention& buckets, const Executor& executor) {
  const std::int64_t places = window_places(buckets, compared_window);
  ComparedNumbers numbers = {"classes", {"query", "key"}, places, places, {}, {}};
  numbers.write = [=](std::int64_t first, std::int64_t count, const View& out) -> std::optional<Problem> {
    std::vector<std::int64_t> whole(static_cast<std::size_t>(places * places));
    detail::window_buckets(buckets, compared_window, view(whole.data(), {places, places}), executor);
    write_reals({whole.begin() + first * places, whole.begin() + (first + count) * places}, out);
    return std::nullopt;
  };
  numbers.at = [](std::int64_t row, std::int64_t column) {
    return std::vector{static_cast<double>(row), static_cast<double>(column)};
  };
  return numbers;
}

ComparedNumbers numbers_of_factors(const Convention& scale, const Positions& positions, const Executor& executor) {
  ComparedNumbers numbers = {"factors", {"position"}, positions.count_, 1, {}, {}};
  numbers.write = [=](std::int64_t first, std::int64_t count, const View& out) {
    std::vector<double> memory;
    return detail::query_scale(scale, slice(positions, first, count, memory), with_axes(out, {count}), executor);
  };
  numbers.at = [=](std::int64_t row, std::int64_t) { return std::vector{number_at(positions, row)}; };
  return numbers;
}

std::optional<Problem> check_numbers(const Convention& convention, const LoweredFor& given,
                                     const Positions& positions) {
  const auto gives = [&](ConventionUse use) { return !check_use("compare", use, convention); };
  const Positions one = Positions::at(0);
  if (gives(ConventionUse::slopes)) {
    const std::vector<std::int64_t> present = all_present(convention, given, 1);
    std::vector<double> out(static_cast<std::size_t>(given.heads));
    return check_bias(convention, one, one, view(out.data(), {given.heads, 1, 1}),
                      {.context = bias_context(given, present)});
  }
  constexpr std::int64_t block = 4096;
  std::vector<double> memory, factors(block);
  std::vector<std::int64_t> classes(block);
  for (std::int64_t first = 0; first < positions.count_; first += block) {
    const std::int64_t count = std::min(block, positions.count_ - first);
    const Positions some = slice(positions, first, count, memory);
    std::optional<Problem> problem;
    if (gives(ConventionUse::classes)) problem = check_buckets(convention, some, one, view(classes.data(), {count, 1}));
    if (gives(ConventionUse::query_scales))
      problem = check_query_scale(convention, some, view(factors.data(), {count}));
    if (problem) return problem;
  }
  return std::nullopt;
}

}  // namespace posenc::referee
