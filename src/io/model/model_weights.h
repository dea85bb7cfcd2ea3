// SPDX-License-Identifier: Apache-2.0
// The tensors of a model's folder as the parts of the model, each of the shape that the model gives it.
#pragma once

#include <posenc/io/model.h>
#include <posenc/io/safetensors.h>

namespace posenc::io {

/// What a model owns.
struct ModelMemory {
  std::map<std::string, Array, std::less<>>& tensors;
  std::vector<std::vector<float>>& zeros;
};

/// A size that the model leaves to the tensor.
inline constexpr std::int64_t any_size = -1;

/// Reads what is asked for into `memory`, once; views stay valid as long as that.
class ModelWeights {
 public:
  /// The description keeps the rules of model_rules.h.
  ModelWeights(const std::string& folder, const ModelDescription& model, const ModelMemory& memory)
      : path_(folder + "/model.safetensors"), file_(path_), model_(model), memory_(memory) {}

  [[noreturn]] void refuse(std::string rule, std::string value) const;
  /// Throws the problem that a constructor of a layer found.
  void require(std::string_view what, const std::optional<Problem>& problem) const;

  /// A tensor by its own name.
  ConstView tensor(const std::string& name, std::span<const std::int64_t> shape, std::string_view role);
  /// Rows of zeros for every position; they take the memory of one.
  ConstView zero_rows(std::int64_t width);
  bool has(const std::string& part) const { return model_.parts.at(part).has_value(); }
  /// A part by name; `layer` stands for {layer} in it.
  ConstView part(const std::string& name, std::int64_t layer, std::initializer_list<std::int64_t> shape);
  std::optional<ConstView> part_or_none(const std::string& name, std::int64_t layer,
                                        std::initializer_list<std::int64_t> shape);

  Linear linear(const std::string& name, std::int64_t layer, std::int64_t outputs, std::int64_t inputs);
  Norm norm(const std::string& name, std::int64_t layer, std::int64_t width, double epsilon);
  std::optional<Norm> norm_or_none(const std::string& name, std::int64_t width, double epsilon);
  MultiHead multi_head(const std::string& name, std::int64_t layer, std::int64_t width, std::int64_t source,
                       const StackDescription& stack);
  FeedForward feed_forward(const std::string& name, std::int64_t layer, std::int64_t width);

 private:
  const Array& load(const std::string& name);

  std::string path_;
  Safetensors file_;
  const ModelDescription& model_;
  ModelMemory memory_;
};

}  // namespace posenc::io
