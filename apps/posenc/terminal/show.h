// SPDX-License-Identifier: Apache-2.0
// A heatmap of numbers in a terminal.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace posenc::tool {

/// coloured: blue through white to orange. plain: = - for negative, + # for positive, a blank for about zero.
enum class Ink : unsigned char { coloured = 1, plain };

/// Coloured on a terminal that can and may: standard output is one, TERM is not dumb, NO_COLOR is not set or empty.
Ink ink_of_standard_output();

/// One line a row of cells after its name, and a line that says what the ends of the colours are. Values are measured
/// against the largest size among them.
std::string heat_lines(std::span<const std::string> names, std::span<const std::vector<double>> rows, Ink ink);

}  // namespace posenc::tool
