// SPDX-License-Identifier: Apache-2.0
// A preset as JSON.
#include <posenc/spec/spec.h>

#include "src/base/environment.h"
#include "src/spec/json_object.h"
#include "src/spec/places_json.h"

namespace posenc::io {
namespace {

std::string word_json(const auto& word) { return json_string(to_string(word)); }

std::string steps_json(const Steps& steps) {
  // A structured binding of another number of names does not compile: a step that is added is written here as well.
  const auto& [ladder, constant, frequency, scaling, unit_at, angle, scale_at, sums, argument, decay, sine, storage] =
      steps;
  JsonObject object;
  object.add("ladder", word_json(ladder)).add("constant", word_json(constant)).add("frequency", word_json(frequency));
  object.add("scaling", word_json(scaling)).add("unit_at", word_json(unit_at)).add("angle", word_json(angle));
  object.add("scale_at", word_json(scale_at)).add("sums", word_json(sums)).add("argument", word_json(argument));
  object.add("decay", word_json(decay)).add("sine", word_json(sine));
  object.add("storage", json_list(storage, [](DType type) { return word_json(type); }));
  return object.text();
}

std::string recipe_json(const Recipe& recipe) {
  JsonObject object;
  object.add("name", json_string(recipe.name)).add("steps", recipe.steps ? steps_json(*recipe.steps) : "null");
  return object.text();
}

std::string document_of(const Preset& preset) {
  const StageDefaults& stage = preset.stage;
  JsonObject object;
  object.add("name", json_string(preset.name)).add("family", json_string(family(preset.convention)));
  object.add("convention", to_json(preset.convention)).add("original", recipe_json(preset.original));
  object.add("scale", scale_json(stage.scale)).add("dropout", number_text(stage.dropout));
  object.add("axes", word_json(stage.axes));
  object.add("max_len", stage.max_len ? std::to_string(*stage.max_len) : "null");
  object.add("places", preset.places ? places_json(*preset.places) : "null");
  object.add("source", json_string(preset.source)).add("note", json_string(preset.note));
  object.add("aliases", json_list(preset.aliases, [](std::string_view alias) { return json_string(alias); }));
  object.add("stated", json_list(preset.stated, [](std::string_view path) { return json_string(path); }));
  return object.text();
}

}  // namespace
}  // namespace posenc::io

std::string posenc::to_json(const Preset& preset) {
  const DefaultEnvironment environment;
  return io::document_of(preset);
}
