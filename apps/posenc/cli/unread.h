// SPDX-License-Identifier: Apache-2.0
// Options that a verb reads and that decide nothing of what a call asks for.
#pragma once

#include <posenc/context.h>

#include <functional>

#include "apps/posenc/cli/cli.h"

namespace posenc::tool {

/// What a convention refuses a context for.
using ContextCheck = std::function<std::optional<Problem>(const Context&)>;

/// "--length 10 has no effect: nothing of llama depends on it".
std::string note_of_unread(const Arguments& arguments, std::string_view option, std::string_view name);

/// --length, --centre and --learned of a call, and such a note for each of them without which the check passes too.
struct CheckedContext {
  Context context;
  std::vector<std::string> notes;
};
/// Throws the problem that the check has with them, if there is one, by the verb's option that states what is missing:
/// --learned. --side goes with --centre: what has a decay has both.
CheckedContext read_checked_context(const Arguments& arguments, std::string_view name, const ContextCheck& check);

}  // namespace posenc::tool
