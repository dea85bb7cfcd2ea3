// SPDX-License-Identifier: Apache-2.0
// Sizes, types, contexts and threads, from text to values.
#include "apps/posenc/cli/request.h"

#include <fmt/format.h>

#include "apps/posenc/cli/nearest.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr DType dtypes[] = {DType::f32, DType::f64, DType::f16, DType::bf16};

}  // namespace

std::vector<std::string> dtype_choices(const Arguments&) {
  std::vector<std::string> names;
  for (const DType type : dtypes) names.emplace_back(to_string(type));
  return names;
}

std::int64_t read_dim(const Arguments& arguments, const Choice& choice) {
  if (choice.dim && !arguments.has("--dim")) return *choice.dim;
  return parse_integer(arguments.operation, "--dim", arguments.get("--dim"), 1);
}

DType read_dtype(const Arguments& arguments) {
  const std::string name = arguments.find("--dtype").value_or("f32");
  for (const DType type : dtypes) {
    if (to_string(type) == name) return type;
  }
  const std::vector<std::string> types = dtype_choices(arguments);
  refuse(arguments.operation, fmt::format("--dtype must be {}{}", either(types), nearest_type(name, types)),
         quote(name));
}

Context read_context(const Arguments& arguments) {
  Context context;
  const auto real = [&](std::string_view option) -> std::optional<double> {
    const std::optional<std::string> text = arguments.find(option);
    return text ? std::optional(parse_real(arguments.operation, option, *text)) : std::nullopt;
  };
  if (const auto length = arguments.find("--length")) {
    context.length = parse_integer(arguments.operation, "--length", *length, 1);
  }
  context.centre = real("--centre");
  context.learned = real("--learned");
  return context;
}

int read_threads(const Arguments& arguments) {
  const std::optional<std::string> threads = arguments.find("--threads");
  if (!threads) return cpus();
  return static_cast<int>(parse_integer(arguments.operation, "--threads", *threads, 1, most_threads));
}

}  // namespace posenc::tool
