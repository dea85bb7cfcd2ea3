// SPDX-License-Identifier: Apache-2.0
// Roles by name, differences, and model positions for people.
#include <posenc/spec/inspect.h>
#include <posenc/spec/spec.h>

#include <algorithm>

#include "src/base/environment.h"
#include "src/base/json_write.h"
#include "src/base/quote.h"
#include "src/spec/json/json_text.h"
#include "src/spec/json/json_words.h"
#include "src/spec/write_fields.h"

namespace posenc {
namespace {

// ---- roles by name -------------------------------------------------------------------------------------------

std::string full_name(const ModelPart& part, const PositionRole& role) {
  return part.name.empty() ? role.name : part.name + "." + role.name;
}

// "rotary" is text.rotary and rotary.full_attention cut, "text" and "rot" are not.
bool is_cut(std::string_view name, std::string_view part, std::string_view role) {
  if (name == role || (role.starts_with(name) && role.size() > name.size() && role[name.size()] == '.')) return true;
  const bool has_part = !part.empty() && name.starts_with(part) && name.size() > part.size() + 1;
  return has_part && name[part.size()] == '.' && is_cut(name.substr(part.size() + 1), "", role);
}

std::vector<const PositionRole*> roles_called(const ModelPositions& positions, std::string_view name) {
  std::vector<const PositionRole*> found;
  for (const ModelPart& part : positions.parts) {
    for (const PositionRole& role : part.roles) {
      if (full_name(part, role) == name) return {&role};
      if (is_cut(name, part.name, role.name)) found.push_back(&role);
    }
  }
  return found;
}

std::string role_names(const ModelPositions& positions) {
  std::string names;
  for (const ModelPart& part : positions.parts) {
    for (const PositionRole& role : part.roles) names += (names.empty() ? "" : ", ") + full_name(part, role);
  }
  return names.empty() ? "none, as the model has no positions" : names;
}

// The missing entries that a role's name covers.
std::string missing_of(const ModelPositions& positions, std::string_view role) {
  for (const MissingPositions& each : positions.missing) {
    const bool has_role = role == each.name || (role.starts_with(each.name) && role[each.name.size()] == '.');
    if (!each.name.empty() && has_role) return ", as " + each.why;
  }
  return {};
}

// ---- differences ---------------------------------------------------------------------------------------------

std::string brief(const JsonTree* tree) {
  if (tree == nullptr) return "nothing";
  const std::string text = tree->is_number() ? io::number_text(tree->number()) : json_text(*tree);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

bool are_numbers(const JsonTree& tree) {
  return tree.is_array() && tree.size() > 8 && std::ranges::all_of(tree.items(), &JsonTree::is_number);
}

// A long list is one line: how many of it differ, and the first.
void compare_numbers(const JsonTree& a, const JsonTree& b, const std::string& at, std::vector<std::string>& found) {
  std::size_t first = a.size(), count = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    if (a.items()[i].number() == b.items()[i].number()) continue;
    first = i;
    ++count;
  }
  if (count == 0) return;
  found.push_back(at + ": " + std::to_string(count) + " of " + std::to_string(a.size()) + " numbers, number " +
                  std::to_string(first) + " is " + brief(&b.items()[first]) + ", not " + brief(&a.items()[first]));
}

void compare(const JsonTree* a, const JsonTree* b, const std::string& at, std::vector<std::string>& found) {
  if (a != nullptr && b != nullptr && a->is_object() && b->is_object()) {
    for (const auto& [key, value] : a->members()) compare(&value, b->find(key), at + io::pointer_step(key), found);
    for (const auto& [key, value] : b->members()) {
      if (!a->contains(key)) compare(nullptr, &value, at + io::pointer_step(key), found);
    }
    return;
  }
  if (a != nullptr && b != nullptr && are_numbers(*a) && are_numbers(*b) && a->size() == b->size()) {
    return compare_numbers(*a, *b, at, found);
  }
  const bool lists = a != nullptr && b != nullptr && a->is_array() && b->is_array() && a->size() == b->size();
  if (lists) {
    for (std::size_t i = 0; i < a->size(); ++i) {
      compare(&a->items()[i], &b->items()[i], at + "/" + std::to_string(i), found);
    }
    return;
  }
  const bool numbers = a != nullptr && b != nullptr && a->is_number() && b->is_number();
  const bool equal =
      numbers ? a->number() == b->number() : a != nullptr && b != nullptr && json_text(*a) == json_text(*b);
  if (!equal) found.push_back(at + ": " + brief(b) + ", not " + brief(a));
}

// ---- for people ------------------------------------------------------------------------------------------------

struct Line {
  std::string name, value, key;
};

std::string layers_text(const ModelPart& part, const std::vector<std::int64_t>& layers) {
  if (part.layers && static_cast<std::int64_t>(layers.size()) == *part.layers) return "all";
  std::string text;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    std::size_t last = i;
    while (last + 1 < layers.size() && layers[last + 1] == layers[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(layers[i]);
    if (last > i) text += (last > i + 1 ? " to " : ", ") + std::to_string(layers[last]);
    i = last;
  }
  return text.empty() ? "none" : text;
}

std::string scale_text(const Scale& scale) {
  std::string text = scale.kind == Scale::Kind::sqrt_dim ? "sqrt of the width" : io::number_text(scale.number);
  return scale.rounding ? text + ", rounded to " + std::string(to_string(*scale.rounding)) : text;
}

std::string frequencies_text(const LengthFrequencies& each) {
  const std::size_t count = each.values.size();
  std::string text = std::to_string(count) + ": ";
  for (std::size_t i = 0; i < std::min<std::size_t>(3, count); ++i) {
    text += (i > 0 ? ", " : "") + io::number_text(each.values[i]);
  }
  return count > 3 ? text + " .. " + io::number_text(each.values.back()) : text;
}

// What is plain in every model, or said by the lines of its numbers.
constexpr std::string_view unsaid[] = {"ladders", "rungs",  "sections", "order", "pairing_scope", "angles", "odd_width",
                                       "decay",   "stored", "scope",    "parts", "phases",        "rest",   "lead"};

const JsonTree* at_pointer(const JsonTree& document, std::string_view pointer) {
  const JsonTree* found = &document;
  while (found != nullptr && !pointer.empty()) {
    const std::string_view step = pointer.substr(1, pointer.find('/', 1) - 1);
    pointer.remove_prefix(1 + step.size());
    if (!found->is_array()) {
      found = found->find(step);
      continue;
    }
    std::size_t index = 0;
    for (const char c : step) index = 10 * index + static_cast<std::size_t>(c - '0');
    found = index < found->size() ? &found->items()[index] : nullptr;
  }
  return found;
}

std::string value_text(const JsonTree* tree) {
  if (tree == nullptr) return "";
  if (const JsonTree* kind = tree->find("kind"); kind != nullptr && kind->is_string()) return kind->text();
  if (tree->is_object()) return "";
  return tree->is_string() ? tree->text() : brief(tree);
}

/// What people see of positions, whose JSON is `document`.
struct Table {
  const ModelPositions& positions;
  const JsonTree document;
  std::vector<Line> lines = {};

  void add(std::string name, std::string value, std::string key = {}) {
    lines.push_back({"  " + std::move(name), std::move(value), std::move(key)});
  }

  // A line for every number that came from somewhere.
  void add_numbers(const std::string& at) {
    for (const NumberSource& each : positions.from) {
      if (!each.number.starts_with(at + "/")) continue;
      std::string name = each.number.substr(at.size() + 1);
      if (name == "scale" || name == "numbering" || name == "places") continue;
      if (const std::string_view own = "convention/"; name.starts_with(own)) name.erase(0, own.size());
      add(name, value_text(at_pointer(document, each.number)), each.key);
    }
  }

  void add_role(const ModelPart& part, const PositionRole& role) {
    const std::string at = (part.name.empty() ? "" : "/parts/" + part.name) + "/roles/" + role.name;
    lines.push_back({full_name(part, role), role.preset, ""});
    for (const FieldText& field : role.convention ? fields_of(*role.convention) : std::vector<FieldText>()) {
      const std::string number = at + "/convention/" + std::string(field.name);
      const bool told = std::ranges::find(positions.from, number, &NumberSource::number) != positions.from.end();
      const bool empty = field.value == "[]";
      if (!told && !empty && std::ranges::find(unsaid, field.name) == std::end(unsaid)) {
        add(std::string(field.name), field.value);
      }
    }
    add_numbers(at);
    for (const LengthFrequencies& each : role.frequencies) add("w, " + each.lengths, frequencies_text(each));
    if (role.magnitude) add("magnitude", io::number_text(*role.magnitude));
    if (role.scale) {
      const auto scale = std::ranges::find(positions.from, at + "/scale", &NumberSource::number);
      add("embedding times", scale_text(*role.scale), scale == positions.from.end() ? "" : scale->key);
    }
    if (role.numbering) {
      const auto key = std::ranges::find(positions.from, at + "/numbering", &NumberSource::number);
      add("numbering",
          "from " + std::to_string(role.numbering->first) + ", pads at " + std::to_string(role.numbering->absent),
          key == positions.from.end() ? "" : key->key);
    }
    if (role.places) add_places(*role.places, at);
    if (!role.layers.empty()) add("layers", layers_text(part, role.layers));
  }

  void add_places(const PlaceNumbering& places, const std::string& at) {
    const auto key = std::ranges::find(positions.from, at + "/places", &NumberSource::number);
    add("places", to_string(places), key == positions.from.end() ? "" : key->key);
  }

  void add_part(const ModelPart& part) {
    const std::string at = part.name.empty() ? "" : "/parts/" + part.name;
    if (!part.name.empty()) lines.push_back({"part " + part.name, part.model_type, ""});
    if (part.roles.empty()) add("positions", "none");
    for (const PositionRole& role : part.roles) add_role(part, role);
    for (const NumberSource& each : positions.from) {
      if (each.number != at + "/layers/count" && each.number != at + "/softmax_factor") continue;
      lines.push_back({each.number.substr(at.size() + 1), value_text(at_pointer(document, each.number)), each.key});
    }
    if (!part.without.empty()) lines.push_back({"layers without", layers_text(part, part.without), ""});
  }
};

std::string table_text(const std::vector<Line>& lines) {
  std::size_t name = 0, value = 0;
  for (const Line& line : lines) {
    name = std::max(name, line.name.size());
    value = std::max(value, std::min<std::size_t>(line.value.size(), 60));
  }
  std::string text;
  for (const Line& line : lines) {
    std::string row = line.name + std::string(name - line.name.size() + 2, ' ') + line.value;
    if (!line.key.empty()) {
      const std::size_t wanted = name + 2 + value + 2;
      row += std::string(row.size() < wanted ? wanted - row.size() : 2, ' ') + line.key;
    }
    while (row.ends_with(' ')) row.pop_back();
    text += row + "\n";
  }
  return text;
}

}  // namespace

const PositionRole* find_role(const ModelPositions& positions, std::string_view name) {
  const auto found = roles_called(positions, name);
  return found.size() == 1 ? found.front() : nullptr;
}

std::optional<Problem> check_role(const ModelPositions& positions, std::string_view name) {
  if (find_role(positions, name) != nullptr) return std::nullopt;
  return Problem{"inspect", "the role must be one of " + role_names(positions) + missing_of(positions, name),
                 quote(name)};
}

std::vector<std::string> differences(const ModelPositions& a, const ModelPositions& b) {
  const DefaultEnvironment environment;
  const auto tree = [](ModelPositions positions) {
    positions.source.clear();
    positions.from.clear();
    positions.unread.clear();
    positions.notes.clear();
    for (MissingPositions& each : positions.missing) each.why.clear();
    for (ModelPart& part : positions.parts) {
      for (PositionRole& role : part.roles) role.preset.clear();  // a name for what the convention says
    }
    return io::parse_json(to_json(positions), {"inspect"});
  };
  const JsonTree first = tree(a), second = tree(b);
  std::vector<std::string> found;
  compare(&first, &second, "", found);
  return found;
}

std::string to_string(const MissingPositions& missing) {
  return (missing.name.empty() ? "positions of the whole" : missing.name) + ": " + missing.why;
}

std::string to_string(const ModelPositions& positions) {
  const DefaultEnvironment environment;
  Table table = {positions, io::parse_json(to_json(positions), {"inspect"})};
  table.lines.push_back({"model", positions.model_type, positions.source});
  for (const ModelPart& part : positions.parts) table.add_part(part);
  std::string text = table_text(table.lines);
  for (const MissingPositions& each : positions.missing) text += "missing: " + to_string(each) + "\n";
  for (const std::string& note : positions.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace posenc
