// SPDX-License-Identifier: Apache-2.0
// Heatmaps of numbers and cells of curves in a terminal.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace posenc::tool {

/// coloured: blue through white to orange. plain: = - for negative, + # for positive, a blank for about zero.
enum class Ink : unsigned char { coloured = 1, plain };

/// Coloured on a terminal that can and may: standard output is one, TERM is not dumb, NO_COLOR is not set or empty.
Ink ink_of_standard_output();

/// Columns of the terminal of standard output; 80 where it is none.
std::int64_t terminal_width();

/// One character that is the i-th curve's: a block of its colour, or a sign. Seven are apart.
std::string curve_cell(std::size_t i, Ink ink);

/// One line a row of cells after its name, and a line that says what the ends of the colours are. Values are measured
/// against the largest size among them.
std::string heat_lines(std::span<const std::string> names, std::span<const std::vector<double>> rows, Ink ink);

}  // namespace posenc::tool
