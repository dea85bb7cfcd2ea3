// SPDX-License-Identifier: Apache-2.0
// The corpus: tensors that the packages of others made (tools/goldens/corpus.py), each with what is true of it.
#pragma once

#include <posenc/preset.h>

#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace posenc::test {

struct Original {
  std::string name;
  nlohmann::json truth;
  DType dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
  ConstView view() const {
    ConstView view = posenc::view(reinterpret_cast<const float*>(bytes.data()), std::span<const std::int64_t>(shape));
    view.dtype = dtype;
    return view;
  }
  std::string kind() const { return truth["kind"].get<std::string>(); }
};

/// Of a part: "open" and "seen", which may be looked at while writing, or "held", which may not.
inline std::vector<Original> originals(const std::string& part) {
  std::ifstream file(POSENC_SOURCE_DIR "/tests/referee/corpus/" + part + ".safetensors", std::ios::binary);
  const std::string all(std::istreambuf_iterator<char>(file), {});
  std::uint64_t length = 0;
  std::memcpy(&length, all.data(), sizeof(length));
  const auto header = nlohmann::json::parse(all.substr(8, length));
  const std::map<std::string, DType> types = {{"F64", DType::f64},   {"F32", DType::f32}, {"F16", DType::f16},
                                              {"BF16", DType::bf16}, {"I64", DType::i64}, {"I32", DType::i32}};
  std::vector<Original> found;
  for (const auto& [name, tensor] : header.items()) {
    if (name == "__metadata__") continue;
    const auto from = tensor["data_offsets"][0].get<std::size_t>(), to = tensor["data_offsets"][1].get<std::size_t>();
    Original original = {name, nlohmann::json::parse(header["__metadata__"][name].get<std::string>()),
                         types.at(tensor["dtype"].get<std::string>()), tensor["shape"].get<std::vector<std::int64_t>>(),
                         std::vector<std::byte>(to - from)};
    if (to > from) std::memcpy(original.bytes.data(), all.data() + 8 + length + from, to - from);
    found.push_back(std::move(original));
  }
  return found;
}

/// The row of presets that is true, with the fields that were set otherwise.
inline Convention convention_of(const nlohmann::json& truth) {
  std::vector<std::string> paths;
  std::vector<FieldChange> changes;
  for (const auto& [path, value] : truth["set"].items()) paths.push_back(path);
  for (const std::string& path : paths) {
    const nlohmann::json& value = truth["set"][path];
    if (value.is_string()) {
      changes.emplace_back(path, value.get<std::string>());
    } else if (value.is_array()) {
      changes.emplace_back(path, value.get<std::vector<double>>());
    } else if (value.is_number_integer()) {
      changes.emplace_back(path, value.get<std::int64_t>());
    } else {
      changes.emplace_back(path, value.get<double>());
    }
  }
  return with_fields(preset(truth["preset"].get<std::string>()).convention, std::span<const FieldChange>(changes));
}

}  // namespace posenc::test
