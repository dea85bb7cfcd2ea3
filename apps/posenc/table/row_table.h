// SPDX-License-Identifier: Apache-2.0
// What table, timestep and grid do alike: rows that are made when they are asked for, into a file, into a picture, and
// told of.
#pragma once

#include <functional>

#include "apps/posenc/cli/request.h"

namespace posenc::tool {

struct RowTable {
  std::string_view operation;  ///< also the name of the tensor
  const Choice* choice;
  std::int64_t dim;
  DType dtype;
  std::vector<std::int64_t> shape;  ///< in the file; the last size is the width of a row
  std::vector<std::string> axes;    ///< the names of those axes
  std::string_view unit;            ///< what a row is: "rows"
  std::string axis;                 ///< of the rows in a picture: "position"
  std::string title;                ///< of a picture, before width and recipe
  /// Writes the rows first, first + 1, ... into out [n, width], row-major, of any real type.
  std::function<void(std::int64_t first, const View& out)> write;
  /// What stands beside a row.
  std::function<std::string(std::int64_t)> row_name;
  std::function<std::vector<double>()> frequencies = {};  ///< where there is one list of them; asked for by reports
  std::vector<std::string> notes = {};                    ///< said after what was written

  /// "f32 [2, 512] (position, column), transformer, recipe exact".
  std::string words() const;
};

/// A row's ladder fits in memory, and the numbers in the format and in the free space of where they go.
void check_row_table(std::string_view operation, std::int64_t rows, std::int64_t width, DType dtype,
                     const Targets& targets);

/// Writes the files: the numbers block by block, so that they may be more than the memory holds. Says what they are, or
/// reports it; shows an excerpt where the call names no file.
Said write_row_table(const RowTable& table, const Targets& targets, const Arguments& arguments);

}  // namespace posenc::tool
