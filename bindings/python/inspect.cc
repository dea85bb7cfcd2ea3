// SPDX-License-Identifier: Apache-2.0
// What a model's configuration says of its positions.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <posenc/spec/inspect.h>
#include <posenc/spec/spec.h>

#include "bindings/python/arrays.h"
#include "bindings/python/bind.h"

namespace posenc::python {
namespace {

// Bytes are those of a file, whatever they hold: the reader of JSON says where they are no text.
std::string configuration(nb::handle json) {
  if (!PyBytes_Check(json.ptr())) return text("inspect", "config", json);
  return {PyBytes_AsString(json.ptr()), static_cast<std::size_t>(PyBytes_Size(json.ptr()))};
}

// JSON and the text for people, both of every role.
nb::tuple inspected(nb::handle json, nb::handle source, nb::handle as, nb::handle part, nb::handle length) {
  const auto word = [](const char* name, nb::handle value) {
    return value.is_none() ? std::string() : text("inspect", name, value);
  };
  const std::string file = word("source", source), type = word("as_", as), one = word("part", part);
  InspectOptions options = {.source = file, .as = type, .part = one};
  if (!length.is_none()) options.length = integer("inspect", "length", length);
  const ModelPositions positions = inspect(configuration(json), options);
  return nb::make_tuple(to_json(positions), to_string(positions));
}

}  // namespace

void bind_inspect(nb::module_& module) {
  module.def("json_byte_limit", [] { return io::json_byte_limit; });
  module.def("inspect", &inspected);
  module.def("model_types", [] {
    std::vector<std::string> names;
    for (const std::string_view name : model_types()) names.emplace_back(name);
    return names;
  });
}

}  // namespace posenc::python
