// SPDX-License-Identifier: Apache-2.0
// Problems as the rules of conventions name them.
#pragma once

#include <posenc/core.h>

namespace posenc {

/// The problem that a convention breaks a rule.
inline Problem broken(std::string rule, std::string value) { return {"convention", std::move(rule), std::move(value)}; }

}  // namespace posenc
