// SPDX-License-Identifier: Apache-2.0
// The checks of a view that takes rows of a tensor.
#include "src/io/files/row_range.h"

#include <algorithm>

#include "src/base/quote.h"
#include "src/io/files/element_bytes.h"
#include "src/io/npy/npy_header.h"

namespace posenc::io {
namespace {

bool is_row_major(const View& view) {
  std::int64_t stride = 1;
  for (int axis = view.rank - 1; axis >= 0; --axis) {
    if (view.size(axis) > 1 && view.stride(axis) != stride) return false;
    stride *= view.size(axis);
  }
  return true;
}

[[noreturn]] void refuse_rows(const RowsOf& tensor, std::string rule, std::string value, std::string_view name) {
  constexpr std::size_t shown = 40;  // so that the message stays below 300 bytes
  if (!name.empty()) value += " in tensor " + quote(name, Keep::head, shown);
  throw Error({std::string(tensor.operation), std::move(rule), value + " of " + quote(tensor.file, Keep::tail)});
}

}  // namespace

void require_rows(const RowsOf& tensor, std::int64_t first, const View& out) {
  require(check_output(tensor.operation, "out", out));
  const std::span shape = sizes(out);
  const bool same = !shape.empty() && shape.size() == tensor.shape.size() && out.dtype == tensor.dtype &&
                    std::ranges::equal(shape.subspan(1), tensor.shape.subspan(1));
  if (!same) {
    refuse_rows(tensor,
                "out must be rows of the tensor, " + std::string(to_string(tensor.dtype)) + " " +
                    tuple_text(tensor.shape).substr(0, 60),
                std::string(to_string(out.dtype)) + " " + quote(tuple_text(shape), Keep::head, 40), {});
  }
  if (out.count() > 0 && !is_row_major(out)) {
    refuse_rows(tensor, "out must be row-major without gaps", "other strides", tensor.name);
  }
  if (first < 0 || first > tensor.shape[0] || shape[0] > tensor.shape[0] - first) {
    refuse_rows(tensor, "the rows must be within the tensor's " + std::to_string(tensor.shape[0]),
                std::to_string(shape[0]) + " from " + std::to_string(first), tensor.name);
  }
}

}  // namespace posenc::io
