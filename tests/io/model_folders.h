// SPDX-License-Identifier: Apache-2.0
// A model so small that its numbers can be told apart, in a folder of its own.
#pragma once

#include <posenc/io/model.h>
#include <posenc/io/safetensors.h>

#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "tests/io/scratch.h"

namespace posenc::io {

using Json = nlohmann::json;

/// 4 columns, 2 heads, one layer of each kind, 5 source and 6 target ids; projections stacked, the output tied.
inline Json small_description() {
  const char* text = R"({
    "posenc_model": 1, "family": "small",
    "source": {"kind": "tokens", "scale": "sqrt_dim", "positions": {"table": "pos", "origin": 0}, "norm_epsilon": 1e-12},
    "encoder": {"layers": 1, "heads": 2, "key_heads": 2, "norm": "after", "activation": "relu", "score": "scaled_dot",
                "epsilon": 1e-5, "positions": "none"},
    "target": {"kind": "tokens", "scale": 2, "norm_epsilon": null,
               "positions": {"preset": "transformer", "recipe": "exact", "storage": null, "origin": 1}},
    "decoder": {"layers": 1, "heads": 2, "key_heads": 1, "norm": "before", "activation": "gelu", "score": "dot",
                "epsilon": 1e-6, "positions": {"slopes": [0.5, 0.25]}},
    "text": {"source": {"tokenizer": "ids", "file": null, "begin": null, "end": 4},
             "target": {"tokenizer": "chars", "file": "target.txt", "begin": 1, "end": 2}},
    "decoding": {"prompt": [1], "end": 2, "longest": {"per_token": 2, "plus": 7}, "suppressed": [0],
                 "suppressed_first": [2, 3]},
    "tensors": {},
    "provenance": {"package": "none", "version": "1", "sha256": "0", "licence": "none"}
  })";
  Json description = Json::parse(text);
  Json& parts = description["tensors"];
  const auto add_norm = [&](const std::string& part, const std::string& tensor) {
    parts[part + ".weight"] = tensor + ".w";
    parts[part + ".bias"] = nullptr;
  };
  const auto add_linear = [&](const std::string& part, const std::string& tensor) {
    parts[part + ".weight"] = tensor + ".w";
    parts[part + ".bias"] = tensor + ".b";
  };
  parts["source.rows"] = "words";
  parts["source.added"] = {{"tensor", "segments"}, {"row", 1}};
  add_norm("source.norm", "norm.in");
  const char* maps[] = {"query", "key", "value"};
  for (int i = 0; i < 3; ++i) {
    const std::string part = "encoder.{layer}.attention." + std::string(maps[i]);
    parts[part + ".weight"] = {{"tensor", "enc.{layer}.qkv"}, {"rows", {4 * i, 4 * i + 4}}};
    parts[part + ".bias"] = nullptr;
  }
  add_linear("encoder.{layer}.attention.out", "enc.{layer}.out");
  add_norm("encoder.{layer}.attention_norm", "enc.{layer}.norm");
  add_norm("encoder.{layer}.feed_forward_norm", "enc.{layer}.norm");
  add_linear("encoder.{layer}.feed_forward.wide", "enc.{layer}.wide");
  add_linear("encoder.{layer}.feed_forward.narrow", "enc.{layer}.narrow");
  add_norm("encoder.final_norm", "enc.norm");
  parts["target.rows"] = "target";
  for (const char* absent : {"target.added", "target.norm.weight", "target.norm.bias"}) parts[absent] = nullptr;
  for (const std::string attention : {"self", "cross"}) {
    const std::string part = "decoder.{layer}." + attention;
    for (const char* map : {"query", "key", "value", "out"}) {
      add_linear(part + "_attention." + map, "dec.{layer}." + attention + "." + map);
    }
    add_norm(part + "_norm", "dec.{layer}.norm");
  }
  add_norm("decoder.{layer}.feed_forward_norm", "dec.{layer}.norm");
  add_linear("decoder.{layer}.feed_forward.wide", "dec.{layer}.wide");
  add_linear("decoder.{layer}.feed_forward.narrow", "dec.{layer}.narrow");
  parts["decoder.final_norm.weight"] = nullptr;
  parts["decoder.final_norm.bias"] = nullptr;
  parts["output.weight"] = "target";
  parts["output.bias"] = nullptr;
  return description;
}

/// The tensors by name; element i of tensor number n is n + i / 64, which f16 holds exactly.
class SmallTensors {
 public:
  SmallTensors() {
    const std::pair<const char*, std::vector<std::int64_t>> all[] = {
        {"words", {5, 4}},          {"pos", {9, 4}},
        {"segments", {2, 4}},       {"norm.in.w", {4}},
        {"enc.0.qkv", {12, 4}},     {"enc.0.out.w", {4, 4}},
        {"enc.0.out.b", {4}},       {"enc.0.norm.w", {4}},
        {"enc.0.wide.w", {3, 4}},   {"enc.0.wide.b", {3}},
        {"enc.0.narrow.w", {4, 3}}, {"enc.0.narrow.b", {4}},
        {"enc.norm.w", {4}},        {"target", {6, 4}},
        {"dec.0.norm.w", {4}},      {"dec.0.wide.w", {3, 4}},
        {"dec.0.wide.b", {3}},      {"dec.0.narrow.w", {4, 3}},
        {"dec.0.narrow.b", {4}}};
    for (const auto& [name, shape] : all) set(name, shape);
    for (const std::string attention : {"dec.0.self.", "dec.0.cross."}) {
      for (const char* wide : {"query", "out"}) {
        set(attention + wide + ".w", {4, 4});
        set(attention + wide + ".b", {4});
      }
      for (const char* shared : {"key", "value"}) {
        set(attention + shared + ".w", {2, 4});
        set(attention + shared + ".b", {2});
      }
    }
  }

  void set(const std::string& name, std::vector<std::int64_t> shape) {
    const auto number = static_cast<float>(tensors_.size());
    Tensor& tensor = tensors_[name];
    tensor.values.resize(
        static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>())));
    for (std::size_t i = 0; i < tensor.values.size(); ++i) tensor.values[i] = number + static_cast<float>(i) / 64;
    tensor.shape = std::move(shape);
  }
  void erase(const std::string& name) { tensors_.erase(name); }
  const std::vector<float>& values(const std::string& name) const { return tensors_.at(name).values; }

  /// model.safetensors with elements of that type.
  template <class T>
  void write(const std::string& path) const {
    std::map<std::string, std::vector<T>> stored;
    std::vector<NamedView> views;
    for (const auto& [name, tensor] : tensors_) {
      std::vector<T>& values = stored[name];
      for (const float value : tensor.values) values.push_back(static_cast<T>(value));
      views.push_back({name, detail::row_major<const void*>(values.data(), dtype_of<T>, tensor.shape)});
    }
    write_safetensors(path, views);
  }

 private:
  struct Tensor {
    std::vector<std::int64_t> shape;
    std::vector<float> values;
  };
  std::map<std::string, Tensor> tensors_;
};

/// A folder with both files.
class SmallModel {
 public:
  Json description = small_description();
  SmallTensors tensors;

  /// The folder with what the fields hold now.
  const std::string& folder() const {
    put(folder_ / "model.json", description.dump());
    tensors.write<float>(folder_ / "model.safetensors");
    return folder_.path();
  }

 private:
  Scratch folder_;
};

}  // namespace posenc::io
