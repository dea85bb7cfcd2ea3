// SPDX-License-Identifier: Apache-2.0
// Limbs of a natural number: few stand in the object itself, since most numbers of ladders have one or two.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace posenc::numerics {

/// What Bignum asks of a std::vector<std::uint64_t>, without an allocation up to `few` limbs.
class Limbs {
 public:
  Limbs() = default;
  explicit Limbs(std::span<const std::uint64_t> from) {
    reserve(from.size());
    std::ranges::copy(from, data());
    size_ = from.size();
  }
  Limbs(const Limbs& other) { copy(other); }
  Limbs(Limbs&& other) noexcept { take(other); }
  Limbs& operator=(const Limbs& other) {
    if (this != &other) copy(other);
    return *this;
  }
  Limbs& operator=(Limbs&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }
  ~Limbs() = default;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::span<const std::uint64_t> all() const { return {data(), size_}; }
  std::uint64_t operator[](std::size_t i) const { return data()[i]; }
  std::uint64_t& operator[](std::size_t i) { return data()[i]; }
  std::uint64_t back() const { return data()[size_ - 1]; }

  void reserve(std::size_t capacity) {
    if (capacity <= capacity_) return;
    auto more = std::make_unique_for_overwrite<std::uint64_t[]>(capacity);
    std::copy_n(data(), size_, more.get());
    many_ = std::move(more), capacity_ = capacity;
  }
  void push_back(std::uint64_t limb) {
    if (size_ == capacity_) reserve(2 * capacity_);
    data()[size_++] = limb;
  }
  void pop_back() { --size_; }
  /// Limbs that are added are 0.
  void resize(std::size_t size) {
    reserve(size);
    if (size > size_) std::fill(data() + size_, data() + size, 0);
    size_ = size;
  }

  friend bool operator==(const Limbs& a, const Limbs& b) { return std::ranges::equal(a.all(), b.all()); }

 private:
  static constexpr std::size_t few = 6, least = 2;
  const std::uint64_t* data() const { return many_ ? many_.get() : few_.data(); }
  std::uint64_t* data() { return many_ ? many_.get() : few_.data(); }
  // Copies the least or all of the few, by moves without a loop or a call. Limbs beyond the size are indeterminate.
  void copy_few(const Limbs& other) {
    if (other.size_ <= least) {
      std::memcpy(few_.data(), other.few_.data(), least * sizeof(std::uint64_t));
    } else {
      std::memcpy(few_.data(), other.few_.data(), few * sizeof(std::uint64_t));
    }
    size_ = other.size_;
  }
  void copy(const Limbs& other) {
    if (!many_ && !other.many_) return copy_few(other);
    size_ = 0;
    reserve(other.size_);
    std::ranges::copy(other.all(), data());
    size_ = other.size_;
  }
  // Moves the limbs of `other` here, and frees those that were on the heap.
  void take(Limbs& other) {
    if (other.many_) {
      many_ = std::move(other.many_);
      capacity_ = std::exchange(other.capacity_, few), size_ = std::exchange(other.size_, 0);
    } else {
      copy(other);
      other.size_ = 0;
    }
  }

  std::array<std::uint64_t, few> few_;     // without a value until `size_` says so
  std::unique_ptr<std::uint64_t[]> many_;  // in their place
  std::size_t size_ = 0, capacity_ = few;
};

}  // namespace posenc::numerics
