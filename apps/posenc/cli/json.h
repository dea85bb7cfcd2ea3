// SPDX-License-Identifier: Apache-2.0
// The reports of --json: keys in the order written, one line.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "apps/posenc/cli/target.h"
#include "apps/posenc/encode/meter.h"

namespace posenc::tool {

using Json = nlohmann::ordered_json;

/// Bytes that are no UTF-8 (a path may have some) become U+FFFD.
inline std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// What the library states as an object, behind the operation and what the call was given.
inline Json report(std::string_view operation, Json given, const std::string& found) {
  Json json = {{"operation", operation}};
  json.update(given);
  json.update(Json::parse(found));
  return json;
}

inline Json or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }
inline Json or_null(const std::optional<Out>& out) { return out ? Json(out->path) : Json(nullptr); }

inline Json json_of(const Norms& norms) {
  return {{"token", norms.token}, {"scaled", norms.scaled}, {"signal", norms.signal}, {"output", norms.output}};
}

}  // namespace posenc::tool
