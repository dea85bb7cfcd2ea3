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
/// Such a note for each of --length, --centre and --learned without which the check, which `context` passes, does so
/// too. --side goes with --centre: what has a decay has both.
std::vector<std::string> notes_of_context(const Arguments& arguments, std::string_view name, const Context& context,
                                          const ContextCheck& check);

/// Throws the problem of a context, if there is one, by the verb's option that states what is missing: --learned.
void require_context(const Arguments& arguments, std::optional<Problem> problem);

}  // namespace posenc::tool
