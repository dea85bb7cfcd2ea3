// SPDX-License-Identifier: Apache-2.0
// How the tool refuses a request.
#pragma once

#include <posenc/core.h>

namespace posenc::tool {

/// Throws "[operation] rule, got value" for an input that breaks the rule.
[[noreturn]] inline void refuse(std::string_view operation, std::string rule, std::string value) {
  throw Error({std::string(operation), std::move(rule), std::move(value)});
}

}  // namespace posenc::tool
