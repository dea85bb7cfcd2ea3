// SPDX-License-Identifier: Apache-2.0
// Every case's exact values and those of its original's recipe.
#include <posenc/io/conformance_vectors.h>
#include <posenc/io/safetensors.h>
#include <posenc/referee/referee.h>
#include <posenc/version.h>

#include <list>

#include "src/base/environment.h"
#include "src/spec/json_object.h"

namespace posenc::io {
namespace {

// Tensors that live as long as this.
struct Tensors {
  struct Tensor {
    std::string name;
    Array array;
  };
  std::list<Tensor> all;

  // The values of a case in that type by a recipe, under that name; whether there are any.
  bool add(const ConformanceCase& of, const Recipe& recipe, DType type, const std::string& name) {
    Array array = {type, of.shape, {}};
    std::size_t bytes = size_of(type);
    for (const std::int64_t size : of.shape) bytes *= static_cast<std::size_t>(size);
    array.data.resize(bytes);
    const ConstView read = array.view();
    const View out = {array.data.data(), type, read.rank, read.shape, read.strides};
    if (check_conformance_values(of, recipe, out) || write_conformance_values(of, recipe, out)) return false;
    all.push_back({name, std::move(array)});
    return true;
  }
};

std::string add_case(const ConformanceCase& of, Tensors& tensors) {
  JsonObject names;
  const auto add = [&](const Recipe& recipe, DType type, std::string_view key) {
    const std::string name = of.name + "/" + std::string(key);
    if (tensors.add(of, recipe, type, name)) names.add(key, json_string(name));
  };
  if (of.whole()) {
    add(exact(), DType::i64, "exact_i64");
  } else {
    add(exact(), DType::f32, "exact_f32");
    add(exact(), DType::f64, "exact_f64");
    if (!of.original.exact()) add(of.original, DType::f32, "recipe_f32");
  }
  std::string text = to_json(of);
  text.back() = ',';
  return text + " \"tensors\": " + names.text() + "}";
}

std::string version_text() {
  return std::to_string(POSENC_VERSION_MAJOR) + "." + std::to_string(POSENC_VERSION_MINOR) + "." +
         std::to_string(POSENC_VERSION_PATCH);
}

// A line each, so that two versions can be compared line by line.
template <class Range, class Line>
std::string line_list(const Range& range, const Line& line) {
  std::string text = "[";
  for (const auto& each : range) text += (text.size() > 1 ? ",\n" : "\n") + line(each);
  return text + "\n]";
}

}  // namespace

ConformanceVectors conformance_vectors() {
  const DefaultEnvironment environment;
  const ConformanceCases all = conformance_cases();
  Tensors tensors;
  JsonObject index;
  index.add("posenc_conformance", std::to_string(conformance_version)).add("posenc", json_string(version_text()));
  index.add("vectors", json_string(conformance_numbers_name));
  index.add("cases", line_list(all.cases, [&](const ConformanceCase& each) { return add_case(each, tensors); }));
  index.add("without", line_list(all.without, [](const WithoutCase& each) {
              JsonObject object;
              return object.add("case", json_string(each.name)).add("reason", json_string(each.reason)).text();
            }));
  std::vector<NamedView> views;
  for (const auto& [name, array] : tensors.all) views.push_back({name, array.view()});
  return {index.text() + "\n", safetensors_bytes(views, {{"posenc_conformance", std::to_string(conformance_version)}}),
          std::ssize(all.cases), std::ssize(views), std::ssize(all.without)};
}

}  // namespace posenc::io
