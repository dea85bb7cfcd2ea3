// SPDX-License-Identifier: Apache-2.0
// Tables that are resized in tests, and their resized ones.
#pragma once

#include <posenc/resize.h>

#include <vector>

namespace posenc::test {

/// The rows of tools/goldens/answers.py: two columns in [-0.5, 0.5), one in [1, 2).
inline constexpr std::int64_t cell_columns = 3;
inline std::vector<float> cell_rows(std::int64_t rows) {
  std::vector<float> all;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(rows * cell_columns); ++i) {
    const std::uint64_t number = (i * 2654435761u + 12345) & 0xffffffffu;
    const auto signed_value = static_cast<float>(static_cast<double>(number >> 8) * 0x1p-24 - 0.5);
    all.push_back(i % cell_columns == 2 ? static_cast<float>(1 + static_cast<double>(number >> 9) * 0x1p-23)
                                        : signed_value);
  }
  return all;
}

inline std::vector<float> resized(const Convention& convention, const std::vector<float>& table, const GridSize& from,
                                  const GridSize& to) {
  const std::int64_t rows = table_rows(convention, to), width = std::ssize(table) / table_rows(convention, from);
  std::vector<float> out(static_cast<std::size_t>(rows * width));
  resize_table(convention, view(table.data(), {std::ssize(table) / width, width}), from, to,
               view(out.data(), {rows, width}));
  return out;
}

}  // namespace posenc::test
