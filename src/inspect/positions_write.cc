// SPDX-License-Identifier: Apache-2.0
// Model positions as JSON, on one line.
#include <posenc/spec/inspect.h>
#include <posenc/spec/spec.h>

#include <algorithm>

#include "src/base/environment.h"
#include "src/base/json_write.h"
#include "src/spec/json_object.h"
#include "src/spec/places_json.h"
#include "src/spec/write_fields.h"

namespace posenc {
namespace {

using io::json_list;
using io::JsonObject;
using io::number_text;
using io::scale_json;

std::string whole_list(const std::vector<std::int64_t>& list) {
  return json_list(list, [](std::int64_t number) { return std::to_string(number); });
}

std::string text_or_null(const std::string& text) { return text.empty() ? "null" : json_string(text); }

std::string numbering_json(const Numbering& numbering) {
  JsonObject object;
  object.add("first", std::to_string(numbering.first));
  object.add("absent", std::to_string(numbering.absent));
  return object.text();
}

std::string width_json(const PositionRole& role) {
  JsonObject object;
  const auto add = [&](std::string_view key, const std::optional<std::int64_t>& count) {
    if (count) object.add(key, std::to_string(*count));
  };
  add("head", role.head);
  add("rotated", role.rotated);
  add("heads", role.heads);
  add("columns", role.width);
  add("rows", role.rows);
  if (!role.cells.empty()) object.add("cells", whole_list(role.cells));
  return object.text();
}

std::string role_json(const PositionRole& role) {
  JsonObject object, frequencies;
  for (const LengthFrequencies& each : role.frequencies) {
    frequencies.add(each.lengths, json_list(each.values, number_text));
  }
  object.add("preset", text_or_null(role.preset));
  object.add("convention", role.convention ? to_json(*role.convention) : "null");
  object.add("scale", role.scale ? scale_json(*role.scale) : "null");
  object.add("numbering", role.numbering ? numbering_json(*role.numbering) : "null");
  object.add("places", role.places ? io::places_json(*role.places) : "null");
  object.add("width", width_json(role));
  object.add("frequencies", frequencies.empty() ? "null" : frequencies.text());
  object.add("magnitude", role.magnitude ? number_text(*role.magnitude) : "null");
  return object.text();
}

std::string layers_json(const ModelPart& part) {
  JsonObject object;
  object.add("count", part.layers ? std::to_string(*part.layers) : "null");
  for (const PositionRole& role : part.roles) {
    if (role.layers.empty()) continue;
    const bool all = part.layers && static_cast<std::int64_t>(role.layers.size()) == *part.layers;
    object.add(role.name, all ? "\"all\"" : whole_list(role.layers));
  }
  object.add("without", whole_list(part.without));
  return object.text();
}

std::string missing_json(const MissingPositions& missing) {
  JsonObject object;
  object.add("name", json_string(missing.name));
  object.add("why", json_string(missing.why));
  return object.text();
}

void add_part(JsonObject& object, const ModelPart& part) {
  JsonObject roles;
  for (const PositionRole& role : part.roles) roles.add(role.name, role_json(role));
  object.add("roles", roles.text());
  object.add("layers", layers_json(part));
  object.add("softmax_factor", number_text(part.softmax_factor));
}

}  // namespace

std::string to_json(const ModelPositions& positions) {
  const DefaultEnvironment environment;
  JsonObject object, context, parts, from;
  context.add("length", positions.length ? std::to_string(*positions.length) : "null");
  context.add("regimes", whole_list(positions.regimes));
  object.add("posenc_model_positions", "1");
  object.add("source", json_string(positions.source));
  object.add("model_type", json_string(positions.model_type));
  object.add("context", context.text());
  for (const ModelPart& part : positions.parts) {
    if (part.name.empty()) {
      add_part(object, part);
    } else {
      JsonObject own;
      own.add("model_type", json_string(part.model_type));
      add_part(own, part);
      parts.add(part.name, own.text());
    }
  }
  if (!parts.empty()) object.add("parts", parts.text());
  for (const NumberSource& each : positions.from) from.add(each.number, json_string(each.key));
  object.add("from", from.text());
  object.add("missing", json_list(positions.missing, missing_json));
  object.add("unread", json_list(positions.unread, json_string));
  object.add("notes", json_list(positions.notes, json_string));
  return object.text();
}

}  // namespace posenc
