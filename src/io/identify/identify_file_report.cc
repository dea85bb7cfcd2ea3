// SPDX-License-Identifier: Apache-2.0
// What a file holds, for people and as JSON.
#include <posenc/io/identify_file.h>
#include <posenc/referee/referee.h>
#include <posenc/spec/spec.h>

#include <algorithm>

#include "src/base/environment.h"
#include "src/base/quote.h"
#include "src/spec/values_json.h"

namespace posenc::io {
namespace {

// ---- for people -----------------------------------------------------------------------------------------------------

std::string title(const TensorIdentification& tensor) {
  std::string sizes;
  for (const std::int64_t size : tensor.shape) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  return tensor.type + " [" + sizes + "]";
}

// A name as it is, unless it could move the text around it.
std::string shown(const std::string& name) {
  const std::string quoted = quote(name, Keep::head, 200);
  return quoted.size() == name.size() + 2 ? name : quoted;
}

std::string said_of(const TensorIdentification& tensor) {
  const std::string note = tensor.note.empty() ? "" : "(" + tensor.note + ")\n";
  return title(tensor) + "\n" + note + (tensor.found ? posenc::to_string(*tensor.found) : "");
}

// Tensors that hold the same, as the layers of a model do, are told once: "a, b, .. z (32 tensors): F32 [64]".
std::string said_of_all(const std::vector<TensorIdentification>& tensors) {
  struct Group {
    std::string said;
    std::vector<std::string> names;
  };
  std::vector<Group> groups;
  for (const TensorIdentification& tensor : tensors) {
    std::string said = said_of(tensor);
    auto group = std::ranges::find(groups, said, &Group::said);
    if (group == groups.end()) group = groups.insert(groups.end(), {std::move(said), {}});
    group->names.push_back(shown(tensor.name));
  }
  std::string text;
  for (const auto& [said, names] : groups) {
    text += text.empty() ? "" : "\n";
    if (names.size() > 3) {
      text += names[0] + ", " + names[1] + ", .. " + names.back() + " (" + std::to_string(names.size()) + " tensors): ";
    } else {
      for (std::size_t i = 0; i < names.size(); ++i) text += (i > 0 ? ", " : "") + names[i];
      text += names[0].empty() ? "" : ": ";
    }
    text += said;
  }
  return text;
}

std::string said_of(const GgufPositions& gguf) {
  std::size_t column = std::string_view("with a window").size();
  for (const GgufKey& each : gguf.keys) column = std::max(column, each.key.size());
  std::string text = "metadata" + (gguf.architecture.empty() ? "" : " of " + shown(gguf.architecture)) + "\n";
  const auto add = [&](const std::string& name, const std::string& value) {
    text += "  " + name + std::string(column + 2 - std::min(column, name.size()), ' ') + value + "\n";
  };
  for (const GgufKey& each : gguf.keys) add(shown(each.key), shown(each.value));
  if (gguf.rotation) add("rotation", gguf.preset);
  for (const std::string& difference : gguf.differences) add("but for", difference);
  if (gguf.sliding) add("with a window", to_string(*gguf.sliding));
  if (!gguf.note.empty()) add("rotation", "not told: " + gguf.note);
  for (const std::string& key : gguf.unread) add("not read", shown(key));
  return text;
}

// ---- JSON
// -------------------------------------------------------------------------------------------------------------

// A path may have bytes that are no UTF-8; each becomes U+FFFD.
std::string in_utf8(const std::string& text) {
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    made += length == 0 ? "\uFFFD" : text.substr(at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return made;
}

std::string text_or_null(const std::string& text) { return text.empty() ? "null" : json_string(text); }

std::string tensor_json(const TensorIdentification& tensor) {
  JsonObject object;
  object.add("tensor", json_string(tensor.name)).add("type", json_string(tensor.type));
  object.add("shape", wholes_json(tensor.shape)).add("note", text_or_null(tensor.note));
  if (!tensor.found) return object.text();
  std::string text = object.text();
  text.back() = ',';
  return text + " " + posenc::to_json(*tensor.found).substr(1);
}

std::string gguf_json(const GgufPositions& gguf) {
  JsonObject keys, object;
  for (const GgufKey& each : gguf.keys) keys.add(each.key, json_string(each.value));
  object.add("architecture", text_or_null(gguf.architecture)).add("keys", keys.text());
  object.add("rotation", gguf.rotation ? to_json(*gguf.rotation) : "null");
  object.add("preset", text_or_null(gguf.preset)).add("differences", texts_json(gguf.differences));
  object.add("note", text_or_null(gguf.note));
  object.add("sliding", gguf.sliding ? to_json(*gguf.sliding) : "null").add("unread", texts_json(gguf.unread));
  return object.text();
}

}  // namespace

std::string to_string(const FileIdentification& identification) {
  const DefaultEnvironment environment;
  std::string text = said_of_all(identification.tensors);
  if (identification.gguf) text += (text.empty() ? "" : "\n") + said_of(*identification.gguf);
  if (identification.config) text += (text.empty() ? "" : "\n") + posenc::to_string(*identification.config);
  return text;
}

std::string to_json(const FileIdentification& identification) {
  const DefaultEnvironment environment;
  JsonObject object;
  object.add("file", json_string(in_utf8(identification.file)));
  object.add("tensors", json_list(identification.tensors, tensor_json));
  object.add("others", std::to_string(identification.others));
  object.add("gguf", identification.gguf ? gguf_json(*identification.gguf) : "null");
  object.add("config", identification.config ? posenc::to_json(*identification.config) : "null");
  object.add("notes", texts_json(identification.notes));
  return object.text();
}

}  // namespace posenc::io
