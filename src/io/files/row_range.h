// SPDX-License-Identifier: Apache-2.0
// What a view must be that takes some rows of a tensor in a file.
#pragma once

#include <posenc/core.h>

namespace posenc::io {

/// A tensor of which rows are wanted, and how messages name it.
struct RowsOf {
  std::string_view operation;
  DType dtype;
  std::span<const std::int64_t> shape;
  std::string_view name;  // empty where it has none
  std::string_view file;
};

/// `out` is row-major without gaps, has the tensor's type and its sizes after the first, and the rows from `first` on,
/// as many as it has, are there. Throws the refusal.
void require_rows(const RowsOf& tensor, std::int64_t first, const View& out);

}  // namespace posenc::io
