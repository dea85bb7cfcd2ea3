// SPDX-License-Identifier: Apache-2.0
// A convention by one word, read by what the word looks like.
#include "apps/posenc/cli/named_convention.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/cell_places.h>
#include <posenc/io/file.h>
#include <posenc/referee/identify.h>
#include <posenc/spec/spec.h>

#include <filesystem>

#include "apps/posenc/cli/configuration.h"
#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/mapped.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/request.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

NamedConvention of_preset(const Preset& row) { return {row.convention, std::nullopt, {}, {}, places_of(row)}; }

NamedConvention named_by_json(const Arguments& arguments, const std::string& words) {
  const std::string file = parse_role(words).file;
  const auto document = read_object(io::read_file(file, io::json_byte_limit));
  if (document && find_value(*document, "posenc_convention") != nullptr) {
    return {io::convention_from_json(io::read_file(file, io::json_byte_limit)), std::nullopt, {}, {}};
  }
  const PositionRole role = read_role(arguments.operation, words);
  return {*role.convention, role.head ? role.head : role.width, {}, {}, role.places.value_or(whole_places)};
}

std::optional<NamedConvention::Rows> rows_elsewhere(const ConstView& tensor, const Candidate& candidate) {
  if (candidate.places.empty() || candidate.extents.size() != 1) return std::nullopt;
  const AxisPlaces& at = candidate.places[0];
  if (!at.step || (at.first == 0 && at.step == 1)) return std::nullopt;
  for (int axis = 0; axis < tensor.rank; ++axis) {
    const std::int64_t count = candidate.extents[0] + candidate.extra;
    if (tensor.size(axis) == count) return NamedConvention::Rows{at, axis, tensor.count() / count};
  }
  return std::nullopt;
}

NamedConvention named_by_tensor(const Arguments& arguments, const std::string& words) {
  const io::TensorMap tensor = map_named_tensor(arguments.operation, words);
  Threads threads(read_threads(arguments));
  io::ReadingExecutor reading(threads.executor(), tensor);
  const Identification found = identify(tensor.view(), {.executor = reading.executor()});
  tensor.require_unchanged();
  if (found.candidates.empty()) {
    refuse(arguments.operation, "the tensor must hold a convention that is known", quote(words));
  }
  const Candidate& closest = found.candidates.front();
  NamedConvention named = {closest.convention, closest.width, {}, {}};
  named.context.learned = closest.context.learned;
  constexpr std::int64_t longest = std::int64_t{1} << 40;
  const bool by_length = regime(closest.convention, 1) != regime(closest.convention, longest);
  if (by_length) named.context.length = closest.context.length;
  named.rows = rows_elsewhere(tensor.view(), closest);
  if (named.rows) {
    named.notes.push_back(fmt::format("{}: its rows are at positions from {} in steps of {}", quote(words),
                                      named.rows->at.first, *named.rows->at.step));
  }
  if (found.candidates.size() > 1) {
    std::vector<std::string> names;
    for (const Candidate& each : found.candidates) {
      names.push_back(each.presets.empty() ? std::string(family(each.convention)) : each.presets.front());
    }
    named.notes.push_back(
        fmt::format("{}: its entries do not tell apart {}; taken as the first", quote(words), fmt::join(names, ", ")));
  }
  return named;
}

}  // namespace

int NamedConvention::Rows::axis_of(const ConstView& tensor) const {
  const auto counts_rows = [&](int each) { return tensor.size(each) > 1 && tensor.size(each) != width; };
  if (axis < tensor.rank && counts_rows(axis)) return axis;
  for (int each = 0; each < tensor.rank; ++each) {
    if (counts_rows(each)) return each;
  }
  return std::min(axis, tensor.rank - 1);
}

NamedConvention read_named_convention(const Arguments& arguments, const std::string& words) {
  if (const Preset* row = find_preset(words)) return of_preset(*row);
  if (is_standard_input(words)) return named_by_tensor(arguments, words);
  const std::string file = parse_role(words).file;
  if (file.ends_with(".json")) return named_by_json(arguments, words);
  std::error_code ignored;
  if (file.find_first_of("./") == file.npos && !std::filesystem::exists(file, ignored)) {
    if (const Preset* row = find_named(words)) return of_preset(*row);
    require(check_preset(words));
  }
  return named_by_tensor(arguments, words);
}

}  // namespace posenc::tool
