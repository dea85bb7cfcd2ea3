// SPDX-License-Identifier: Apache-2.0
// Tensors in memory: room, elements, words, files.
#include "apps/posenc/table/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/posenc/cli/elements.h"
#include "apps/posenc/cli/numbers.h"

namespace posenc::tool {
namespace {

// work(elements) with a span of the C++ type.
template <class Work>
auto with_elements(const Tensor& tensor, const Work& work) {
  const auto of = [&]<class T>(T) {
    return work(std::span(reinterpret_cast<const T*>(tensor.bytes.data()), tensor.bytes.size() / sizeof(T)));
  };
  switch (tensor.dtype) {
    case DType::i64: return of(std::int64_t{});
    case DType::f64: return of(double{});
    case DType::f16: return of(half{});
    case DType::bf16: return of(bfloat16{});
    default: return of(float{});
  }
}

}  // namespace

std::int64_t Tensor::count() const { return static_cast<std::int64_t>(bytes.size() / size_of(dtype)); }

View Tensor::view() {
  View out = {bytes.data(), dtype, static_cast<int>(shape.size()), {}, {}};
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) {
    out.shape[axis] = shape[axis];
    out.strides[axis] = stride;
  }
  return out;
}

Tensor room_for(std::string_view operation, Tensor tensor) {
  std::int64_t rows = 1;
  for (std::size_t axis = 0; axis + 1 < tensor.shape.size(); ++axis) {
    rows = product(rows, tensor.shape[axis]).value_or(INT64_MAX);
  }
  const std::int64_t bytes = bytes_of(operation, rows, tensor.shape.back(), tensor.dtype);
  check_memory(operation, bytes);
  tensor.bytes.resize(static_cast<std::size_t>(bytes));
  return tensor;
}

double element(const Tensor& tensor, std::int64_t i) {
  return with_elements(tensor, [&](auto elements) { return to_double(elements[static_cast<std::size_t>(i)]); });
}

std::vector<std::string> texts(const Tensor& tensor) {
  return with_elements(tensor, []<class T>(std::span<const T> elements) {
    std::vector<std::string> all;
    for (const T value : elements) {
      if constexpr (sizeof(T) == 2) {
        all.push_back(fmt::format("{}", static_cast<float>(value)));
      } else {
        all.push_back(fmt::format("{}", value));
      }
    }
    return all;
  });
}

std::vector<std::int64_t> index_of(const Tensor& tensor, std::int64_t i) {
  std::vector<std::int64_t> at(tensor.shape.size());
  for (std::size_t axis = at.size(); axis-- > 0; i /= tensor.shape[axis]) at[axis] = i % tensor.shape[axis];
  return at;
}

std::string words(const Tensor& tensor) {
  return fmt::format("{} {} [{}] ({})", tensor.name, to_string(tensor.dtype), fmt::join(tensor.shape, ", "),
                     fmt::join(tensor.axes, ", "));
}

void write_tensors(std::span<Tensor> tensors, const Out& out, io::Metadata about, const Files& others) {
  std::vector<io::TensorPlan> plans;
  std::vector<ConstView> views;
  for (Tensor& each : tensors.subspan(1)) {
    plans.push_back(each.plan());
    views.push_back(each.view());
  }
  TensorTarget target(out, {tensors.front().plan(), std::move(plans), std::move(about)});
  target.write(tensors.front().view());
  commit(others, &target.finish(views));
}

}  // namespace posenc::tool
