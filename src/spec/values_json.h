// SPDX-License-Identifier: Apache-2.0
// Numbers, flags and lists as JSON.
#pragma once

#include <cmath>

#include "src/spec/json_object.h"

namespace posenc::io {

inline std::string real_json(double value) { return std::isfinite(value) ? json_real(value) : "null"; }
inline std::string real_json(const std::optional<double>& value) { return value ? real_json(*value) : "null"; }
inline std::string flag_json(bool value) { return value ? "true" : "false"; }

template <class Range>
std::string wholes_json(const Range& values) {
  return json_list(values, [](std::int64_t value) { return std::to_string(value); });
}
template <class Range>
std::string reals_json(const Range& values) {
  return json_list(values, [](double value) { return real_json(value); });
}
inline std::string texts_json(const std::vector<std::string>& texts) {
  return json_list(texts, [](const std::string& text) { return json_string(text); });
}

}  // namespace posenc::io
