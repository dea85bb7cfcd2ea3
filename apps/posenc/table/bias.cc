// SPDX-License-Identifier: Apache-2.0
// posenc bias: what attention reads of positions besides rows and rotations, printed, as a file or as a picture.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/operation.h>

#include <ranges>

#include "apps/posenc/cli/about.h"
#include "apps/posenc/cli/excerpt.h"
#include "apps/posenc/cli/notes.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/places.h"
#include "apps/posenc/cli/positions.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/taken.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/table/answer.h"
#include "apps/posenc/table/axis_names.h"
#include "apps/posenc/table/convention_numbers.h"
#include "apps/posenc/table/pair_picture.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t most_shown = std::int64_t{1} << 16;

// A line a row, and an empty one between matrices.
std::string printed(const Tensor& tensor) {
  const std::vector<std::string> numbers = texts(tensor);
  const std::size_t columns = static_cast<std::size_t>(tensor.shape.back());
  const std::size_t rows = tensor.shape.size() < 3 ? numbers.size() : static_cast<std::size_t>(tensor.shape[1]);
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool begins = i % columns == 0;
    if (begins && i > 0) text += i / columns % rows == 0 ? "\n\n" : "\n";
    text += (begins ? "" : " ") + numbers[i];
  }
  return text + "\n";
}

// Rows by the positions that they are of.
Excerpt by_positions(const Arguments& arguments, const Choice& choice, Tensor& tensor) {
  Excerpt excerpt = excerpt_of(fmt::format("{}, {}", words(tensor), choice.name), tensor.view());
  const std::size_t leading = tensor.shape.size() - 1;
  excerpt.row_axis = fmt::format("{}", fmt::join(tensor.axes | std::views::take(leading), ", "));
  excerpt.row_name = [&tensor, leading, names = AxisNames(arguments, choice.convention)](std::int64_t row) {
    const std::vector<std::int64_t> at = index_of(tensor, row * tensor.shape.back());
    std::vector<std::string> each;
    for (std::size_t axis = 0; axis < leading; ++axis) each.push_back(names.of(tensor.axes[axis], at[axis]));
    return fmt::format("{}", fmt::join(each, ", "));
  };
  return excerpt;
}

Json values_of(const Tensor& tensor) {
  std::vector<Json> values;
  for (const std::string& number : texts(tensor)) values.push_back(json_number(number));  // -inf is text
  return values;
}

// A number alone is one position, not so many of them.
std::vector<std::string> notes_of_numbers(const Arguments& arguments) {
  std::vector<std::string> notes;
  for (const std::string_view option : {"--queries", "--keys"}) {
    const std::optional<std::string> words = arguments.find(option);
    if (!words || number_form(*words) != NumberForm::integer || *words == "0" || words->starts_with('-')) continue;
    notes.push_back(fmt::format("{0} {1} is one position; 0:{1} are the first {1}", option, *words));
  }
  return notes;
}

// A terminal shows an excerpt; elsewhere all numbers are printed, of positions that the call states.
Completed completed_call(const Arguments& arguments, const Choice& choice) {
  const OperationReads reads = operation_of(choice.convention).reads;
  if (!on_terminal() || reads == OperationReads::window) return {arguments};
  return reads == OperationReads::pairs ? with_queries_and_keys(arguments)
                                        : with_positions(arguments, choice, "--positions");
}

Said answer_bias(const Arguments& stated) {
  check_targets(stated);
  const Choice choice = read_choice_for(stated, std::nullopt, {});
  const Completed completed = completed_call(stated, choice);
  const Arguments& arguments = completed.arguments;
  check_read(arguments, choice);
  const Targets targets = read_targets(arguments);
  Threads threads(read_threads(arguments));
  Tensor tensor = convention_numbers(arguments, choice, threads.executor());
  tensor.name = arguments.operation;
  if (targets.out) check_out(arguments.operation, *targets.out, tensor.dtype, std::ssize(tensor.bytes));
  Files plot;
  if (targets.plot) prepare(plot, *targets.plot, pair_picture(arguments, choice, tensor), targets.writing);
  if (targets.out) {
    write_tensors(std::span(&tensor, 1), *targets.out, about(arguments, choice), plot);
  } else if (targets.plot) {
    commit(plot);
  } else if (!on_terminal() && tensor.count() > most_shown) {
    refuse(arguments.operation, "--out must be given for more than 65536 numbers", fmt::format("{}", tensor.count()));
  }
  const bool has_values = targets.none() && arguments.has("--json");
  return said_of(
      {.words = fmt::format("{}, {}", words(tensor), choice.name),
       .report = {{"dtype", to_string(tensor.dtype)},
                  {"shape", tensor.shape},
                  {"axes", tensor.axes},
                  {"values", has_values ? values_of(tensor) : Json(nullptr)}},
       .shown =
           [&] { return on_terminal() ? excerpt_lines(by_positions(arguments, choice, tensor)) : printed(tensor); },
       .notes = all_notes({completed.notes, notes_of_head(arguments, choice), notes_of_choice(arguments, choice),
                           notes_of_numbers(arguments)})},
      arguments, choice, targets);
}

constexpr auto bias_options = joined(
    convention_options,
    {queries_option,
     keys_option,
     {"--heads", "H", "heads, of biases"},
     {"--head-dim", "D", "columns of a head, of biases that depend on them"},
     {"--window", "HxW", "a window of cells, of its classes and coordinates"},
     {positions_option.name, positions_option.value,
      "positions, of factors of queries and of stored rows; of several axes AXIS= once each, or a file [L, axes]",
      Takes::many}},
    place_options, out_and_plot_options);

}  // namespace

constinit const Verb bias_verb =
    preset_verb("bias", "biases, classes and factors of attention", "posenc bias t5-bucket --queries 0:4 --keys 0:4",
                bias_options, answer_bias);

}  // namespace posenc::tool
