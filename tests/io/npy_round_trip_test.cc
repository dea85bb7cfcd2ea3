// SPDX-License-Identifier: Apache-2.0
// Random arrays written and read again; the order of elements is found by dividing a flat index, one at a time.
#include <gtest/gtest.h>
#include <posenc/io/npy.h>

#include <rapidcheck/gtest.h>
#include <algorithm>
#include <numeric>

#include "tests/io/npy_files.h"

namespace posenc::io {
namespace {

constexpr DType kNpyTypes[] = {DType::f16, DType::f32, DType::f64, DType::i32, DType::i64};
constexpr const char* kDescr[] = {"f2", "f4", "f8", "i4", "i8"};

/// A view of any strides into memory of random bytes.
struct Strided {
  std::vector<std::byte> memory;
  ConstView view;

  std::vector<std::int64_t> shape() const { return {view.shape.begin(), view.shape.begin() + view.rank}; }
  std::int64_t count() const {
    const std::vector<std::int64_t> sizes = shape();
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
  }
};

/// The index of element `flat` when the axes in `order` run from the slowest to the fastest.
std::vector<std::int64_t> index_of(std::int64_t flat, const std::vector<std::int64_t>& shape,
                                   const std::vector<int>& order) {
  std::vector<std::int64_t> index(shape.size());
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    const auto a = static_cast<std::size_t>(*axis);
    index[a] = flat % shape[a];
    flat /= shape[a];
  }
  return index;
}

std::vector<int> rows_first(int rank) {
  std::vector<int> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<std::byte> element(const Strided& array, const std::vector<std::int64_t>& index) {
  std::int64_t offset = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis) offset += index[axis] * array.view.strides[axis];
  const std::size_t size = size_of(array.view.dtype);
  const auto* first = static_cast<const std::byte*>(array.view.data) + offset * static_cast<std::int64_t>(size);
  return {first, first + size};
}

/// All elements in the given order of axes, with the bytes of each as they are or reversed.
std::vector<std::byte> gathered(const Strided& array, const std::vector<int>& order, bool reversed) {
  std::vector<std::byte> out;
  for (std::int64_t flat = 0; flat < array.count(); ++flat) {
    std::vector<std::byte> bytes = element(array, index_of(flat, array.shape(), order));
    if (reversed) std::ranges::reverse(bytes);
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  return out;
}

/// Rank 0 to 8, sizes 0 to 3, axes in memory in any order, steps of 1 or 2 elements, forwards or backwards.
Strided random_array() {
  const int rank = *rc::gen::inRange(0, max_rank + 1).as("rank");
  Strided array;
  array.view.dtype = kNpyTypes[*rc::gen::inRange(0, 5).as("type")];
  array.view.rank = rank;
  std::vector<int> order = rows_first(rank);
  for (int i = rank - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(*rc::gen::inRange(0, i + 1))]);
  std::int64_t span = 1, first = 0;
  for (const int axis : order) {
    const auto a = static_cast<std::size_t>(axis);
    const std::int64_t size = *rc::gen::weightedElement<std::int64_t>({{1, 0}, {6, 1}, {8, 2}, {4, 3}});
    const std::int64_t step = span * *rc::gen::inRange(1, 3);
    const bool backwards = *rc::gen::arbitrary<bool>();
    array.view.shape[a] = size;
    array.view.strides[a] = backwards ? -step : step;
    if (backwards && size > 0) first += step * (size - 1);
    span = step * std::max<std::int64_t>(size, 1);
  }
  array.memory.resize(static_cast<std::size_t>(span) * size_of(array.view.dtype));
  std::uint32_t state = *rc::gen::arbitrary<std::uint32_t>();
  for (std::byte& byte : array.memory) byte = static_cast<std::byte>((state = state * 1664525u + 1013904223u) >> 24);
  array.view.data = array.memory.data() + static_cast<std::size_t>(first) * size_of(array.view.dtype);
  return array;
}

RC_GTEST_PROP(NpyRoundTrip, AnyStridesAreWrittenAsRowsAndReadBack, ()) {
  const Strided array = random_array();
  const Array read = parse_npy(npy_bytes(array.view));
  RC_ASSERT(read.dtype == array.view.dtype);
  RC_ASSERT(read.shape == array.shape());
  RC_ASSERT(read.data == gathered(array, rows_first(array.view.rank), false));
  RC_ASSERT(npy_bytes(read.view()) == npy_bytes(array.view));
}

RC_GTEST_PROP(NpyRoundTrip, EitherAxisAndByteOrderReadsAsRows, ()) {
  const Strided array = random_array();
  const bool fortran = *rc::gen::arbitrary<bool>(), big = *rc::gen::arbitrary<bool>();
  std::vector<int> order = rows_first(array.view.rank);
  if (fortran) std::ranges::reverse(order);
  const auto type = static_cast<std::size_t>(std::ranges::find(kNpyTypes, array.view.dtype) - kNpyTypes);
  std::string shape = "(";
  for (const std::int64_t size : array.shape()) shape += std::to_string(size) + ", ";
  const std::string descr = std::string("'") + (big ? ">" : "<") + kDescr[type] + "'";
  const std::vector<std::byte> data = gathered(array, order, big);
  const std::string text(reinterpret_cast<const char*>(data.data()), data.size());
  const std::string file = npy_file(npy_dictionary(descr, fortran ? "True" : "False", shape + ")"), text);

  const Array read = parse_npy(bytes_of(file));
  RC_ASSERT(read.shape == array.shape());
  RC_ASSERT(read.data == gathered(array, rows_first(array.view.rank), false));
}

RC_GTEST_PROP(NpyRoundTrip, BytesAtRandomAreReadOrRefusedAlikeByBothRoutes, ()) {
  std::vector<std::byte> bytes = npy_bytes(random_array().view);
  const int changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < changes; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, std::min<std::size_t>(bytes.size(), 128));
    bytes[at] = static_cast<std::byte>(*rc::gen::inRange(0, 256));
  }
  const auto problem = check_npy(bytes);
  bool refused = false;
  try {
    const Array array = parse_npy(bytes);
    RC_ASSERT(array.data.size() == static_cast<std::size_t>(array.view().count()) * size_of(array.dtype));
  } catch (const Error& error) {
    refused = true;
    RC_ASSERT(problem == error.problem());
  }
  RC_ASSERT(refused == problem.has_value());
}

}  // namespace
}  // namespace posenc::io
