// SPDX-License-Identifier: Apache-2.0
// Identify: which kinds of tensor there are, and the rules of the calls.
#include <posenc/referee/identify.h>

#include <algorithm>

#include "src/base/environment.h"
#include "src/base/shapes.h"
#include "src/base/to_text.h"
#include "src/referee/any_address.h"
#include "src/referee/copies.h"
#include "src/referee/identify_frequencies.h"
#include "src/referee/identify_relative.h"
#include "src/referee/identify_table.h"
#include "src/referee/not_identified.h"
#include "src/referee/values.h"

namespace posenc {
namespace {

std::optional<Problem> check_tensor(std::string_view operation, std::string_view name, const ConstView& tensor) {
  if (auto problem = referee::check_view_anywhere(operation, name, tensor)) return problem;
  if (tensor.rank >= 1 && tensor.count() > 0) return std::nullopt;
  return Problem{std::string(operation), std::string(name) + " must have elements and 1 axis or more",
                 shape_text(tensor)};
}

Identification of_one_copy(const referee::Copies& copies, const IdentifyOptions& options) {
  using namespace referee;
  if (copies.count > 1) {
    Identification relative = identify_relative(copies.once, options);
    if (!relative.candidates.empty()) return relative;
  }
  if (is_integer(copies.once.dtype)) return {};
  Identification frequencies = identify_frequencies(copies.once, options);
  return frequencies.candidates.empty() ? identify_table(copies.once, options) : frequencies;
}

// Of rows that are a convention's, but not at the positions stated.
std::optional<Identification> at_other_positions(const ConstView& tensor, const IdentifyOptions& options) {
  if (options.positions.empty()) return std::nullopt;
  IdentifyOptions any = options;
  any.positions.clear();
  Identification found = referee::conventions_of(tensor, any);
  if (found.candidates.empty()) return std::nullopt;
  Identification told;
  told.kind = "the rows are at other positions than those stated";
  told.nearest = std::move(found.candidates.front());
  return told;
}

}  // namespace

std::optional<Problem> referee::check_entries(const ConstView& tensor, const IdentifyOptions& options) {
  if (auto problem = check_tensor("identify", "tensor", tensor)) return problem;
  for (const Positions& positions : options.positions) {
    if (auto problem = check_positions("identify", positions)) return problem;
    if (positions.kind_ == Positions::Kind::list && positions.list_.rank != 1) {
      return Problem{"identify", "positions must be a list [L] for each axis", shape_text(positions.list_)};
    }
  }
  return std::nullopt;
}

std::optional<Problem> check_identify(const ConstView& tensor, const IdentifyOptions& options) {
  const DefaultEnvironment environment;
  if (auto problem = referee::check_entries(tensor, options)) return problem;
  if (tensor.rank < 2 || is_integer(tensor.dtype) || options.positions.empty()) return std::nullopt;
  // Rows of zeros count as well, though readings begin behind them.
  const auto sizes = std::span(tensor.shape).first(static_cast<std::size_t>(tensor.rank));
  const auto is_whole = [&](const Positions& positions) {
    return std::ranges::find(sizes, positions.count_) != sizes.end();
  };
  if (std::ranges::all_of(options.positions, is_whole)) return std::nullopt;
  const std::vector<referee::Reading> all = referee::readings(tensor, referee::Grids::stated);
  const auto fits = [&](const referee::Reading& reading) { return referee::has_rows_for(options, reading); };
  if (std::ranges::any_of(all, fits)) return std::nullopt;
  return Problem{"identify", "positions must be as many as the rows",
                 std::to_string(options.positions[0].count_) + " of " + shape_text(tensor)};
}

Identification referee::conventions_of(const ConstView& tensor, const IdentifyOptions& options) {
  // One number everywhere says nothing: as many weights begin as ones, and every wave is one at steps of 0.
  const bool real = !is_integer(tensor.dtype);
  if (real && options.positions.empty() && is_constant(tensor)) return {};
  Identification relative = identify_relative(tensor, options);  // keys alone make equal rows of a bias
  if (!relative.candidates.empty()) return relative;
  const Copies copies = without_copies(tensor, options);
  Identification found = of_one_copy(copies, options);
  for (Candidate& each : found.candidates) each.copies *= copies.count;
  return found;
}

Identification detail::identify(const ConstView& tensor, const IdentifyOptions& options) {
  const DefaultEnvironment environment;
  Identification found = referee::conventions_of(tensor, options);
  if (found.candidates.empty()) {
    auto told = at_other_positions(tensor, options);
    found = told ? std::move(*told) : referee::not_identified(tensor, options);
  }
  found.sampled = referee::holds_some_alone(found.candidates);
  return found;
}

}  // namespace posenc
