// SPDX-License-Identifier: Apache-2.0
// Conventions: their names, their rules, and which widths they admit.
#include <posenc/convention.h>

#include <cmath>

#include "src/encodings/ladder.h"
#include "src/encodings/text.h"
#include "src/engine/blocks.h"

namespace posenc {

std::string_view to_string(Spacing spacing) {
  switch (spacing) {
    case Spacing::over_width: return "over_width";
    case Spacing::over_gaps: return "over_gaps";
    case Spacing::over_gaps_or_one: return "over_gaps_or_one";
  }
  return "no spacing";
}

std::string_view to_string(Layout layout) {
  switch (layout) {
    case Layout::interleaved: return "interleaved";
    case Layout::sine_first: return "sine_first";
    case Layout::cosine_first: return "cosine_first";
  }
  return "no layout";
}

std::string_view to_string(OddWidth rule) {
  switch (rule) {
    case OddWidth::refused: return "refused";
    case OddWidth::zero_column: return "zero_column";
    case OddWidth::short_row: return "short_row";
    case OddWidth::lone_sine: return "lone_sine";
  }
  return "no rule";
}

std::string_view to_string(AxisOrder order) {
  switch (order) {
    case AxisOrder::column_first: return "column_first";
    case AxisOrder::row_first: return "row_first";
  }
  return "no order";
}

std::string_view to_string(Pairing pairing) {
  switch (pairing) {
    case Pairing::adjacent: return "adjacent";
    case Pairing::split_half: return "split_half";
  }
  return "no pairing";
}

namespace {

std::string ladder_text(const Ladder& ladder) {
  if (const auto* own = std::get_if<Listed>(&ladder)) {
    return "listed frequencies [" + listed(own->frequencies, [](double w) { return to_text(w); }) + "]";
  }
  const auto& geometric = std::get<Geometric>(ladder);
  return "base " + to_text(geometric.base) + ", first " + to_text(geometric.first) + ", spacing " +
         std::string(to_string(geometric.spacing));
}

Problem problem(std::string rule, std::string value) { return {"convention", std::move(rule), std::move(value)}; }

std::optional<Problem> check_stated(std::string_view field, std::string_view name) {
  if (name.starts_with("no ")) return problem(std::string(field) + " must be stated", "none");
  return std::nullopt;
}

std::optional<Problem> check_positive(std::string_view field, double value) {
  if (value > 0 && !std::isinf(value)) return std::nullopt;
  return problem(std::string(field) + " must be finite and > 0", to_text(value));
}

std::optional<Problem> check_ladder(const Ladder& ladder) {
  if (const auto* own = std::get_if<Listed>(&ladder)) {
    for (std::size_t k = 0; k < own->frequencies.size(); ++k) {
      const double w = own->frequencies[k];
      if (!(w >= 0) || std::isinf(w)) {
        return Problem{"convention", "frequencies must be finite and >= 0", to_text(w), {static_cast<std::int64_t>(k)}};
      }
    }
    return std::nullopt;
  }
  const auto& geometric = std::get<Geometric>(ladder);
  if (auto problem = check_positive("base", geometric.base)) return problem;
  if (auto problem = check_positive("first", geometric.first)) return problem;
  return check_stated("spacing", to_string(geometric.spacing));
}

std::optional<Problem> check_range(std::int64_t dim, const std::string& width) {
  constexpr std::int64_t widest = std::int64_t{1} << 30;  // ladders are kept in memory
  if (dim < 1 || dim > widest) return problem(width + " must be 1 to 2^30", std::to_string(dim));
  return std::nullopt;
}

// The rules of one row of width dim, named `width` in messages.
std::optional<Problem> check_row_width(const Sinusoid& row, std::int64_t dim, const std::string& width) {
  if (auto problem = check_range(dim, width)) return problem;
  if (dim % 2 == 1 && row.odd_width == OddWidth::refused) return problem(width + " must be even", std::to_string(dim));
  const std::int64_t n = frequency_count(row, dim);
  if (const auto* own = std::get_if<Listed>(&row.ladder)) {
    if (static_cast<std::int64_t>(own->frequencies.size()) != n) {
      return problem(
          "the ladder must list " + std::to_string(n) + " frequencies for " + width + " " + std::to_string(dim),
          std::to_string(own->frequencies.size()));
    }
  } else if (std::get<Geometric>(row.ladder).spacing == Spacing::over_gaps && n < 2) {
    return problem(width + " must give 2 frequencies or more: the spacing divides by n - 1", std::to_string(dim));
  }
  if (columns(row, dim) == 0) return problem(width + " must give at least one column", std::to_string(dim));
  return std::nullopt;
}

// ---- one family after another ---------------------------------------------------------------------

std::string_view name_of(const Sinusoid&) { return "sinusoid"; }
std::string_view name_of(const Grid&) { return "grid"; }
std::string_view name_of(const Timestep&) { return "timestep"; }
std::string_view name_of(const Rotary&) { return "rotary"; }
std::string_view name_of(const Bias&) { return "bias"; }

std::string text_of(const Sinusoid& row) {
  return ladder_text(row.ladder) + ", layout " + std::string(to_string(row.layout)) + ", odd width " +
         std::string(to_string(row.odd_width));
}
std::string text_of(const Grid& cells) {
  return ladder_text(cells.ladder) + ", layout " + std::string(to_string(cells.layout)) + ", axis order " +
         std::string(to_string(cells.axis_order));
}
std::string text_of(const Timestep& step) {
  return "max_period " + to_text(step.max_period) + ", shift " + to_text(step.shift) + ", scale " +
         to_text(step.scale) + ", layout " + std::string(to_string(step.layout));
}
std::string text_of(const Rotary& rotary) {
  return ladder_text(rotary.ladder) + ", pairing " + std::string(to_string(rotary.pairing));
}
std::string text_of(const Bias& bias) { return "octaves " + to_text(bias.octaves); }

std::optional<Problem> check_fields(const Sinusoid& row) {
  if (auto problem = check_stated("layout", to_string(row.layout))) return problem;
  if (auto problem = check_stated("odd_width", to_string(row.odd_width))) return problem;
  return check_ladder(row.ladder);
}
std::optional<Problem> check_fields(const Grid& cells) {
  if (auto problem = check_stated("layout", to_string(cells.layout))) return problem;
  if (auto problem = check_stated("axis_order", to_string(cells.axis_order))) return problem;
  return check_ladder(cells.ladder);
}
std::optional<Problem> check_fields(const Timestep& step) {
  if (auto problem = check_positive("max_period", step.max_period)) return problem;
  if (!shift_units(step)) return problem("shift must be a multiple of 2^-16 from 0 to 1", to_text(step.shift));
  if (auto problem = check_positive("scale", step.scale)) return problem;
  if (auto problem = check_stated("layout", to_string(step.layout))) return problem;
  if (step.layout != Layout::interleaved) return std::nullopt;
  return problem("layout must be sine_first or cosine_first", std::string(to_string(step.layout)));
}
std::optional<Problem> check_fields(const Rotary& rotary) {
  if (auto problem = check_stated("pairing", to_string(rotary.pairing))) return problem;
  return check_ladder(rotary.ladder);
}
std::optional<Problem> check_fields(const Bias& bias) {
  if (bias.octaves > 0 && bias.octaves <= 1024) return std::nullopt;
  return problem("octaves must be > 0 and at most 1024", to_text(bias.octaves));
}

std::optional<Problem> check_dim(const Sinusoid& row, std::int64_t dim) { return check_row_width(row, dim, "width"); }
std::optional<Problem> check_dim(const Grid& cells, std::int64_t dim) {
  if (dim < 4 || dim % 4 != 0) return problem("width of a grid must be a multiple of 4", std::to_string(dim));
  return check_row_width(axis_row(cells), dim / 2, "half width");
}
std::optional<Problem> check_dim(const Timestep& step, std::int64_t dim) {
  if (auto problem = check_range(dim, "width")) return problem;
  if (dim / 2 != 1 || step.shift != 1) return std::nullopt;
  return problem("width must not give 1 frequency: shift 1 divides by n - 1", std::to_string(dim));
}
std::optional<Problem> check_dim(const Rotary& rotary, std::int64_t dim) {
  return check_row_width(angle_row(rotary), dim, "width");
}
std::optional<Problem> check_dim(const Bias&, std::int64_t heads) { return check_range(heads, "the number of heads"); }

}  // namespace

std::string_view family(const Convention& convention) {
  return std::visit([](const auto& each) { return name_of(each); }, convention);
}

std::string to_string(const Convention& convention) {
  const std::string fields = std::visit([](const auto& each) { return text_of(each); }, convention);
  return std::string(family(convention)) + ": " + fields;
}

std::optional<Problem> check_convention(const Convention& convention) {
  const engine::DefaultEnvironment environment;  // subnormal numbers are not zero
  return std::visit([](const auto& each) { return check_fields(each); }, convention);
}

std::optional<Problem> check_width(const Convention& convention, std::int64_t dim) {
  if (auto problem = check_convention(convention)) return problem;
  return std::visit([&](const auto& each) { return check_dim(each, dim); }, convention);
}

std::int64_t columns(const Convention& convention, std::int64_t dim) {
  const auto* row = std::get_if<Sinusoid>(&convention);
  return row != nullptr && row->odd_width == OddWidth::short_row ? dim - dim % 2 : dim;
}

}  // namespace posenc
