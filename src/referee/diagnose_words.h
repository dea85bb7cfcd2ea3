// SPDX-License-Identifier: Apache-2.0
// What a diagnosis says of a field, of places and of a reading that are not those asked.
#pragma once

#include "src/referee/hypothesis.h"

namespace posenc::referee {

/// Describes how the positions of a candidate differ from those asked. Rows count from the tensor's first row.
std::vector<std::string> words_of_places(const Candidate& candidate, const std::vector<Coordinates>& asked);

/// Whether columns are the tensor's last axis.
enum class ColumnAxis : std::uint8_t { last = 1, first };
/// Describes the layout of the tensor: transposed, rows in front without a position, scaled. `asked`: coordinates
/// expected.
std::vector<std::string> words_of_reading(const Candidate& candidate, ColumnAxis columns,
                                          const std::vector<Coordinates>& asked);

/// A line for each field in which a convention is another one than asked, as far as a table of that form shows it:
/// which columns turn together is seen of pairs that stand twice side by side alone, and the name of an only axis not
/// at all. Without a form all others.
std::vector<std::string> words_of_fields(const Convention& is, const Convention& asked, std::string_view form = {});

}  // namespace posenc::referee
