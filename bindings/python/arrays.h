// SPDX-License-Identifier: Apache-2.0
// Arrays of Python as views, without a copy: NumPy's, PyTorch's, JAX's and whatever has DLPack or a buffer.
#pragma once

#include <nanobind/ndarray.h>

#include "bindings/python/errors.h"

namespace posenc::python {

/// An array that is read. It holds the memory; it is destroyed with the GIL held.
struct Input {
  nb::ndarray<nb::ro> held;  // or, of PyTorch,
  nb::object array;
  ConstView view = {};
};

/// An array that is written, and what a call gives back for it.
struct Output {
  nb::ndarray<> held;
  nb::object array;
  View view = {};
};

inline constexpr std::string_view an_array_of_ours =
    "an array of float32, float64, float16, bfloat16, int32 or int64 on the CPU";

/// Any array of a type that posenc has, on the CPU. `what` it must be is told of others.
Input input(std::string_view operation, std::string_view name, nb::handle array,
            std::string_view what = an_array_of_ours);
/// The same, and lists of numbers, and booleans as 0 and 1, for which a copy is made: ids and masks.
Input integers(std::string_view operation, std::string_view name, nb::handle array);

/// Writable, not immutable by its package, and not one whose gradient PyTorch records.
Output output(std::string_view operation, std::string_view name, nb::handle array);
/// A new NumPy array; of bf16 by the package ml_dtypes.
Output fresh(std::string_view operation, DType dtype, std::span<const std::int64_t> shape);
/// `out`, or where that is None a new array of `dtype`.
Output output_or_fresh(std::string_view operation, nb::handle out, DType dtype, std::span<const std::int64_t> shape);
/// `out`, or where that is None a new array of the kind of `like`: PyTorch's for PyTorch's, else NumPy's. `like` must
/// not be one whose gradient PyTorch records.
Output output_or_like(std::string_view operation, nb::handle out, nb::handle like, const ConstView& view);

/// A problem of such a new array, whose rule is one of what it is like: nobody passed an `out`.
std::optional<Problem> told_of(std::string_view like, nb::handle out, std::optional<Problem> problem);

/// "float32", NumPy's float32, PyTorch's, ..; `none` for None. Not every type: of those that a signal has.
DType real_dtype(std::string_view operation, nb::handle dtype, DType none = DType::f32);
/// "int32", "int64", ..; `none` for None.
DType whole_dtype(std::string_view operation, nb::handle dtype, DType none = DType::i64);

// ---- plain values ----------------------------------------------------------------------------------------------

/// As `if` takes it.
bool truth(nb::handle value);
std::int64_t integer(std::string_view operation, std::string_view name, nb::handle value);
double real(std::string_view operation, std::string_view name, nb::handle value);
/// A string in UTF-8. Of half a character, as os.fsdecode makes them, there is none.
std::string text(std::string_view operation, std::string_view name, nb::handle value);
std::vector<std::int64_t> integer_list(std::string_view operation, std::string_view name, nb::handle value);
/// Of any length: signals are heard between parts of it.
nb::list list_of(std::span<const double> numbers);
/// A list or tuple of numbers as NumPy makes an array of it. Signals are heard between parts of it.
nb::object array_of(std::string_view operation, std::string_view name, nb::handle list);
/// 0 to 2^bits - 1.
std::uint64_t natural(std::string_view operation, std::string_view name, nb::handle value, int bits);
/// The number whose name a word is in a list that starts at 1.
template <class Enum, std::size_t Count>
Enum word_of(std::string_view operation, std::string_view name, nb::handle value,
             const std::string_view (&words)[Count]) {
  const std::string word = text(operation, name, value);
  for (std::size_t i = 0; i < Count; ++i) {
    if (words[i] == word) return static_cast<Enum>(i + 1);
  }
  std::string rule = std::string(name) + " must be";
  for (std::size_t i = 0; i < Count; ++i) {
    rule += (i == 0 ? " " : i + 1 == Count ? " or " : ", ") + std::string(words[i]);
  }
  refuse(operation, rule, word);
}

}  // namespace posenc::python
