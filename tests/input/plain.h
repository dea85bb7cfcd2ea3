// SPDX-License-Identifier: Apache-2.0
// What the layers are checked against: roundings in f64, dropout masks by Random123, and tensors with gaps.
#pragma once

#include <Random123/philox.h>
#include <gtest/gtest.h>
#include <posenc/core.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace posenc::plain {

// ---- numbers ------------------------------------------------------------------------------------

/// Bits of the significand and the exponent of the least normal number.
template <class T>
inline constexpr std::pair<int, int> format = {53, -1022};
template <>
inline constexpr std::pair<int, int> format<float> = {24, -126};
template <>
inline constexpr std::pair<int, int> format<bfloat16> = {8, -126};
template <>
inline constexpr std::pair<int, int> format<half> = {11, -14};

inline double value(double x) { return x; }
inline double value(float x) { return static_cast<double>(x); }
inline double value(bfloat16 x) { return static_cast<double>(std::bit_cast<float>(std::uint32_t{x.bits} << 16)); }
inline double value(half x) {
  const int exponent = x.bits >> 10 & 31;
  const double fraction = x.bits & 1023;
  double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) size = fraction == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
  return (x.bits & 0x8000) != 0 ? -size : size;
}

/// x rounded to T, to nearest even; x itself may carry one rounding to f64, which never shows in a narrower type.
template <class T>
double rounded(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const auto [precision, minimum] = format<T>;
  const double unit = std::ldexp(1.0, std::max(std::ilogb(x), minimum) - precision + 1);
  const double largest = std::ldexp(2 - std::ldexp(1.0, 1 - precision), 1 - minimum);
  const double nearest = std::nearbyint(x / unit) * unit;
  return std::abs(nearest) > largest ? std::copysign(std::numeric_limits<double>::infinity(), x) : nearest;
}
template <>
inline double rounded<double>(double x) {
  return x;
}

/// One operation as frameworks do it: in f32 (f64 for f64), then rounded to storage.
template <class T>
double stored(double x) {
  return std::is_same_v<T, double> ? x : rounded<T>(rounded<float>(x));
}

/// Equal, the sign of zero included; NaN equals NaN.
inline bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

// ---- masks --------------------------------------------------------------------------------------

using Generator = r123::Philox4x32;

inline Generator::key_type key_of(std::uint64_t seed) {
  return {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
}

struct Mask {
  std::uint64_t seed;
  std::uint32_t call;
  std::uint32_t k;  // dropped below this, of 65536

  bool drops(std::uint64_t batch, std::uint64_t token, std::uint64_t column) const {
    const Generator::ctr_type counter = {{static_cast<std::uint32_t>(column / 8), static_cast<std::uint32_t>(token),
                                          static_cast<std::uint32_t>(batch), call}};
    const std::uint32_t word = Generator()(counter, key_of(seed))[column % 8 / 2];
    return (column % 2 == 0 ? word % 65536 : word / 65536) < k;
  }
  template <class T>
  double apply(double x, std::uint64_t batch, std::uint64_t token, std::uint64_t column) const {
    using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
    return stored<T>(x * (drops(batch, token, column) ? 0.0 : rounded<C>(65536.0 / (65536.0 - k))));
  }
};

// ---- tensors ------------------------------------------------------------------------------------

/// A tensor in memory of its own with gaps between elements, so that writing beside them is seen. `order` lists the
/// axes from the slowest to the fastest; a negative gap walks backwards.
template <class T>
struct Tensor {
  std::vector<T> memory;
  View view;

  Tensor(std::vector<std::int64_t> shape, std::vector<int> order = {}, std::int64_t gap = 1) {
    view = {nullptr, dtype_of<T>, static_cast<int>(shape.size()), {}, {}};
    if (order.empty()) {
      for (int axis = 0; axis < view.rank; ++axis) order.push_back(axis);
    }
    std::int64_t stride = std::abs(gap);
    for (std::size_t i = shape.size(); i-- > 0;) {
      const auto axis = static_cast<std::size_t>(order[i]);
      view.shape[axis] = shape[axis];
      view.strides[axis] = gap < 0 ? -stride : stride;
      stride *= shape[axis];
      if (std::abs(gap) > 1) stride += 3;
    }
    memory.resize(static_cast<std::size_t>(std::max<std::int64_t>(stride, 1)));
    std::memset(static_cast<void*>(memory.data()), 0x5A, memory.size() * sizeof(T));
    std::int64_t first = 0;
    for (int axis = 0; axis < view.rank && gap < 0; ++axis) first -= (view.size(axis) - 1) * view.stride(axis);
    view.data = memory.data() + std::max<std::int64_t>(first, 0);
  }
  Tensor(Tensor&&) = default;  // the memory stays where it is
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  T& at(std::initializer_list<std::int64_t> index) {
    std::int64_t offset = 0;
    int axis = 0;
    for (const std::int64_t i : index) offset += i * view.stride(axis++);
    return static_cast<T*>(view.data)[offset];
  }
  double operator()(std::initializer_list<std::int64_t> index) { return value(at(index)); }
};

template <class T>
std::vector<unsigned char> bytes(const std::vector<T>& values) {
  const auto* begin = reinterpret_cast<const unsigned char*>(values.data());
  return {begin, begin + values.size() * sizeof(T)};
}

/// Calls test(T{}) for the four real types.
template <class Test>
void for_each_real(const Test& test) {
  const auto run = [&]<class T>(T zero) {
    SCOPED_TRACE(std::string(to_string(dtype_of<T>)));
    test(zero);
  };
  run(float{});
  run(double{});
  run(half{});
  run(bfloat16{});
}

/// Values of mixed size and sign, ties and zeros among them.
template <class T>
void fill(std::vector<T>& values, unsigned seed) {
  std::mt19937 bits(seed);
  for (T& x : values) {
    const auto word = static_cast<std::uint32_t>(bits());
    const float size = static_cast<float>(word & 0xFFFF) * 0x1p-14f;
    x = T(word >> 28 == 0 ? 0.0f : (word >> 31 != 0 ? -size : size));
  }
}

/// The text of the error that `call` throws.
template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// A caller's floating-point environment: rounding upwards, subnormals flushed to zero. Restored at the end.
class RoundsUpAndFlushes {
 public:
  RoundsUpAndFlushes() {
    std::fegetenv(&before_);
    std::fesetround(FE_UPWARD);
#if defined(__SSE2__)
    _mm_setcsr(_mm_getcsr() | 0x8040u);  // flush to zero, subnormals are zero
#endif
  }
  ~RoundsUpAndFlushes() { std::fesetenv(&before_); }
  RoundsUpAndFlushes(const RoundsUpAndFlushes&) = delete;
  RoundsUpAndFlushes& operator=(const RoundsUpAndFlushes&) = delete;

  /// Whether the environment is still the caller's.
  static bool intact() {
#if defined(__SSE2__)
    if ((_mm_getcsr() & 0x8040u) != 0x8040u) return false;
#endif
    return std::fegetround() == FE_UPWARD;
  }

 private:
  std::fenv_t before_;
};

}  // namespace posenc::plain
