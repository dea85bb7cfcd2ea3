// SPDX-License-Identifier: Apache-2.0
// What each kind of convention asks for, and what it answers.
#include "apps/posenc/table/attention_numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/learned.h>
#include <posenc/log_coordinates.h>
#include <posenc/query_scale.h>

#include <algorithm>

#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/places.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/unread.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t most_side = 1 << 14;

bool says(const Convention& convention, std::string_view name, std::string_view value) {
  return std::ranges::any_of(fields_of(convention),
                             [&](const FieldText& field) { return field.name == name && field.value == value; });
}

struct Call {
  const Arguments& arguments;
  const Choice& choice;
  const Executor& executor;
  const Convention& convention = choice.convention;

  bool gives(ConventionUse use) const { return !check_use(arguments.operation, use, convention); }
  ParsedPositions positions(std::string_view option) const {
    return parse_positions(arguments.operation, option, arguments.get(option));
  }
  std::int64_t number(std::string_view option) const {
    return parse_integer(arguments.operation, option, arguments.get(option), 1);
  }
  DType whole() const {
    if (!arguments.has("--dtype")) return DType::i64;
    refuse(arguments.operation, "--dtype must not be given for whole numbers, which are i64",
           quote(arguments.get("--dtype")));
  }
  Tensor allocated(DType dtype, std::vector<std::int64_t> shape, std::vector<std::string> axes) const {
    return room_for(arguments.operation, {"bias", dtype, std::move(shape), std::move(axes)});
  }
};

// What each kind reads; a call that is of several is of the first.
struct Read {
  ConventionUse use;
  std::string_view what;
  std::vector<std::string_view> options;
};
const Read reads[] = {
    {ConventionUse::classes, "classes of queries and keys", {"--queries", "--keys"}},
    {ConventionUse::windows, "classes of a window", {"--window"}},
    {ConventionUse::log_coordinates, "coordinates of a window", {"--window"}},
    {ConventionUse::query_scales, "factors of queries", {"--positions", "--height", "--width", "--extent"}},
    {ConventionUse::stored_rows, "stored rows", {"--positions", "--height", "--width", "--extent"}},
    {ConventionUse::slopes, "biases", {"--queries", "--keys", "--heads", "--head-dim"}}};

// Of slopes: whether they are refused for a head whose columns nobody stated.
bool depends_on_head(const Convention& convention) {
  constexpr std::int32_t one_present = 1;
  float number = 0;
  Context context;
  if (says(convention, "over", "present")) context.present = view(&one_present, {1});
  const Positions first = Positions::at(0);
  return check_bias(convention, first, first, view(&number, {1, 1, 1}), {.context = context}).has_value();
}

Tensor scores(const Call& call) {
  require_given(call.arguments, missing(call.arguments, {"--queries", "--keys", "--heads"}));
  const ParsedPositions queries = call.positions("--queries"), keys = call.positions("--keys");
  const std::int64_t count = keys.positions.count_;
  const std::vector<std::int32_t> all_present(static_cast<std::size_t>(std::min(count, most_side * most_side)), 1);
  Context context;
  if (call.arguments.has("--head-dim")) context.head = call.number("--head-dim");
  if (says(call.convention, "over", "present")) context.present = view(all_present.data(), {std::ssize(all_present)});
  Tensor answer = call.allocated(read_dtype(call.arguments), {call.number("--heads"), queries.positions.count_, count},
                                 {"head", "query", "key"});
  bias(call.convention, queries.positions, keys.positions, answer.view(),
       {.executor = call.executor, .context = context});
  return answer;
}

Tensor classes(const Call& call) {
  require_given(call.arguments, missing(call.arguments, {"--queries", "--keys"}));
  const ParsedPositions queries = call.positions("--queries"), keys = call.positions("--keys");
  Tensor answer = call.allocated(call.whole(), {queries.positions.count_, keys.positions.count_}, {"query", "key"});
  buckets(call.convention, queries.positions, keys.positions, answer.view(), {.executor = call.executor});
  return answer;
}

// "7x7", or that of a role.
GridSize window_of(const Call& call) {
  if (const auto& cells = call.choice.cells; !cells.empty() && !call.arguments.has("--window")) {
    return {cells[0], cells[1]};
  }
  const std::string text = call.arguments.get("--window");
  const std::size_t cross = std::min(text.find_first_of("xX"), text.size());
  if (cross == text.size()) refuse(call.arguments.operation, "--window must be HxW, as 7x7", quote(text));
  const auto side = [&](std::string_view digits) {
    return parse_integer(call.arguments.operation, fmt::format("each side of --window {}", text), digits, 1, most_side);
  };
  return {side(text.substr(0, cross)), side(text.substr(cross + 1))};
}

Tensor windows(const Call& call) {
  const GridSize window = window_of(call);
  const std::int64_t places = window_places(call.convention, window);
  Tensor answer = call.allocated(call.whole(), {places, places}, {"query", "key"});
  window_buckets(call.convention, window, answer.view(), {.executor = call.executor});
  return answer;
}

Tensor coordinates(const Call& call) {
  const GridSize window = window_of(call);
  Tensor answer = call.allocated(
      read_dtype(call.arguments), {2 * window.height - 1, 2 * window.width - 1, 2},
      {fmt::format("dy + {}", window.height - 1), fmt::format("dx + {}", window.width - 1), "coordinate"});
  log_coordinates(call.convention, answer.view());
  return answer;
}

Tensor factors(const Call& call) {
  const Places places = read_places(call.arguments, "--positions", call.convention);
  Tensor answer = call.allocated(read_dtype(call.arguments), {places.count()}, {places.axis()});
  query_scale(call.convention, places.lists[0], answer.view(), {.executor = call.executor});
  return answer;
}

// One table gives a row for each place, a table of each axis one of each.
Tensor stored_rows(const Call& call) {
  const Places places = read_places(call.arguments, "--positions", call.convention, Sequences::one,
                                    numbering_of(call.arguments, call.choice.numbered));
  const std::int64_t count = places.count(), tables = std::ssize(places.axes);
  const bool each_axis =
      tables > 1 && (says(call.convention, "combine", "sum") || says(call.convention, "combine", "concatenate"));
  Tensor rows = each_axis ? call.allocated(call.whole(), {count, tables}, {places.axis(), "axis"})
                          : call.allocated(call.whole(), {count}, {places.axis()});
  learned_rows(call.convention, places.lists, rows.view());
  return rows;
}

}  // namespace

void check_read(const Arguments& arguments, const Choice& choice) {
  const auto read = std::ranges::find_if(
      reads, [&](const Read& each) { return !check_use(arguments.operation, each.use, choice.convention); });
  if (read == std::end(reads)) return;
  for (const Read& other : reads) {
    for (const std::string_view option : other.options) {
      if (!arguments.has(option) || std::ranges::find(read->options, option) != read->options.end()) continue;
      refuse(arguments.operation,
             fmt::format("{} must not be given for {}, which are of {}", option, read->what,
                         fmt::join(read->options, ", ")),
             quote(arguments.get(option)));
    }
  }
}

std::vector<std::string> notes_of_head(const Arguments& arguments, const Choice& choice) {
  if (!arguments.has("--head-dim") || depends_on_head(choice.convention)) return {};
  return {note_of_unread(arguments, "--head-dim", choice.name)};
}

Tensor attention_numbers(const Arguments& arguments, const Choice& choice, const Executor& executor) {
  const Call call = {arguments, choice, executor};
  if (call.gives(ConventionUse::classes)) return classes(call);
  if (call.gives(ConventionUse::windows)) return windows(call);
  if (call.gives(ConventionUse::log_coordinates)) return coordinates(call);
  if (call.gives(ConventionUse::query_scales)) return factors(call);
  if (call.gives(ConventionUse::stored_rows)) return stored_rows(call);
  require_use(arguments.operation, choice, ConventionUse::slopes);
  return scores(call);
}

}  // namespace posenc::tool
