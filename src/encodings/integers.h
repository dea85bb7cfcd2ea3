// SPDX-License-Identifier: Apache-2.0
// Integer outputs: their check, and their elements by type.
#pragma once

#include <posenc/core.h>

#include <string>

namespace posenc {

inline std::optional<Problem> check_integer_out(std::string_view operation, const View& out) {
  if (auto problem = check_output(operation, "out", out)) return problem;
  if (is_integer(out.dtype)) return std::nullopt;
  return Problem{std::string(operation), "out must be i32 or i64", std::string(to_string(out.dtype))};
}

/// Calls function(T{}) with the integer type T of that name, which has been checked.
template <class Function>
void with_integer(DType type, const Function& function) {
  if (type == DType::i32) return function(std::int32_t{});
  return function(std::int64_t{});
}

}  // namespace posenc
