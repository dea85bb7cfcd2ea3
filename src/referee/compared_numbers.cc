// SPDX-License-Identifier: Apache-2.0
// ComparedNumbers of waves and rotations by their plans, of other uses by the table of operations.
#include "src/referee/compared_numbers.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>

#include "src/base/blocks.h"
#include "src/encodings/coordinates.h"
#include "src/encodings/undecided.h"

namespace posenc::referee {
namespace {

constexpr GridSize compared_window = {7, 7};

// Copies numbers [from, from + count) of a contiguous tensor; converts whole numbers to the type of `out`.
void copy_numbers(const ConstView& made, std::int64_t from, std::int64_t count, const View& out, std::int64_t to) {
  const std::size_t size = size_of(out.dtype);
  auto* at = static_cast<std::byte*>(out.data) + static_cast<std::size_t>(to) * size;
  if (!is_integer(made.dtype)) {
    const auto* source = static_cast<const std::byte*>(made.data) + static_cast<std::size_t>(from) * size;
    std::copy(source, source + static_cast<std::size_t>(count) * size, at);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i, at += size) {
    const auto value = static_cast<double>(static_cast<const std::int64_t*>(made.data)[from + i]);
    const auto put = [&](auto element) { std::memcpy(at, &element, sizeof(element)); };
    if (out.dtype == DType::f64) put(value);
    if (out.dtype == DType::f32) put(static_cast<float>(value));
    if (out.dtype == DType::bf16) put(bfloat16(static_cast<float>(value)));
  }
}

std::int64_t count_of(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
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

ComparedInputs::ComparedInputs(const Convention& convention, const LoweredFor& given, const Positions& positions,
                               const Executor& executor)
    : lists(operation_of(convention).reads == OperationReads::pairs ? 2 : 1, positions) {
  inputs = {.dim = given.heads, .lists = lists, .window = compared_window};
  inputs.options = {.executor = executor, .context = {.head = given.width, .present = {}}};
}

ComparedNumbers numbers_of_operation(const Convention& convention, const OperationInputs& inputs) {
  const Operation& operation = operation_of(convention);
  const std::vector<Positions> lists(inputs.lists.begin(), inputs.lists.end());
  const std::vector<std::int64_t> shape = detail::shape_of_numbers(convention, inputs);
  const std::size_t row_axis = shape.size() == 3 ? 1 : 0;  // behind the heads
  const std::int64_t heads = row_axis == 1 ? shape[0] : 1, queries = shape[row_axis];
  const std::int64_t width = shape.size() > row_axis + 1 ? shape.back() : 1;
  const bool of_window = operation.reads == OperationReads::window;
  ComparedNumbers numbers = {std::string(operation.name), {}, heads * queries, width, {}, {}};
  for (const std::string_view axis : operation.axes) numbers.axes.emplace_back(axis == "place" ? "position" : axis);
  // Row i is that of head i % heads: a call writes the rows of a query for all of them. A window is written whole.
  numbers.write = [=, &operation](std::int64_t first, std::int64_t count, const View& out) -> std::optional<Problem> {
    const std::int64_t from = of_window ? 0 : first / heads;
    const std::int64_t asked = of_window ? queries : (first + count - 1) / heads - from + 1;
    OperationInputs part = inputs;
    std::vector<Positions> some = lists;
    std::vector<double> memory;
    if (!of_window) some[0] = slice(lists[0], from, asked, memory);
    part.lists = some;
    std::vector<std::int64_t> sizes = shape;
    sizes[row_axis] = asked;
    const DType type = operation.elements == ElementKind::whole ? DType::i64 : out.dtype;
    std::vector<std::byte> made(static_cast<std::size_t>(count_of(sizes)) * size_of(type));
    const View view = posenc::view(made.data(), type, std::span<const std::int64_t>(sizes));
    if (auto problem = detail::write_numbers(convention, part, view)) return problem;
    for (std::int64_t i = first; i < first + count; ++i) {
      copy_numbers(view, (i % heads * asked + i / heads - from) * width, width, out, (i - first) * width);
    }
    return std::nullopt;
  };
  numbers.at = [=](std::int64_t row, std::int64_t column) {
    const auto place = [&](std::size_t list, std::int64_t i) {
      return of_window ? static_cast<double>(i) : number_at(lists[list], i);
    };
    std::vector<double> at;
    if (row_axis == 1) at.push_back(static_cast<double>(row % heads));
    at.push_back(place(0, row / heads));
    if (width > 1 || lists.size() > 1) at.push_back(place(1, column));
    return at;
  };
  return numbers;
}

std::optional<Problem> check_numbers(const Convention& convention, const LoweredFor& given,
                                     const Positions& positions) {
  const Operation& operation = operation_of(convention);
  // Checks a block of queries at a time beside one key; slopes and windows are the same at every position.
  constexpr std::int64_t block = 4096;
  const Positions one = Positions::at(0);
  const bool alone = operation.use == ConventionUse::slopes || operation.reads == OperationReads::window;
  const std::int64_t all = alone ? 1 : positions.count_;
  std::vector<double> memory, room;
  for (std::int64_t first = 0; first < all; first += block) {
    const Positions some = alone ? one : slice(positions, first, std::min(block, all - first), memory);
    ComparedInputs asked(convention, given, some, serial);
    if (asked.lists.size() > 1) asked.lists[1] = one;
    const std::vector<std::int64_t> shape = detail::shape_of_numbers(convention, asked.inputs);
    room.resize(static_cast<std::size_t>(count_of(shape)));
    const DType type = operation.elements == ElementKind::whole ? DType::i64 : DType::f64;
    const View out = view(static_cast<void*>(room.data()), type, std::span<const std::int64_t>(shape));
    if (auto problem = check_write_numbers(convention, asked.inputs, out)) return problem;
  }
  return std::nullopt;
}

}  // namespace posenc::referee
