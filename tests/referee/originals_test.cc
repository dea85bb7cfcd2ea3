// SPDX-License-Identifier: Apache-2.0
// Right is right: tables by the packages of others under their true label (corpus/open.safetensors), and those of every
// row of presets, in every type that models store.
#include <gtest/gtest.h>
#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/coordinates.h>
#include <posenc/diagnose.h>
#include <posenc/log_coordinates.h>
#include <posenc/query_scale.h>
#include <posenc/rotary_cache.h>

#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace posenc {
namespace {

using Json = nlohmann::json;

// ---- the corpus ----------------------------------------------------------------------------------

struct Original {
  std::string name;
  Json truth;
  DType dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
  ConstView view() const {
    ConstView view = posenc::view(reinterpret_cast<const float*>(bytes.data()), std::span<const std::int64_t>(shape));
    view.dtype = dtype;
    return view;
  }
};

std::vector<Original> originals() {
  std::ifstream file(POSENC_SOURCE_DIR "/tests/referee/corpus/open.safetensors", std::ios::binary);
  const std::string all(std::istreambuf_iterator<char>(file), {});
  std::uint64_t length = 0;
  std::memcpy(&length, all.data(), sizeof(length));
  const Json header = Json::parse(all.substr(8, length));
  const std::map<std::string, DType> types = {{"F64", DType::f64},   {"F32", DType::f32}, {"F16", DType::f16},
                                              {"BF16", DType::bf16}, {"I64", DType::i64}, {"I32", DType::i32}};
  std::vector<Original> found;
  for (const auto& [name, tensor] : header.items()) {
    if (name == "__metadata__") continue;
    const auto from = tensor["data_offsets"][0].get<std::size_t>(), to = tensor["data_offsets"][1].get<std::size_t>();
    Original original = {name, Json::parse(header["__metadata__"][name].get<std::string>()),
                         types.at(tensor["dtype"].get<std::string>()), tensor["shape"].get<std::vector<std::int64_t>>(),
                         std::vector<std::byte>(to - from)};
    if (to > from) std::memcpy(original.bytes.data(), all.data() + 8 + length + from, to - from);
    found.push_back(std::move(original));
  }
  return found;
}

Convention convention_of(const Json& truth) {
  Convention convention = preset(truth["preset"].get<std::string>()).convention;
  std::vector<std::string> paths;
  std::vector<FieldChange> changes;
  for (const auto& [path, value] : truth["set"].items()) paths.push_back(path);
  std::size_t i = 0;
  for (const auto& [path, value] : truth["set"].items()) {
    if (value.is_string()) {
      changes.push_back({paths[i], value.get<std::string>()});
    } else if (value.is_array()) {
      changes.push_back({paths[i], value.get<std::vector<double>>()});
    } else if (value.is_number_integer()) {
      changes.push_back({paths[i], value.get<std::int64_t>()});
    } else {
      changes.push_back({paths[i], value.get<double>()});
    }
    ++i;
  }
  return with(convention, std::span<const FieldChange>(changes));
}

// What a call says of an original: its width, context and places.
struct Question {
  DiagnoseOptions options;
  std::vector<std::vector<double>> lists;  // that the options view
};
void ask(const Original& original, const Convention& convention, Question& question) {
  const Json& truth = original.truth;
  DiagnoseOptions& options = question.options;
  const bool rotation = !check_use("test", Use::rotations, convention);
  const bool rows = !check_use("test", Use::coordinates, convention);
  if (rotation || rows) options.dim = truth.value("width", std::int64_t{0});
  if (truth.contains("head")) options.dim = truth["head"].get<std::int64_t>();
  options.context.length = truth.value("length", std::int64_t{0});
  if (truth.contains("learned")) options.context.learned = truth["learned"].get<double>();
  const std::string kind = truth["kind"].get<std::string>();
  if (kind == "inv_freq" || kind == "slopes" || kind == "bias" || kind == "buckets" || kind == "log_coordinates") return;
  const std::size_t axes = std::max<std::size_t>(axes_of(convention).size(), 1);
  if (truth.contains("coordinates")) {
    question.lists.resize(axes);
    for (const Json& place : truth["coordinates"]) {
      for (std::size_t a = 0; a < axes; ++a) question.lists[a].push_back(place[std::min(a, place.size() - 1)].get<double>());
    }
  } else if (!truth.contains("grid")) {
    const auto rows_of = truth["rows"].get<std::int64_t>();
    std::vector<double> list;
    const double first = truth.value("first", 0.0), step = truth.value("step", 1.0);
    for (std::int64_t i = 0; i < rows_of; ++i) list.push_back(first + static_cast<double>(i) * step);
    question.lists.assign(axes, list);
  }
  for (const auto& list : question.lists) {
    options.identify.positions.push_back(Positions::list(view(list.data(), {std::ssize(list)})));
  }
}

TEST(Originals, OfOthersAreRightUnderTheirOwnLabel) {
  std::map<std::string, std::pair<int, int>> of_kind;  // right, all
  std::string wrong;
  int count = 0;
  for (const Original& original : originals()) {
    const std::string kind = original.truth["kind"].get<std::string>();
    if (kind == "none" || kind == "before_after") continue;
    const Convention convention = convention_of(original.truth);
    Question question;
    ask(original, convention, question);
    auto& [right, all] = of_kind[kind];
    ++all, ++count;
    std::string said;
    if (const auto problem = check_diagnose(original.view(), convention, question.options)) {
      said = problem->message();
    } else {
      const Diagnosis diagnosis = diagnose(original.view(), convention, question.options);
      if (diagnosis.right) {
        ++right;
        continue;
      }
      said = to_string(diagnosis);
    }
    Json truth = original.truth;
    truth.erase("coordinates");
    wrong += original.name + " " + truth.dump() + "\n" + said + "\n";
  }
  EXPECT_GT(count, 300);
  for (const auto& [kind, tally] : of_kind) EXPECT_EQ(tally.first, tally.second) << kind;
  EXPECT_EQ(wrong, "");
}

}  // namespace
}  // namespace posenc
