// SPDX-License-Identifier: Apache-2.0
// The tables of docs/conventions.md: presets, recipes and fields, from the rows and the field tables.
#include <posenc/preset.h>
#include <posenc/spec/spec.h>

#include <set>

#include "src/base/environment.h"
#include "src/base/to_text.h"
#include "src/conventions/short_fields.h"

namespace posenc::io {
namespace {

// A cell: a bar would end it.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

std::string line(std::initializer_list<std::string> cells) {
  std::string text = "|";
  for (const std::string& each : cells) text += " " + each + " |";
  return text + "\n";
}

std::string table(std::initializer_list<std::string> names) {
  std::string rule = "|";
  for (std::size_t i = 0; i < names.size(); ++i) rule += " --- |";
  return line(names) + rule + "\n";
}

std::string sentence(std::string_view text) {
  std::string out = cell(text) + ".";
  const bool is_word = out.size() > 1 && out[0] >= 'a' && out[0] <= 'z' && out[1] >= 'a' && out[1] <= 'z';
  if (is_word) out[0] = static_cast<char>(out[0] - 'a' + 'A');  // not w_k
  return out;
}

std::string code(std::string_view text) { return "`" + std::string(text) + "`"; }

// ---- presets and recipes ---------------------------------------------------------------------------------------

std::string scale_text(const Scale& scale) {
  if (scale.kind == Scale::Kind::none) return "none";
  return scale.kind == Scale::Kind::sqrt_dim ? "sqrt d" : to_text(scale.number);
}

// What the original does around its signal; nothing where it does nothing.
std::string stage_text(const StageDefaults& stage) {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    text += (text.empty() ? "" : ", ") + std::string(name) + " " + value;
  };
  if (stage.scale.kind != Scale::Kind::none) add("scale", scale_text(stage.scale));
  if (stage.dropout != 0) add("dropout", to_text(stage.dropout));
  if (stage.axes != Axes::batch_first) add("axes", std::string(to_string(stage.axes)));
  if (stage.max_len) add("max_len", std::to_string(*stage.max_len));
  return text;
}

std::string entry_text(const Preset& preset) {
  std::string text = "### " + std::string(preset.name) + "\n\n";
  const auto item = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += "- " + std::string(name) + ": " + value + "\n";
  };
  item("also", listed(preset.aliases, code));
  item("convention", to_string(preset.convention));
  const std::string layout = layout_line(preset.convention);
  item("layout", layout.empty() ? "" : "width " + code(layout));
  item("places", preset.places ? to_string(*preset.places) : "");
  item("original recipe", code(preset.original.name));
  item("around it", stage_text(preset.stage));
  item("source", std::string(preset.source));
  item("note", std::string(preset.note));
  item("a model states its own", listed(preset.stated, code));
  return text + "\n";
}

constexpr std::string_view about_layouts =
    "Layouts: s0 is the sine of frequency 0, c0 its cosine, sx0 that of axis x, x the coordinate itself; (0,4):w0 is a "
    "pair of columns of a head that turns by frequency 0, -> where it is written.\n\n";

std::string presets_text() {
  std::string text = "## Presets\n\n" + std::string(about_layouts);
  for (const Preset& each : presets()) text += entry_text(each);
  return text;
}

std::string without_preset_text() {
  std::string text = "## Names without a row\n\n" + table({"name", "why"});
  for (const WithoutPreset& each : names_without_preset()) {
    std::string names;
    for (const std::string_view name : each.names) names += (names.empty() ? "" : ", ") + code(name);
    text += line({names, cell(each.reason)});
  }
  return text;
}

std::string recipes_text() {
  std::string text = "## Recipes\n\n" + table({"name", "roundings"});
  for (const Recipe& each : recipes()) {
    text += line({code(each.name), cell(to_string(each).substr(each.name.size() + 2))});
  }
  return text;
}

// ---- fields ------------------------------------------------------------------------------------------------------

// Tables of structs and words, each once, in the order in which fields name them.
class Fields {
 public:
  explicit Fields(std::set<std::string>& seen) : seen_(&seen) {}

  template <class S, int version>
  void add_struct(std::string_view heading) {
    std::string text = sentence(schema::of<S, version>.doc) + "\n\n" + table({"field", "allowed", "meaning"});
    schema::for_fields<S, version>([&]<class T>(const schema::Field<S, T>& field) {
      text += line({code(field.name), cell(allowed<T, version>(field.rule)), cell(field.doc)});
    });
    if (!seen_->insert(text).second) return;
    text_ += "### " + std::string(heading) + "\n\n" + text + "\n";
    schema::for_fields<S, version>(
        [&]<class T>(const schema::Field<S, T>& field) { add_type<T, version>(field.name); });
  }
  std::string take() { return std::move(text_); }

 private:
  template <class T, int version>
  std::string allowed(const schema::RuleOf<T>& rule) {
    if constexpr (schema::Worded<T, version>) {
      return listed(schema::words_of<T>(version), code);
    } else if constexpr (schema::is_leaf<T>) {
      return std::string(schema::leaf_name<T>) + (std::is_same_v<T, std::string> ? ": " : ", ") +
             std::string(rule.text);
    } else if constexpr (schema::is_list<T>) {
      return "a list; each " + allowed<typename T::value_type, version>(rule);
    } else if constexpr (schema::is_kinds<T>) {
      std::string text;
      schema::for_kinds<T, version>([&]<class K>(schema::Tag<K>) {
        text += (text.empty() ? "" : ", or ");
        if constexpr (schema::is_leaf<K> || schema::is_list<K>) {
          text += allowed<K, version>(rule);
        } else if constexpr (schema::Worded<K, version>) {
          text += allowed<K, version>({});
        } else {
          text += code(schema::of<K, version>.name);
        }
      });
      return text;
    } else {
      return "see below";
    }
  }

  template <class T, int version>
  void add_type(std::string_view name) {
    if constexpr (schema::Worded<T, version>) {
      add_words<T, version>(name);
    } else if constexpr (schema::is_list<T>) {
      add_type<typename T::value_type, version>(name);
    } else if constexpr (schema::is_kinds<T>) {
      schema::for_kinds<T, version>([&]<class K>(schema::Tag<K>) {
        if constexpr (schema::Bare<K, version>) return;
        if constexpr (schema::Stated<K, version>) {
          add_struct<K, version>(std::string(name) + ": " + std::string(schema::of<K, version>.name));
        } else if constexpr (schema::Worded<K, version>) {
          add_words<K, version>(name);
        }
      });
    } else if constexpr (schema::Stated<T, version>) {
      add_struct<T, version>(name);
    }
  }

  template <class E, int version>
  void add_words(std::string_view name) {
    std::string rows;
    for (const auto& each : schema::words<E>.all) {
      if (each.since <= version) rows += line({code(each.word), cell(each.doc)});
    }
    if (seen_->insert(rows).second)
      text_ += "#### `" + std::string(name) + "`\n\n" + table({"word", "meaning"}) + rows + "\n";
  }

  std::set<std::string>* seen_;
  std::string text_ = {};
};

template <int version, class Families>
std::string families_text(std::string_view heading, std::set<std::string>& seen) {
  Fields fields(seen);
  schema::for_kinds<Families, version>(
      [&]<class S>(schema::Tag<S>) { fields.add_struct<S, version>(schema::of<S, version>.name); });
  return "## " + std::string(heading) + "\n\n" + fields.take();
}

}  // namespace

std::string conventions_page() {
  const DefaultEnvironment environment;
  std::set<std::string> seen;
  const std::string first = families_text<1, ShortForm>("Short forms: version 1", seen);
  const std::string second = families_text<2, Convention>("Families: version 2", seen);
  return presets_text() + without_preset_text() + "\n" + recipes_text() + "\n" + first + second;
}

}  // namespace posenc::io
