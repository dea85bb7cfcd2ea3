// SPDX-License-Identifier: Apache-2.0
// Tensors in memory of every kind, with a mark on each element that belongs to no row.
#pragma once

#include <posenc/core.h>

#include <algorithm>
#include <cstring>

namespace posenc::test {

enum class Memory { dense, padded, spread, backwards, column_major };
inline constexpr Memory memories[] = {Memory::dense, Memory::padded, Memory::spread, Memory::backwards,
                                      Memory::column_major};

template <class T>
class Field {
 public:
  Field(std::vector<std::int64_t> shape, Memory memory) : shape_(std::move(shape)) {
    const std::size_t rank = shape_.size();
    std::int64_t stride = memory == Memory::spread ? 3 : 1;
    for (std::size_t i = 0; i < rank; ++i) {
      const std::size_t axis = memory == Memory::column_major ? i : rank - 1 - i;
      strides_[axis] = stride;
      stride = stride * shape_[axis] + (memory == Memory::padded ? 5 : 0);
    }
    memory_.assign(static_cast<std::size_t>(stride + 7), mark());
    if (memory != Memory::backwards) return;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      start_ += (shape_[axis] - 1) * strides_[axis];
      strides_[axis] = -strides_[axis];
    }
    if (values().empty()) start_ = 0;
  }
  static T mark() { return T(-77.0f); }

  View view() {
    View v = {memory_.data() + 3 + start_, dtype_of<T>, static_cast<int>(shape_.size()), {}, strides_};
    std::copy(shape_.begin(), shape_.end(), v.shape.begin());
    return v;
  }
  /// The elements in row-major order.
  std::vector<T> values() const {
    std::vector<T> all;
    for (const std::size_t at : addresses()) all.push_back(memory_[at]);
    return all;
  }
  void fill(const std::vector<T>& elements) {
    std::size_t i = 0;
    for (const std::size_t at : addresses()) memory_[at] = elements.at(i++);
  }
  /// Does every element that belongs to no row still have its mark?
  bool rest_is_untouched() const {
    std::vector<T> rest = memory_;
    for (const std::size_t at : addresses()) rest[at] = mark();
    return std::all_of(rest.begin(), rest.end(), [](T value) { return value == mark(); });
  }
  bool is_untouched() const {
    return std::all_of(memory_.begin(), memory_.end(), [](T value) { return value == mark(); });
  }

 private:
  std::vector<std::size_t> addresses() const {
    std::vector<std::int64_t> offsets = {3 + start_};
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      std::vector<std::int64_t> next;
      for (const std::int64_t offset : offsets) {
        for (std::int64_t i = 0; i < shape_[axis]; ++i) next.push_back(offset + i * strides_[axis]);
      }
      offsets = std::move(next);
    }
    return {offsets.begin(), offsets.end()};
  }

  std::vector<std::int64_t> shape_;
  std::array<std::int64_t, max_rank> strides_ = {};
  std::int64_t start_ = 0;
  std::vector<T> memory_;
};

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace posenc::test
