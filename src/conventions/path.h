// SPDX-License-Identifier: Apache-2.0
// Where a value stands in a convention, "ladders.0.base": a chain on the stack, written out only for a message.
#pragma once

#include "src/conventions/problem.h"

namespace posenc::schema {

struct Path {
  const Path* up = nullptr;
  std::string_view step = {};             ///< empty: the value stands in its struct's place
  std::optional<std::size_t> index = {};  ///< of a list, in place of a name

  std::string text() const {
    const std::string above = up == nullptr ? "" : up->text();
    const std::string own = index ? std::to_string(*index) : std::string(step);
    return above.empty() || own.empty() ? above + own : above + "." + own;
  }
};

/// The problem that the value at a path breaks a rule.
inline Problem broken(const Path& at, std::string_view rule, std::string value) {
  return posenc::broken(at.text() + " must be " + std::string(rule), std::move(value));
}

}  // namespace posenc::schema
