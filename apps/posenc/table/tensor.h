// SPDX-License-Identifier: Apache-2.0
// A tensor in memory whose axes have names: what cache and bias make, and what presets compares.
#pragma once

#include <posenc/io/safetensors.h>

#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/request.h"

namespace posenc::tool {

struct Tensor {
  std::string name;
  DType dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::string> axes;  ///< their names
  std::vector<std::byte> bytes = {};

  std::int64_t count() const;
  View view();
  io::TensorPlan plan() const { return {name, dtype, shape}; }
};

/// With room for its elements; what does not fit in memory is an error.
Tensor room_for(std::string_view operation, Tensor tensor);
/// Element i in row-major order, of real numbers and of integers.
double element(const Tensor& tensor, std::int64_t i);
/// Every element as text, in row-major order.
std::vector<std::string> texts(const Tensor& tensor);
/// The indices of element i.
std::vector<std::int64_t> index_of(const Tensor& tensor, std::int64_t i);
/// "cos f32 [3, 8] (position, column)".
std::string words(const Tensor& tensor);

/// Writes all of them, or the first where the format holds one; `about` is what .safetensors says of them.
void write_tensors(std::span<Tensor> tensors, const Out& out, io::Metadata about, const Files& others);

}  // namespace posenc::tool
