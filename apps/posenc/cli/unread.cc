// SPDX-License-Identifier: Apache-2.0
// A call refuses a convention that depends on what is not stated: so an option is read where the call refuses without
// it.
#include "apps/posenc/cli/unread.h"

#include <fmt/format.h>

#include "apps/posenc/cli/request.h"

namespace posenc::tool {
namespace {

std::vector<std::string> notes_of_context(const Arguments& arguments, std::string_view name, const Context& context,
                                          const ContextCheck& check) {
  std::vector<std::string> notes;
  const auto ask = [&](std::string_view option, const auto& leave_out) {
    if (!arguments.has(option)) return;
    Context without = context;
    leave_out(without);
    if (!check(without)) notes.push_back(note_of_unread(arguments, option, name));
  };
  ask("--length", [](Context& without) { without.length = 0; });
  ask("--centre", [](Context& without) { without.centre.reset(); });
  ask("--side", [](Context& without) { without.centre.reset(); });
  ask("--learned", [](Context& without) { without.learned.reset(); });
  return notes;
}

void require_context(const Arguments& arguments, std::optional<Problem> problem) {
  if (!problem) return;
  for (const Verb* verb : verbs()) {
    if (verb->name != arguments.operation) continue;
    for (const std::string& option : option_names(*verb)) {
      if (problem->rule.starts_with(option.substr(2) + " must be stated")) problem->rule = "--" + problem->rule;
    }
  }
  require(std::move(problem));
}

}  // namespace

std::string note_of_unread(const Arguments& arguments, std::string_view option, std::string_view name) {
  return fmt::format("{} {} has no effect: nothing of {} depends on it", option, arguments.get(option), name);
}

CheckedContext read_checked_context(const Arguments& arguments, std::string_view name, const ContextCheck& check) {
  const Context context = read_context(arguments);
  require_context(arguments, check(context));
  return {context, notes_of_context(arguments, name, context, check)};
}

}  // namespace posenc::tool
