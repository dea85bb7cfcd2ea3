// SPDX-License-Identifier: Apache-2.0
// What table, timestep and grid do alike: rows that are made when they are asked for, into a file, into a picture, and
// told of.
#pragma once

#include <functional>

#include "apps/posenc/cli/request.h"
#include "apps/posenc/cli/threads.h"

namespace posenc::tool {

/// The request of table, timestep and grid, besides its places.
struct RowCall {
  /// Refuses what Rows refuses of the convention, a row whose ladder does not fit in memory, and so many rows that they
  /// fit neither in the format nor in the free space of where they go.
  RowCall(const Arguments& arguments, const Choice& choice, std::int64_t rows);

  const Arguments& arguments;
  const Choice& choice;
  std::int64_t dim;
  DType dtype;
  Targets targets;
  Threads threads;
  Options options = {};
  std::vector<std::string> notes = {};  ///< on options that have no effect
};

struct RowTable {
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
  std::vector<std::string> notes = {};                    ///< on positions that the call did not state
};

/// Writes the files: the numbers block by block, so that they may be more than the memory holds. Says what they are, or
/// reports it; shows an excerpt where the call names no file.
Said write_row_table(const RowCall& call, const RowTable& table);

}  // namespace posenc::tool
