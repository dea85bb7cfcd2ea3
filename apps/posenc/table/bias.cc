// SPDX-License-Identifier: Apache-2.0
// posenc bias: what attention reads of positions besides rows and rotations: biases, classes of pairs, coordinates of
// windows, factors of queries, rows of stored tables. Printed, or as a file.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/learned.h>
#include <posenc/log_coordinates.h>
#include <posenc/query_scale.h>
#include <posenc/spec.h>

#include <algorithm>
#include <numeric>

#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/positions.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/request.h"
#include "apps/posenc/cli/target.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t most_shown = std::int64_t{1} << 16;
constexpr std::int64_t most_side = 1 << 14;

// A tensor of at most three axes in memory.
struct Answer {
  DType dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes = {};

  std::int64_t count() const { return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies()); }
  View view() {
    View out = {bytes.data(), dtype, static_cast<int>(shape.size()), {}, {}};
    std::int64_t stride = 1;
    for (std::size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) {
      out.shape[axis] = shape[axis];
      out.strides[axis] = stride;
    }
    return out;
  }
};

// ---- what each kind of convention asks for ---------------------------------------------------------------------

struct Call {
  const Arguments& arguments;
  const Convention& convention;
  const Executor& executor;

  bool gives(Use use) const { return !check_use(arguments.operation, use, convention); }
  ParsedPositions positions(std::string_view option) const {
    return parse_positions(arguments.operation, arguments.get(option));
  }
  std::int64_t number(std::string_view option) const {
    return parse_integer(arguments.operation, option, arguments.get(option), 1);
  }
  DType whole() const {
    if (!arguments.has("--dtype")) return DType::i64;
    refuse(arguments.operation, "--dtype must not be given for whole numbers, which are i64",
           quote(arguments.get("--dtype")));
  }
  Answer allocated(DType dtype, std::vector<std::int64_t> shape) const {
    std::int64_t rows = 1;
    for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) rows = product(rows, shape[axis]).value_or(INT64_MAX);
    const std::int64_t bytes = bytes_of(arguments.operation, rows, shape.back(), dtype);
    check_memory(arguments.operation, bytes);
    Answer answer = {dtype, std::move(shape)};
    answer.bytes.resize(static_cast<std::size_t>(bytes));
    return answer;
  }
};

Answer scores(const Call& call) {
  const ParsedPositions queries = call.positions("--queries"), keys = call.positions("--keys");
  const std::int64_t count = keys.positions.count_;
  const std::vector<std::int32_t> all_present(static_cast<std::size_t>(std::min(count, most_side * most_side)), 1);
  BiasContext context;
  if (call.arguments.has("--head-dim")) context.head = call.number("--head-dim");
  const bool counts = std::ranges::any_of(fields_of(call.convention), [](const FieldText& field) {
    return field.name == "over" && field.value == "present";
  });
  if (counts) context.present = view(all_present.data(), {std::ssize(all_present)});
  Answer answer = call.allocated(read_dtype(call.arguments), {call.number("--heads"), queries.positions.count_, count});
  bias(call.convention, queries.positions, keys.positions, context, answer.view(), call.executor);
  return answer;
}

Answer classes(const Call& call) {
  const ParsedPositions queries = call.positions("--queries"), keys = call.positions("--keys");
  Answer answer = call.allocated(call.whole(), {queries.positions.count_, keys.positions.count_});
  buckets(call.convention, queries.positions, keys.positions, answer.view(), call.executor);
  return answer;
}

// "7x7"
Window window_of(const Call& call) {
  const std::string text = call.arguments.get("--window");
  const std::size_t cross = std::min(text.find('x'), text.size());
  const auto side = [&](std::string_view digits) {
    return parse_integer(call.arguments.operation, "each of --window, HxW,", digits, 1, most_side);
  };
  return {side(text.substr(0, cross)), side(text.substr(std::min(cross + 1, text.size())))};
}

Answer windows(const Call& call) {
  const Window window = window_of(call);
  const std::int64_t places = window_places(call.convention, window);
  Answer answer = call.allocated(call.whole(), {places, places});
  window_buckets(call.convention, window, answer.view(), call.executor);
  return answer;
}

Answer coordinates(const Call& call) {
  const Window window = window_of(call);
  Answer answer = call.allocated(read_dtype(call.arguments), {2 * window.height - 1, 2 * window.width - 1, 2});
  log_coordinates(call.convention, answer.view());
  return answer;
}

Answer factors(const Call& call) {
  const ParsedPositions positions = call.positions("--positions");
  Answer answer = call.allocated(read_dtype(call.arguments), {positions.positions.count_});
  query_scale(call.convention, positions.positions, answer.view(), call.executor);
  return answer;
}

Answer stored_rows(const Call& call) {
  const ParsedPositions positions = call.positions("--positions");
  Answer answer = call.allocated(call.whole(), {positions.positions.count_});
  learned_rows(call.convention, positions.positions, answer.view());
  return answer;
}

Answer answer_of(const Call& call, const Choice& choice) {
  if (call.gives(Use::classes)) return classes(call);
  if (call.gives(Use::windows)) return windows(call);
  if (call.gives(Use::log_coordinates)) return coordinates(call);
  if (call.gives(Use::query_scales)) return factors(call);
  if (call.gives(Use::stored_rows)) return stored_rows(call);
  require_use(call.arguments.operation, choice, Use::slopes, "posenc table and posenc grid make rows");
  return scores(call);
}

// ---- what is said of it ----------------------------------------------------------------------------------------

std::vector<std::string> numbers_of(Answer& answer) {
  std::vector<std::string> texts;
  const auto add = [&]<class T>(T) {
    const T* values = reinterpret_cast<const T*>(answer.bytes.data());
    for (std::int64_t i = 0; i < answer.count(); ++i) {
      if constexpr (sizeof(T) == 2) {
        texts.push_back(fmt::format("{}", static_cast<float>(values[i])));
      } else {
        texts.push_back(fmt::format("{}", values[i]));
      }
    }
  };
  if (answer.dtype == DType::i64) {
    add(std::int64_t{});
  } else if (answer.dtype == DType::f64) {
    add(double{});
  } else if (answer.dtype == DType::f16) {
    add(half{});
  } else if (answer.dtype == DType::bf16) {
    add(bfloat16{});
  } else {
    add(float{});
  }
  return texts;
}

// A line a row, and an empty one between matrices.
std::string printed(Answer& answer) {
  const std::vector<std::string> numbers = numbers_of(answer);
  const std::size_t columns = static_cast<std::size_t>(answer.shape.back());
  const std::size_t rows = answer.shape.size() < 3 ? numbers.size() : static_cast<std::size_t>(answer.shape[1]);
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool begins = i % columns == 0;
    if (begins && i > 0) text += i / columns % rows == 0 ? "\n\n" : "\n";
    text += (begins ? "" : " ") + numbers[i];
  }
  return text + "\n";
}

Json values_of(Answer& answer) {
  Json values = Json::array();
  for (const std::string& number : numbers_of(answer)) {
    values.push_back(Json::accept(number) ? Json::parse(number) : Json(number));  // -inf is text
  }
  return values;
}

Said answer_bias(const Arguments& arguments) {
  check_targets(arguments);
  const Choice choice = read_choice(arguments);
  if (!choice.recipe.exact()) refuse(arguments.operation, "the recipe must be exact", choice.recipe.name);
  const Targets targets = read_targets(arguments);
  Threads threads(read_threads(arguments));
  Answer answer = answer_of({arguments, choice.convention, threads.executor()}, choice);
  if (targets.out) {
    check_type(arguments.operation, *targets.out, answer.dtype);
    TensorTarget target(arguments.operation, *targets.out, {"bias", answer.dtype, answer.shape}, {}, targets.writing);
    target.write(answer.view());
    commit({}, &target.finish());
  } else if (answer.count() > most_shown) {
    refuse(arguments.operation, "--out must be given for more than 65536 numbers", fmt::format("{}", answer.count()));
  }
  if (arguments.has("--json")) {
    return {one_line({{"operation", arguments.operation},
                      {"name", choice.name},
                      {"convention", Json::parse(io::to_json(choice.convention))},
                      {"dtype", to_string(answer.dtype)},
                      {"shape", answer.shape},
                      {"values", targets.out ? Json(nullptr) : values_of(answer)},
                      {"out", or_null(targets.out)}})};
  }
  if (!targets.out) return {printed(answer)};
  return {"",
          {fmt::format("{}: {} [{}], {}", *targets.out, to_string(answer.dtype), fmt::join(answer.shape, ", "),
                       choice.name)}};
}

constexpr Option bias_options[] = {
    preset_option,
    spec_option,
    set_option,
    {"--queries", "A:B[:S]|LIST|FILE.npy", "positions of queries, of biases and classes of distances"},
    {"--keys", "A:B[:S]|LIST|FILE.npy", "positions of keys, all present"},
    {"--heads", "H", "heads, of biases"},
    {"--head-dim", "D", "columns of a head, of biases that depend on them"},
    {"--window", "HxW", "a window of cells, of its classes and coordinates"},
    {"--positions", "A:B[:S]|LIST|FILE.npy", "positions, of factors of queries and of stored rows"},
    dtype_option,
    out_option,
    threads_option,
    no_sync_option};

}  // namespace

constinit const Verb bias_verb = {"bias",
                                  "biases, classes and factors of attention",
                                  "",
                                  "",
                                  "posenc bias --preset t5-bucket --queries 0:4 --keys 0:4",
                                  Operands::none,
                                  bias_options,
                                  answer_bias};

}  // namespace posenc::tool
