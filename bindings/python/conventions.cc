// SPDX-License-Identifier: Apache-2.0
// Conventions as Python passes them.
#include "bindings/python/conventions.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <posenc/cell_places.h>
#include <posenc/spec/spec.h>

#include "bindings/python/arrays.h"
#include "bindings/python/bind.h"

namespace posenc::python {
namespace {

KnownPtr read_convention(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") != std::string_view::npos && text[text.find_first_not_of(" \t\r\n")] == '{') {
    Convention convention = io::convention_from_json(text);
    std::string json = to_json(convention);
    return std::make_shared<const Known>(Known{std::move(convention), std::move(json)});
  }
  const Preset& row = preset(text);
  return std::make_shared<const Known>(Known{row.convention, to_json(row.convention), &row});
}

KnownPtr of_text(std::string_view text) {
  static auto& read = *new Latest<std::string, KnownPtr>;
  return read.of(text, [&] { return without_gil([&] { return read_convention(text); }); });
}

// The convention alone, a value that no preset belongs to.
ConventionHandle value_of(const Known& known) { return {of_text(known.json)}; }

KnownPtr with_preset(const KnownPtr& known, nb::handle owner) {
  const nb::object name = nb::getattr(owner, "name", nb::none());
  if (!PyUnicode_Check(name.ptr())) return known;
  const Preset* row = find_preset(said(name));
  if (row == nullptr || known->preset == row || !(row->convention == known->convention)) return known;
  return of_text(row->name);
}

bool is_mapping(nb::handle value) { return PyDict_Check(value.ptr()) || nb::hasattr(value, "keys"); }

FieldValue field_value(nb::handle value) {
  if (PyUnicode_Check(value.ptr())) return text("replace", "value", value);
  if (PyFloat_Check(value.ptr())) return PyFloat_AsDouble(value.ptr());
  if (PyIndex_Check(value.ptr())) return integer("replace", "value", value);
  if (!PyList_Check(value.ptr()) && !PyTuple_Check(value.ptr())) {
    refuse_type("replace", "a value must be a number, a string, or a list of either", value);
  }
  std::vector<double> numbers;
  std::string words;
  for (const nb::handle item : nb::iter(value)) {
    if (PyUnicode_Check(item.ptr())) {
      words += (words.empty() ? "" : ",") + text("replace", "value", item);
    } else {
      numbers.push_back(real("replace", "value", item));
    }
  }
  if (!words.empty() && !numbers.empty()) refuse_type("replace", "a list must be of numbers or of strings", value);
  return words.empty() ? FieldValue(std::move(numbers)) : FieldValue(words);
}

ConventionHandle replaced(const ConventionHandle& self, nb::dict changes) {
  std::vector<std::string> paths;
  std::vector<FieldValue> values;
  for (const auto [path, value] : changes) {
    paths.push_back(text("replace", "path", path));
    values.push_back(field_value(value));
  }
  std::vector<FieldChange> stated;
  for (std::size_t i = 0; i < paths.size(); ++i) stated.push_back({paths[i], values[i]});
  return {of_text(to_json(with_fields(self.known->convention, stated)))};
}

// ---- presets -----------------------------------------------------------------------------------------------------

nb::list strings(const auto& range, const auto& name) {
  nb::list list;
  for (const auto& each : range) {
    const std::string_view word = name(each);
    list.append(nb::str(word.data(), word.size()));
  }
  return list;
}

nb::object scale_tuple(const Scale& scale) {
  const nb::object by = scale.kind == Scale::Kind::none       ? nb::object(nb::str("none"))
                        : scale.kind == Scale::Kind::sqrt_dim ? nb::object(nb::str("sqrt_dim"))
                                                              : nb::object(nb::float_(scale.number));
  const nb::object rounding =
      scale.rounding ? nb::object(nb::str(std::string(to_string(*scale.rounding)).c_str())) : nb::none();
  return nb::make_tuple(by, rounding);
}

// In the order of the fields of posenc.Preset.
nb::tuple preset_tuple(nb::handle name) {
  const Preset& row = preset(text("preset", "name", name));
  const nb::object max_len = row.stage.max_len ? nb::object(nb::int_(*row.stage.max_len)) : nb::none();
  return nb::make_tuple(row.name, value_of(*of_text(row.name)), row.original.name, scale_tuple(row.stage.scale),
                        row.stage.dropout, to_string(row.stage.axes), max_len, places_tuple(row.places), row.source,
                        row.note, nb::tuple(strings(row.aliases, [](std::string_view alias) { return alias; })),
                        nb::tuple(strings(row.stated, [](std::string_view path) { return path; })));
}

constexpr std::string_view divisors[] = {"one", "count", "gaps", "last", "longest", "shortest"};
constexpr std::string_view roundings[] = {"none", "floor"};

}  // namespace

KnownPtr known_convention(std::string_view operation, nb::handle convention) {
  if (PyUnicode_Check(convention.ptr())) {
    return of_text(text(operation, "convention", convention));
  }
  const ConventionHandle* handle = nullptr;
  if (nb::try_cast(convention, handle, false) && handle != nullptr) return handle->known;
  if (nb::hasattr(convention, "convention")) {
    const nb::object own = convention.attr("convention");
    if (nb::try_cast(own, handle, false) && handle != nullptr) return with_preset(handle->known, convention);
    refuse_type(operation, "convention must be one: this has none", convention);
  }
  if (is_mapping(convention)) {
    const nb::object dict = nb::borrow(reinterpret_cast<PyObject*>(&PyDict_Type));
    const nb::object json = nb::module_::import_("json").attr("dumps")(dict(convention), nb::arg("default") = dict);
    return of_text(nb::cast<std::string_view>(json));
  }
  refuse_type(operation, "convention must be the name of a preset, JSON, a dict or a Convention", convention);
}

KnownPtr stored_as(const KnownPtr& known, const std::string& form) {
  using Key = std::pair<KnownPtr, std::string>;
  static auto& made = *new Latest<Key, KnownPtr>;
  return made.of(Key{known, form}, [&] {
    Convention convention = with_field(known->convention, "stored", form);
    std::string json = to_json(convention);
    return std::make_shared<const Known>(Known{std::move(convention), std::move(json), known->preset});
  });
}

const Recipe& recipe_of(std::string_view operation, nb::handle name, const Known& known) {
  static const Recipe& exact_one = recipe("exact");
  if (!PyUnicode_Check(name.ptr())) refuse_type(operation, "recipe must be a name", name);
  const std::string word = text(operation, "recipe", name);
  if (word == "exact") return exact_one;
  if (word != "original") return recipe(word);
  if (known.preset != nullptr) return recipe(known.preset->original.name);
  refuse(operation, "recipe original is that of a preset, which the convention must be asked by", "no preset");
}

Context context_of(std::string_view operation, nb::handle context) {
  Context made;
  if (context.is_none()) return made;
  const nb::tuple items = nb::cast<nb::tuple>(context);
  if (!items[0].is_none()) made.length = integer(operation, "length", items[0]);
  if (!items[1].is_none()) made.centre = real(operation, "centre", items[1]);
  if (!items[2].is_none()) made.learned = real(operation, "learned", items[2]);
  return made;
}

PlaceNumbering places_of(std::string_view operation, nb::handle places) {
  if (places.is_none()) return whole_places;
  if (!PyTuple_Check(places.ptr()) || nb::len(places) != 6) refuse_type(operation, "places must be Places", places);
  const nb::tuple items = nb::borrow<nb::tuple>(places);
  PlaceNumbering made = {};
  if (PyUnicode_Check(nb::handle(items[0]).ptr())) {
    constexpr std::string_view first[] = {"minus_half"};
    made.first = word_of<FirstPlace>(operation, "first", items[0], first);
  } else {
    made.first = real(operation, "first", items[0]);
  }
  made.divisor = word_of<Divisor>(operation, "divisor", items[1], divisors);
  made.eps = real(operation, "eps", items[2]);
  made.gain = real(operation, "gain", items[3]);
  made.shift = real(operation, "shift", items[4]);
  made.rounding = word_of<WholePlaces>(operation, "rounding", items[5], roundings);
  return made;
}

PlaceNumbering cell_places_of(std::string_view operation, nb::handle places, const Known& known) {
  if (!places.is_none()) return places_of(operation, places);
  if (known.preset != nullptr) return posenc::places_of(*known.preset);
  return cell_places(known.convention);
}

nb::object places_tuple(const std::optional<PlaceNumbering>& places) {
  if (!places) return nb::none();
  const double* number = std::get_if<double>(&places->first);
  const nb::object first = number != nullptr ? nb::object(nb::float_(*number)) : nb::object(nb::str("minus_half"));
  return nb::make_tuple(first, divisors[static_cast<std::size_t>(places->divisor) - 1], places->eps, places->gain,
                        places->shift, roundings[static_cast<std::size_t>(places->rounding) - 1]);
}

void bind_conventions(nb::module_& module) {
  nb::class_<ConventionHandle>(module, "Convention", nb::is_weak_referenceable())
      .def("__init__",
           [](ConventionHandle* self, nb::handle convention) {
             new (self) ConventionHandle(value_of(*known_convention("convention", convention)));
           })
      .def("to_json", [](const ConventionHandle& self) { return self.known->json; })
      .def("_axes", [](const ConventionHandle& self) { return axes_of(self.known->convention); })
      .def("_columns",
           [](const ConventionHandle& self, nb::handle dim) {
             const std::int64_t width = integer("columns", "dim", dim);
             require(check_width(self.known->convention, width));
             return columns(self.known->convention, width);
           })
      .def("_line", [](const ConventionHandle& self) { return to_string(self.known->convention); })
      .def("_layout", [](const ConventionHandle& self) { return layout_line(self.known->convention); })
      .def("_replaced", [](const ConventionHandle& self, nb::dict changes) { return replaced(self, changes); })
      .def("_differences", [](const ConventionHandle& self, nb::handle other) {
        return differences(self.known->convention, known_convention("differences", other)->convention);
      });
  module.def("cell_places", [](nb::handle convention, nb::handle places) {
    return places_tuple(cell_places_of("grid", places, *known_convention("grid", convention)));
  });
  module.def("presets", [] { return strings(presets(), [](const Preset& row) { return row.name; }); });
  module.def("preset", &preset_tuple);
  module.def("recipes",
             [] { return strings(recipes(), [](const Recipe& each) { return std::string_view(each.name); }); });
  module.def("regime", [](nb::handle convention, nb::handle length) {
    return regime(known_convention("regime", convention)->convention, integer("regime", "length", length));
  });
}

}  // namespace posenc::python
