// SPDX-License-Identifier: Apache-2.0
// Numbers of a case, in memory of their own.
#pragma once

#include <posenc/referee/conformance.h>

namespace posenc::referee {

/// Row-major elements of one type: f32, f64 or i64.
class Values {
 public:
  Values(DType type, const std::vector<std::int64_t>& shape) : type_(type), shape_(shape) {
    std::size_t count = 1;
    for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
    words_.resize(count);  // 8 bytes hold each of them
  }

  std::size_t count() const { return words_.size(); }
  View view() {
    View made{words_.data(), type_, static_cast<int>(shape_.size()), {}, {}};
    std::int64_t stride = 1;
    for (std::size_t axis = shape_.size(); axis-- > 0;) {
      made.shape[axis] = shape_[axis];
      made.strides[axis] = stride;
      stride *= shape_[axis];
    }
    return made;
  }

 private:
  DType type_;
  std::vector<std::int64_t> shape_;
  std::vector<std::uint64_t> words_;
};

}  // namespace posenc::referee
