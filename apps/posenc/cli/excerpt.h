// SPDX-License-Identifier: Apache-2.0
// What a call without --out shows of its numbers: the first and the last rows and columns, each by its name.
#pragma once

#include <posenc/core.h>

#include <functional>
#include <string>

namespace posenc::tool {

struct Excerpt {
  std::string title;     ///< one line above the numbers
  std::string row_axis;  ///< what a row is: "position"
  std::int64_t rows = 0, columns = 0;
  DType dtype = {};  ///< of the elements
  std::function<std::string(std::int64_t)> row_name;
  /// Fills out [1, columns] of that type with a row.
  std::function<void(std::int64_t row, const View& out)> read;
};

/// At most 12 rows and 6 columns, as lines of text; what is left out is an ellipsis.
std::string excerpt_lines(const Excerpt& excerpt);

/// The same of a tensor in memory without gaps, whose last axis has the columns; a row is named by its indices.
Excerpt excerpt_of(std::string title, const ConstView& tensor);

}  // namespace posenc::tool
