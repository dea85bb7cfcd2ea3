// SPDX-License-Identifier: Apache-2.0
// Every case's exact values and those of its original's recipe; the same bytes on every machine.
#include "apps/posenc/conformance/vectors.h"

#include <fmt/format.h>
#include <posenc/safetensors.h>
#include <posenc/version.h>

#include <filesystem>
#include <list>

#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/conformance/case_json.h"
#include "apps/posenc/terminal/screen.h"
#include "apps/posenc/terminal/signals.h"

namespace posenc::tool {
namespace {

constexpr std::string_view index_name = "index.json", vectors_name = "vectors.safetensors";
constexpr int vectors_version = 1;

// Tensors that live as long as this.
struct Vectors {
  struct Tensor {
    std::string name;
    io::Array array;
  };
  std::list<Tensor> tensors;

  // The values of a case in that type by a recipe; whether there are any.
  bool add(const ConformanceCase& of, const Recipe& recipe, DType type, const std::string& name) {
    io::Array array = {type, of.shape, {}};
    std::size_t bytes = size_of(type);
    for (const std::int64_t size : of.shape) bytes *= static_cast<std::size_t>(size);
    array.data.resize(bytes);
    const ConstView read = array.view();
    const View out = {array.data.data(), type, read.rank, read.shape, read.strides};
    if (check_conformance_values(of, recipe, out) || write_conformance_values(of, recipe, out)) return false;
    tensors.push_back({name, std::move(array)});
    return true;
  }
};

Json add_case(const ConformanceCase& of, Vectors& vectors) {
  Json json = json_of(of);
  Json tensors = Json::object();
  const auto add = [&](const Recipe& recipe, DType type, std::string_view key) {
    const std::string name = fmt::format("{}/{}", of.name, key);
    if (vectors.add(of, recipe, type, name)) tensors[std::string(key)] = name;
  };
  if (of.whole()) {
    add(exact(), DType::i64, "exact_i64");
  } else {
    add(exact(), DType::f32, "exact_f32");
    add(exact(), DType::f64, "exact_f64");
    if (!of.original.exact()) add(of.original, DType::f32, "recipe_f32");
  }
  json["tensors"] = std::move(tensors);
  return json;
}

// One case a line, so that two versions can be compared line by line.
std::string index_text(const std::vector<Json>& cases, const ConformanceCases& all) {
  Json head = {{"posenc_conformance", vectors_version},
               {"posenc", fmt::format("{}.{}.{}", POSENC_VERSION_MAJOR, POSENC_VERSION_MINOR, POSENC_VERSION_PATCH)},
               {"vectors", vectors_name}};
  std::string text = head.dump();
  text.pop_back();
  text += ", \"cases\": [";
  for (std::size_t i = 0; i < cases.size(); ++i) text += (i > 0 ? ",\n" : "\n") + cases[i].dump();
  text += "\n], \"without\": [";
  for (std::size_t i = 0; i < all.without.size(); ++i) {
    text += (i > 0 ? ",\n" : "\n") + Json{{"case", all.without[i].name}, {"reason", all.without[i].reason}}.dump();
  }
  return text + "\n]}\n";
}

void make_folder(std::string_view operation, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (error || !std::filesystem::is_directory(folder)) {
    refuse(operation, "DIR must be a folder, or one that can be made", quote(folder));
  }
}

}  // namespace

Said write_vectors(const Arguments& arguments, const std::string& folder) {
  const io::WriteOptions writing = write_options(arguments.has("--no-sync") ? io::Sync::none : io::Sync::full);
  const ConformanceCases all = conformance_cases();
  Vectors vectors;
  std::vector<Json> cases;
  for (const ConformanceCase& each : all.cases) cases.push_back(add_case(each, vectors));
  std::vector<io::NamedView> views;
  for (const auto& [name, array] : vectors.tensors) views.push_back({name, array.view()});
  const std::vector<std::byte> numbers =
      io::safetensors_bytes(views, {{"posenc_conformance", std::to_string(vectors_version)}});
  const std::string index = index_text(cases, all);

  make_folder(arguments.operation, folder);
  const std::string index_path = fmt::format("{}/{}", folder, index_name),
                    vectors_path = fmt::format("{}/{}", folder, vectors_name);
  Files files;
  prepare(files, vectors_path, {reinterpret_cast<const char*>(numbers.data()), numbers.size()}, writing);
  prepare(files, index_path, index, writing);
  commit(files);
  if (arguments.has("--json")) {
    return {one_line({{"operation", arguments.operation},
                      {"version", vectors_version},
                      {"cases", cases.size()},
                      {"tensors", views.size()},
                      {"without", all.without.size()},
                      {"out", {index_path, vectors_path}}})};
  }
  return {"",
          {fmt::format("{}: {} cases, {} presets without one", index_path, cases.size(), all.without.size()),
           fmt::format("{}: {} tensors, {} bytes", vectors_path, views.size(), numbers.size())}};
}

}  // namespace posenc::tool
