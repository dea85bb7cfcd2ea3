// SPDX-License-Identifier: Apache-2.0
// Heatmaps and curves out of characters: 256-colour backgrounds (xterm), or signs.
#include "apps/posenc/terminal/show.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace posenc::tool {
namespace {

// From the 6 x 6 x 6 cube; both ends differ for every common kind of colour blindness, and the middle is white.
constexpr std::array map_colours = {25, 32, 75, 117, 195, 231, 230, 223, 215, 208, 166};
constexpr std::string_view signs = "=- +#";
// Nearest to Okabe and Ito's, which pictures of curves have.
constexpr std::array line_colours = {25, 166, 36, 175, 214, 74, 244};
constexpr std::string_view curve_signs = "*o+x#%@";
constexpr std::int64_t usual_width = 80;

// 0 to `steps` - 1; the middle one is zero.
std::size_t step_of(double value, double largest, std::size_t steps) {
  const double share = largest > 0 && std::isfinite(value) ? value / largest : 0;
  const double middle = static_cast<double>(steps / 2);
  return static_cast<std::size_t>(std::lround(middle + std::clamp(share, -1.0, 1.0) * middle));
}

std::string cells(std::span<const double> row, double largest, Ink ink) {
  std::string line;
  for (const double value : row) {
    line += ink == Ink::plain ? std::string(1, signs[step_of(value, largest, signs.size())])
                              : fmt::format("\x1b[48;5;{}m ", map_colours[step_of(value, largest, map_colours.size())]);
  }
  return ink == Ink::plain ? line : line + "\x1b[0m";
}

}  // namespace

Ink ink_of_standard_output() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool refused =
      (no_color != nullptr && *no_color != '\0') || (terminal != nullptr && std::string_view(terminal) == "dumb");
  return !refused && ::isatty(STDOUT_FILENO) == 1 ? Ink::coloured : Ink::plain;
}

std::int64_t terminal_width() {
  winsize size = {};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual_width;
}

std::string curve_cell(std::size_t i, Ink ink) {
  if (ink == Ink::plain) return std::string(1, curve_signs[i % curve_signs.size()]);
  return fmt::format("\x1b[48;5;{}m \x1b[0m", line_colours[i % line_colours.size()]);
}

std::string heat_lines(std::span<const std::string> names, std::span<const std::vector<double>> rows, Ink ink) {
  double largest = 0;
  for (const std::vector<double>& row : rows) {
    for (const double value : row) largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
  }
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += fmt::format("{:>{}} {}\n", names[i], width, cells(rows[i], largest, ink));
  }
  const std::vector<double> scale = {-largest, -largest / 2, 0, largest / 2, largest};
  return text +
         fmt::format("{:>{}} {} {:.4g} to {:.4g}\n", "", width, cells(scale, largest, ink), 0 - largest, largest);
}

}  // namespace posenc::tool
