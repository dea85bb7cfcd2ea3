// SPDX-License-Identifier: Apache-2.0
// Conventions, presets, recipes and configurations: what goes in and out as text.
#include <posenc/spec/inspect.h>
#include <posenc/spec/spec.h>
#include <posenc/version.h>

#include "bindings/c/edge.h"

using namespace posenc;

namespace {

constexpr size_t most_changes = 1 << 12;

// Of a convention that keeps its rules.
posenc_convention described(Convention value, const Preset* of = nullptr) {
  posenc_convention made = {std::move(value), {}, {}, of};
  made.axes = axes_of(made.value);
  made.cell_axes = cell_axes(made.value);
  return made;
}

posenc_convention convention_of(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '{') return described(io::convention_from_json(text));
  const Preset& named = preset(text);
  return described(named.convention, &named);
}

// Presets are views of constant text, which need not end with a 0.
std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& each : presets()) names.emplace_back(each.name);
  return names;
}

std::string_view text_or_none(const char* text) { return text == nullptr ? std::string_view() : text; }

InspectOptions inspect_options(const char* operation, const posenc_inspect_options* options) {
  if (options == nullptr) return {};
  const posenc_inspect_options from = c::sized(operation, "options", options);
  c::require_unused(operation, "options", from.reserved);
  InspectOptions own = {
      .source = text_or_none(from.source), .as = text_or_none(from.as), .part = text_or_none(from.part)};
  if (from.length != 0) own.length = from.length;
  if (from.frequencies != 0) own.frequencies = from.frequencies;
  return own;
}

}  // namespace

posenc_version posenc_get_version(void) {
  return {POSENC_ABI, POSENC_VERSION_MAJOR, POSENC_VERSION_MINOR, POSENC_VERSION_PATCH};
}

posenc_status posenc_convention_new(const char* text, size_t length, posenc_convention** out, posenc_error* error) {
  constexpr const char* operation = "posenc_convention_new";
  return c::made(operation, out, error, [&] { return convention_of(c::text(operation, "text", text, length)); });
}

posenc_status posenc_convention_with(const posenc_convention* convention, const char* const* paths,
                                     const char* const* values, size_t count, posenc_convention** out,
                                     posenc_error* error) {
  constexpr const char* operation = "posenc_convention_with";
  return c::made(operation, out, error, [&] {
    c::require_few(operation, "count", count, most_changes);
    std::vector<FieldChange> changes;
    for (size_t i = 0; i < count; ++i) {
      const char* path = &c::given(operation, "paths", (&c::given(operation, "paths", paths))[i]);
      const char* value = &c::given(operation, "values", (&c::given(operation, "values", values))[i]);
      changes.push_back({path, value});
    }
    return described(with_fields(c::given(operation, "convention", convention).value, changes));
  });
}

void posenc_convention_free(posenc_convention* convention) { delete convention; }

posenc_status posenc_convention_json(const posenc_convention* convention, char* text, size_t capacity, size_t* length,
                                     posenc_error* error) {
  constexpr const char* operation = "posenc_convention_json";
  return c::call(operation, error, [&] {
    c::write_text(operation, to_json(c::given(operation, "convention", convention).value), text, capacity, length);
  });
}

posenc_status posenc_convention_schema(char* text, size_t capacity, size_t* length, posenc_error* error) {
  constexpr const char* operation = "posenc_convention_schema";
  return c::call(operation, error, [&] { c::write_text(operation, io::convention_schema(), text, capacity, length); });
}

posenc_status posenc_convention_check(const posenc_convention* convention, uint32_t use, posenc_error* error) {
  constexpr const char* operation = "posenc_convention_check";
  return c::call(operation, error, [&] {
    if (use < POSENC_ROWS || use > POSENC_RESIZED_TABLES) {
      c::refuse(operation, "use must be stated", std::to_string(use));
    }
    require(check_use(operation, static_cast<ConventionUse>(use), c::given(operation, "convention", convention).value));
  });
}

const char* posenc_convention_axis(const posenc_convention* convention, size_t number) {
  return convention == nullptr ? nullptr : c::nth(convention->axes, number);
}

const char* posenc_convention_cell_axis(const posenc_convention* convention, size_t number) {
  return convention == nullptr ? nullptr : c::nth(convention->cell_axes, number);
}

posenc_status posenc_convention_columns(const posenc_convention* convention, int64_t dim, int64_t* out,
                                        posenc_error* error) {
  constexpr const char* operation = "posenc_convention_columns";
  return c::call(operation, error, [&] {
    const Convention& of = c::given(operation, "convention", convention).value;
    require(check_width(of, dim));
    c::given(operation, "out", out) = columns(of, dim);
  });
}

posenc_status posenc_convention_regime(const posenc_convention* convention, int64_t length, int64_t* out,
                                       posenc_error* error) {
  constexpr const char* operation = "posenc_convention_regime";
  return c::call(operation, error, [&] {
    c::given(operation, "out", out) = regime(c::given(operation, "convention", convention).value, length);
  });
}

const char* posenc_preset_name(size_t number) {
  static const std::vector<std::string> names = preset_names();
  return c::nth(names, number);
}

const char* posenc_recipe_name(size_t number) {
  return number < recipes().size() ? recipes()[number].name.c_str() : nullptr;
}

posenc_status posenc_preset_json(const char* name, char* text, size_t capacity, size_t* length, posenc_error* error) {
  constexpr const char* operation = "posenc_preset_json";
  return c::call(operation, error, [&] {
    c::write_text(operation, to_json(preset(&c::given(operation, "name", name))), text, capacity, length);
  });
}

posenc_status posenc_inspect(const char* json, size_t bytes, const posenc_inspect_options* options, char* text,
                             size_t capacity, size_t* length, posenc_error* error) {
  constexpr const char* operation = "posenc_inspect";
  return c::call(operation, error, [&] {
    const std::string_view document = c::text(operation, "json", json, bytes);
    c::write_text(operation, to_json(inspect(document, inspect_options(operation, options))), text, capacity, length);
  });
}
