// SPDX-License-Identifier: Apache-2.0
// Identify: which kinds of tensor there are, and the rules of the calls.
#include <posenc/identify.h>

#include "src/base/elements.h"
#include "src/base/shapes.h"
#include "src/base/to_text.h"
#include "src/referee/identify_frequencies.h"
#include "src/referee/identify_relative.h"
#include "src/referee/identify_table.h"

namespace posenc {
namespace {

std::optional<Problem> check_tensor(std::string_view operation, std::string_view name, const ConstView& tensor) {
  if (auto problem = check_view(operation, name, tensor)) return problem;
  if (tensor.rank >= 1 && tensor.count() > 0) return std::nullopt;
  return Problem{std::string(operation), std::string(name) + " must have elements and 1 axis or more",
                 shape_text(tensor)};
}

}  // namespace

std::optional<Problem> check_identify(const ConstView& tensor, const IdentifyOptions& options) {
  if (auto problem = check_tensor("identify", "tensor", tensor)) return problem;
  for (const Positions& positions : options.positions) {
    if (auto problem = check_positions("identify", positions)) return problem;
    if (positions.kind_ == Positions::Kind::list && positions.list_.rank != 1) {
      return Problem{"identify", "positions must be a list [L] for each axis", shape_text(positions.list_)};
    }
  }
  return std::nullopt;
}

namespace {

double number_at(const ConstView& tensor, std::int64_t offset) {
  return is_integer(tensor.dtype) ? static_cast<double>(integer_of(tensor, offset)) : referee::real_at(tensor, offset);
}

// Is an element other than `first` from an axis on?
bool has_other(const ConstView& tensor, int axis, std::int64_t offset, double first) {
  if (axis == tensor.rank) return number_at(tensor, offset) != first;
  for (std::int64_t i = 0; i < tensor.size(axis); ++i) {
    if (has_other(tensor, axis + 1, offset + i * tensor.stride(axis), first)) return true;
  }
  return false;
}

}  // namespace

Identification detail::identify(const ConstView& tensor, const IdentifyOptions& options) {
  // One number everywhere says nothing: as many weights begin as ones.
  const bool constant = tensor.count() > 1 && !has_other(tensor, 0, 0, number_at(tensor, 0));
  if (constant && options.positions.empty()) return {};
  Identification relative = referee::identify_relative(tensor, options);
  if (!relative.candidates.empty() || is_integer(tensor.dtype)) return relative;
  Identification frequencies = referee::identify_frequencies(tensor, options);
  if (!frequencies.candidates.empty()) return frequencies;
  return referee::identify_table(tensor, options);
}

}  // namespace posenc
