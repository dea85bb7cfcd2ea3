// SPDX-License-Identifier: Apache-2.0
// The vocabulary that every posenc header uses: element types, views, errors, executors.
//
// Thread safety: everything here is a plain value; distinct objects are independent, const use of one is safe.
#pragma once

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "posenc needs C++20: compile with -std=c++20 or later (CMake: target_compile_features(.. cxx_std_20))"
#endif

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(_WIN32)
#define POSENC_EXPORT
#else
#define POSENC_EXPORT __attribute__((visibility("default")))
#endif

namespace posenc {

// ---- element types ------------------------------------------------------------------------------

/// IEEE 754 binary16: 1 sign, 5 exponent and 10 fraction bits. Conversion from float rounds to nearest, ties to even.
struct half {
  std::uint16_t bits = 0;

  half() = default;
  explicit constexpr half(float value) : bits(round_bits(std::bit_cast<std::uint32_t>(value))) {}
  static constexpr half from_bits(std::uint16_t pattern) {
    half h;
    h.bits = pattern;
    return h;
  }

  explicit constexpr operator float() const {
    const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1Fu;
    const std::uint32_t fraction = bits & 0x3FFu;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | (fraction << 13));
    if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
    if (fraction == 0) return std::bit_cast<float>(sign);
    const int shift = std::countl_zero(fraction) - 21;  // subnormal: bring the leading one to bit 10
    return std::bit_cast<float>(sign | (static_cast<std::uint32_t>(113 - shift) << 23) |
                                (((fraction << shift) & 0x3FFu) << 13));
  }
  friend constexpr bool operator==(half, half) = default;  // compares bit patterns

 private:
  static constexpr std::uint16_t round_bits(std::uint32_t f) {
    const auto sign = static_cast<std::uint16_t>((f >> 16) & 0x8000u);
    const std::uint32_t magnitude = f & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) return static_cast<std::uint16_t>(sign | 0x7E00u | ((magnitude >> 13) & 0x3FFu));
    if (magnitude >= 0x477FF000u) return static_cast<std::uint16_t>(sign | 0x7C00u);  // 65520 and above
    if (magnitude < 0x33000001u) return sign;                                         // 2^-25 and below
    const int exponent = static_cast<int>(magnitude >> 23);
    const std::uint32_t significand = (magnitude & 0x7FFFFFu) | 0x800000u;
    const int drop = exponent >= 113 ? 13 : 126 - exponent;  // bits below the last one that half keeps
    const std::uint32_t base = exponent >= 113 ? static_cast<std::uint32_t>(exponent - 113) << 10 : 0;
    std::uint32_t kept = significand >> drop;
    const std::uint32_t rest = significand & ((1u << drop) - 1);
    const std::uint32_t tie = 1u << (drop - 1);
    if (rest > tie || (rest == tie && (kept & 1u))) ++kept;  // a carry moves into the exponent, as it must
    return static_cast<std::uint16_t>(sign | (base + kept));
  }
};

/// bfloat16: the upper half of a binary32. Conversion from float rounds to nearest, ties to even.
struct bfloat16 {
  std::uint16_t bits = 0;

  bfloat16() = default;
  explicit constexpr bfloat16(float value) : bits(round_bits(std::bit_cast<std::uint32_t>(value))) {}
  static constexpr bfloat16 from_bits(std::uint16_t pattern) {
    bfloat16 b;
    b.bits = pattern;
    return b;
  }
  explicit constexpr operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
  friend constexpr bool operator==(bfloat16, bfloat16) = default;  // compares bit patterns

 private:
  static constexpr std::uint16_t round_bits(std::uint32_t f) {
    if ((f & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<std::uint16_t>((f >> 16) | 0x40u);  // NaN stays one
    return static_cast<std::uint16_t>((f + 0x7FFFu + ((f >> 16) & 1u)) >> 16);
  }
};

/// The element types of views. 0 is no type, so that a forgotten field is found.
enum class DType : std::uint8_t { f32 = 1, f64, f16, bf16, i32, i64 };

/// Bytes of one element; 0 for a value that is no DType.
constexpr std::size_t size_of(DType type) {
  switch (type) {
    case DType::f16:
    case DType::bf16: return 2;
    case DType::f32:
    case DType::i32: return 4;
    case DType::f64:
    case DType::i64: return 8;
  }
  return 0;
}
constexpr bool is_real(DType type) { return type >= DType::f32 && type <= DType::bf16; }
constexpr bool is_integer(DType type) { return type == DType::i32 || type == DType::i64; }

constexpr std::string_view to_string(DType type) {
  switch (type) {
    case DType::f32: return "f32";
    case DType::f64: return "f64";
    case DType::f16: return "f16";
    case DType::bf16: return "bf16";
    case DType::i32: return "i32";
    case DType::i64: return "i64";
  }
  return "no type";
}

/// The DType of a C++ type. An engine's own type of the same bits joins by a specialization:
///
///     template <>
///     inline constexpr posenc::DType posenc::dtype_of<my::half> = posenc::DType::f16;
template <class T>
inline constexpr DType dtype_of = DType{};
template <>
inline constexpr DType dtype_of<float> = DType::f32;
template <>
inline constexpr DType dtype_of<double> = DType::f64;
template <>
inline constexpr DType dtype_of<half> = DType::f16;
template <>
inline constexpr DType dtype_of<bfloat16> = DType::bf16;
template <>
inline constexpr DType dtype_of<std::int32_t> = DType::i32;
template <>
inline constexpr DType dtype_of<std::int64_t> = DType::i64;
// Types of the compiler, which are the standard's std::float16_t and std::bfloat16_t where it has them.
#if defined(__FLT16_MANT_DIG__)
template <>
inline constexpr DType dtype_of<_Float16> = DType::f16;
#endif
#if defined(__BFLT16_MANT_DIG__) || \
    (defined(__clang__) && __clang_major__ >= 17 && (defined(__SSE2__) || defined(__aarch64__)))
template <>
inline constexpr DType dtype_of<__bf16> = DType::bf16;
#endif

// ---- views --------------------------------------------------------------------------------------

inline constexpr int max_rank = 8;

/// A tensor that somebody else owns: pointer, shape, strides. Element [i, j, ...] stands at data + (i * strides[0] +
/// j * strides[1] + ...) elements. Strides may be 0 (the axis repeats without a copy), negative or unordered.
///
/// Alignment: data is aligned to its element. Aliasing: an output shares no element with an input or with another
/// output of the call, unless it is the very same view as the input of which the function says "may be `out`";
/// check_overlap says how that is decided. No two elements of an output share an address: its strides are never 0;
/// others that make two meet are the caller's to avoid.
template <class Pointer>
struct BasicView {
  Pointer data = nullptr;
  DType dtype = {};
  int rank = 0;
  std::array<std::int64_t, max_rank> shape = {};
  std::array<std::int64_t, max_rank> strides = {};

  /// Size of axis `axis`; negative counts from the end, so size(-1) is the width of a row.
  constexpr std::int64_t size(int axis) const { return shape[static_cast<std::size_t>(axis < 0 ? rank + axis : axis)]; }
  constexpr std::int64_t stride(int axis) const {
    return strides[static_cast<std::size_t>(axis < 0 ? rank + axis : axis)];
  }
  /// Number of elements; valid views have a count that fits (see check_view).
  constexpr std::int64_t count() const {
    std::int64_t product = 1;
    for (int axis = 0; axis < rank; ++axis) {
      if (size(axis) == 0) return 0;
    }
    for (int axis = 0; axis < rank; ++axis) product *= size(axis);
    return product;
  }
  /// The same elements with two axes exchanged: [L, B, d] from [B, L, d] is transposed(0, 1).
  constexpr BasicView transposed(int a, int b) const {
    BasicView view = *this;
    std::swap(view.shape[static_cast<std::size_t>(a)], view.shape[static_cast<std::size_t>(b)]);
    std::swap(view.strides[static_cast<std::size_t>(a)], view.strides[static_cast<std::size_t>(b)]);
    return view;
  }
  /// The same elements under a new leading axis that repeats them `times` times with stride 0: no memory is used.
  /// A view of max_rank axes becomes one that check_view refuses.
  constexpr BasicView repeated(std::int64_t times) const {
    BasicView view = *this;
    for (int axis = rank < max_rank ? rank : max_rank - 1; axis > 0; --axis) {
      const auto to = static_cast<std::size_t>(axis);
      view.shape[to] = view.shape[to - 1];
      view.strides[to] = view.strides[to - 1];
    }
    view.shape[0] = times;
    view.strides[0] = 0;
    ++view.rank;
    return view;
  }
  /// Elements [first, first + count) of an axis, negative from the end: the rows of a cache that are filled, a tensor's
  /// share of heads. Throws Error outside of the axis.
  BasicView slice(int axis, std::int64_t first, std::int64_t count) const;
  /// The same bits under another type of the same size: f16 for bf16, f32 for i32. Throws Error.
  BasicView as(DType type) const;

  constexpr operator BasicView<const void*>() const { return {data, dtype, rank, shape, strides}; }
  /// The very same view.
  friend constexpr bool operator==(const BasicView&, const BasicView&) = default;
};

using View = BasicView<void*>;
using ConstView = BasicView<const void*>;

namespace detail {
// The bytes from the first element of a view to behind its last: addresses as signed numbers, cut where they would
// leave int64, which no memory reaches. An empty view lies behind everything.
struct Extent {
  std::int64_t begin, end;
};

using Axes = std::array<std::int64_t, max_rank>;

// A size of a view: an integer that int64 holds whatever its value, so that nothing is cut on the way.
struct Size {
  std::int64_t value;

  template <class Integer>
  constexpr Size(Integer size) : value(static_cast<std::int64_t>(size)) {
    static_assert(std::is_integral_v<Integer> || std::is_enum_v<Integer>, "posenc: a size of a view is an integer");
    static_assert(sizeof(Integer) < 8 || !std::is_unsigned_v<Integer>,
                  "posenc: sizes of views are std::int64_t, which not every std::size_t fits into: "
                  "write static_cast<std::int64_t>(n)");
  }
  constexpr operator std::int64_t() const { return value; }
};

template <class T>
constexpr DType element_type() {
  constexpr DType type = dtype_of<std::remove_const_t<T>>;
  static_assert(type != DType{},
                "posenc: elements of views are float, double, posenc::half, posenc::bfloat16, std::int32_t or "
                "std::int64_t (which is long, not long long, on 64-bit Linux), and types for which posenc::dtype_of "
                "is specialized; of bits that an engine keeps as integers write view(address, DType::bf16, shape)");
  static_assert(type == DType{} || sizeof(T) == size_of(type),
                "posenc: a type and its posenc::dtype_of have elements of one size");
  return type;
}

// Sizes and strides are made apart, each in its place: GCC clears a view that it fills piece by piece with a string
// instruction that takes 14 ns to start, a third of a decoding step.
template <class Number>
constexpr Axes sizes(std::span<const Number> shape) {
  Axes sizes = {};
  for (std::size_t axis = 0; axis < shape.size() && axis < max_rank; ++axis) sizes[axis] = shape[axis];
  return sizes;
}
template <class Number>
constexpr Axes row_major_strides(std::span<const Number> shape) {
  Axes strides = {};
  std::uint64_t stride = 1;  // unsigned: absurd sizes wrap here and are refused by check_view
  for (std::size_t axis = shape.size() < max_rank ? shape.size() : max_rank; axis-- > 0;) {
    strides[axis] = static_cast<std::int64_t>(stride);
    stride *= static_cast<std::uint64_t>(std::int64_t{shape[axis]});
  }
  return strides;
}
template <class Pointer, class T>
constexpr BasicView<Pointer> row_major(T* data, DType dtype, std::span<const std::int64_t> shape) {
  return {data, dtype, static_cast<int>(shape.size()), sizes(shape), row_major_strides(shape)};
}
template <class Pointer, class T>
constexpr BasicView<Pointer> row_major(T* data, std::initializer_list<Size> list) {
  const std::span<const Size> shape(list.begin(), list.size());
  return {data, element_type<T>(), static_cast<int>(shape.size()), sizes(shape), row_major_strides(shape)};
}

// A number for each axis, written as {2, 3} or kept in an array or a vector of std::int64_t.
struct AxisNumbers {
  Axes of = {}, row_major = {};
  int count;

  constexpr AxisNumbers(std::initializer_list<Size> list)
      : AxisNumbers(std::span<const Size>(list.begin(), list.size())) {}
  template <class Range>
    requires std::is_convertible_v<const Range&, std::span<const std::int64_t>>
  constexpr AxisNumbers(const Range& range) : AxisNumbers(std::span<const std::int64_t>(range)) {}
  template <class Number>
  constexpr AxisNumbers(std::span<const Number> numbers)
      : of(sizes(numbers)), row_major(row_major_strides(numbers)), count(static_cast<int>(numbers.size())) {}
};
}  // namespace detail

/// A row-major view of `data`. A pointer to const gives a ConstView. Other element types, and sizes that int64 may not
/// hold, do not compile; more than max_rank axes make a view that check_view refuses.
template <class T>
constexpr View view(T* data, std::initializer_list<detail::Size> shape) {
  return detail::row_major<void*>(data, shape);
}
template <class T>
constexpr ConstView view(const T* data, std::initializer_list<detail::Size> shape) {
  return detail::row_major<const void*>(data, shape);
}
/// Of a shape that is known when the program runs.
template <class T>
constexpr View view(T* data, std::span<const std::int64_t> shape) {
  return detail::row_major<void*>(data, detail::element_type<T>(), shape);
}
template <class T>
constexpr ConstView view(const T* data, std::span<const std::int64_t> shape) {
  return detail::row_major<const void*>(data, detail::element_type<T>(), shape);
}

// ---- errors -------------------------------------------------------------------------------------

/// Who has to act: the caller, whose input breaks a rule, or the system, which failed us (disk, permission, memory).
enum class Cause : std::uint8_t { input = 1, system };

/// What is wrong with a call: the operation, the rule it breaks, the value it got, and the element where there is one.
struct Problem {
  std::string operation;
  std::string rule;
  std::string value;
  std::vector<std::int64_t> index = {};
  Cause cause = Cause::input;

  /// "[operation] rule, got value" and " at [i, j]" where there is an index.
  POSENC_EXPORT std::string message() const;
  friend bool operator==(const Problem&, const Problem&) = default;
};

/// The exception of posenc; beside it there are std::bad_alloc, where memory ends, and what somebody's executor throws.
/// Every function that throws it has a twin `check_...`, which takes the arguments that a rule reads, in their order,
/// and returns the problem instead. All rules are checked before anything is written. Outputs are unspecified after the
/// two others, and after the one Error that no check foresees: where 2^15 bits do not tell a value from a rounding
/// boundary, as of angles with 2^14 bits of whole turns (most have a theorem that some number does).
class POSENC_EXPORT Error : public std::invalid_argument {
 public:
  explicit Error(Problem problem) : std::invalid_argument(problem.message()), problem_(std::move(problem)) {}
  const Problem& problem() const noexcept { return problem_; }

 private:
  Problem problem_;
};

namespace detail {
[[noreturn]] POSENC_EXPORT void raise(Problem problem);  // throws Error
}  // namespace detail

/// Throws when there is a problem. Code built without exceptions calls the checks; there this ends the program.
#if defined(__cpp_exceptions)
inline void require(std::optional<Problem> problem) {
  if (problem) throw Error(std::move(*problem));
}
#else
// A linker keeps one inline function of a name: of a wrapper that a source without exceptions does not inline, every
// program may run this copy. So it throws, too.
static inline void require(std::optional<Problem> problem) {
  if (problem) detail::raise(std::move(*problem));
}
#endif

// ---- tensors of an engine -----------------------------------------------------------------------

/// The tensor at an address whose type is known when the program runs; row-major. Several axes in an order of their
/// own, or rows that lie apart, take strides, in elements.
constexpr View view(void* data, DType dtype, const detail::AxisNumbers& shape) {
  return {data, dtype, shape.count, shape.of, shape.row_major};
}
constexpr ConstView view(const void* data, DType dtype, const detail::AxisNumbers& shape) {
  return {data, dtype, shape.count, shape.of, shape.row_major};
}

/// As many strides as sizes; view throws Error, as slice and as do.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_strides(std::int64_t sizes, std::int64_t strides);
inline View view(void* data, DType dtype, const detail::AxisNumbers& shape, const detail::AxisNumbers& strides) {
  require(check_strides(shape.count, strides.count));
  return {data, dtype, shape.count, shape.of, strides.of};
}
inline ConstView view(const void* data, DType dtype, const detail::AxisNumbers& shape,
                      const detail::AxisNumbers& strides) {
  require(check_strides(shape.count, strides.count));
  return {data, dtype, shape.count, shape.of, strides.of};
}

/// The axis is one of the view's, and [first, first + count) within it.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_slice(const ConstView& view, int axis, std::int64_t first,
                                                               std::int64_t count);
template <class Pointer>
BasicView<Pointer> BasicView<Pointer>::slice(int axis, std::int64_t first, std::int64_t count) const {
  require(check_slice(*this, axis, first, count));
  using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<Pointer>>, const std::byte, std::byte>;
  BasicView part = *this;
  const auto at = static_cast<std::size_t>(axis < 0 ? rank + axis : axis);
  part.shape[at] = count;
  const auto offset = static_cast<std::uint64_t>(first) * static_cast<std::uint64_t>(strides[at]) * size_of(dtype);
  if (count > 0) part.data = static_cast<Byte*>(data) + static_cast<std::int64_t>(offset);
  return part;
}

/// Both are types, of one size.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_as(const ConstView& view, DType type);
template <class Pointer>
BasicView<Pointer> BasicView<Pointer>::as(DType type) const {
  require(check_as(*this, type));
  BasicView view = *this;
  view.dtype = type;
  return view;
}

/// The rules of views: a known type, rank 0 to max_rank, no negative size, byte offsets that fit in 63 bits, data
/// unless empty, alignment to the element. `name` is the argument's name.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_view(std::string_view operation, std::string_view name,
                                                              const ConstView& view);
/// check_view, and no stride 0 along an axis longer than 1: outputs do not share elements.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_output(std::string_view operation, std::string_view name,
                                                                const View& view);

/// What a view that is written may have in common with another one: nothing, or everything, as the very same view.
enum class Sharing : std::uint8_t { none = 1, same_view };

/// `out` shares no element with `in`, which may be a second output; under Sharing::same_view it may also be the same
/// view: data, type, shape, and strides along axes longer than 1. Of views that keep their rules.
///
/// Views of one size of elements and of equal strides are decided exactly, whatever their shapes: interleaved slices of
/// a packed tensor share nothing. Their order and signs do not matter, nor axes that one of the views lacks. Of others,
/// and where 1024 steps of the search do not tell, the ranges of their bytes must lie apart.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_overlap(std::string_view operation, std::string_view in_name,
                                                                 const ConstView& in, std::string_view out_name,
                                                                 const ConstView& out, Sharing sharing);

// ---- outputs ------------------------------------------------------------------------------------

/// When an output is read again: `soon` keeps it in the caches, `later` writes past them, `by_size` decides by its
/// size. Of speed alone; no bit depends on it.
enum class Reading : std::uint8_t { by_size = 1, soon, later };
constexpr bool is_stated(Reading reading) { return reading >= Reading::by_size && reading <= Reading::later; }
/// It is stated.
[[nodiscard]] inline std::optional<Problem> check_reading(std::string_view operation, Reading reading) {
  if (is_stated(reading)) return std::nullopt;
  return Problem{std::string(operation), "reading must be stated", "none"};
}

// ---- executors ----------------------------------------------------------------------------------

namespace detail {
inline void run_in_order(void*, std::int64_t count, void (*job)(void*, std::int64_t), void* context) {
  for (std::int64_t i = 0; i < count; ++i) job(context, i);
}
}  // namespace detail

/// Somebody's threads. `run` calls job(context, i) once for every i in [0, count), in any order, on any threads, and
/// returns when all calls have returned; job never throws. No result depends on the executor. Unless stated, as where
/// `run` is null, it is the calling thread.
struct Executor {
  void (*run)(void* self, std::int64_t count, void (*job)(void* context, std::int64_t index),
              void* context) = detail::run_in_order;
  void* self = nullptr;
};

/// The calling thread.
inline constexpr Executor serial = {};

namespace detail {
// Of the loops over blocks, which every library of the project inlines. job(context, index) in the default
// floating-point environment; false where memory ended, and then what the job held is lost.
POSENC_EXPORT bool finishes(void (*job)(void* context, std::int64_t index), void* context, std::int64_t index) noexcept;
// Throws std::bad_alloc.
[[noreturn]] POSENC_EXPORT void end_without_memory();
}  // namespace detail

}  // namespace posenc
