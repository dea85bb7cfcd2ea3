// SPDX-License-Identifier: Apache-2.0
// One of the models that a configuration is made of, while it is read.
#pragma once

#include <posenc/spec/inspect.h>

#include "src/inspect/family.h"
#include "src/inspect/keys.h"

namespace posenc::config {

struct Part {
  Keys keys;
  const Family& family;
  std::string at;  ///< where its results stand: "" or "/parts/text"
  const InspectOptions& options;
  ModelPositions& all;
  ModelPart result;
  std::optional<JsonTree> default_rope = {};   ///< the family's rope object, once it was asked for
  std::optional<JsonTree> default_sizes = {};  ///< the type's sizes, once one was asked for

  std::string default_source() const { return "default of " + result.model_type; }
  void from(const std::string& number, const std::string& key);
  void note(std::string text) { all.notes.push_back(std::move(text)); }
  /// A role of the model that is not read.
  void misses(std::string_view role, std::string why);
};

// ---- what several files ask ----------------------------------------------------------------------------

/// A key, one of an object, "attn_config.alibi", or one of the rope object, "rope.rope_theta".
std::optional<JsonNode> find_path(Part& part, std::string_view path);
/// Columns of the embedding, of its tables, and heads.
Stated<std::int64_t> width_of(Part& part);
Stated<std::int64_t> table_width_of(Part& part);
Stated<std::int64_t> heads_of(Part& part);
/// Positions that the model was made for.
std::optional<Stated<std::int64_t>> positions_of(Part& part);
/// Columns of a head: width over heads, which must divide.
Stated<std::int64_t> quotient_head(Part& part);
/// Patches of an image.
struct ImageCells {
  std::int64_t height, width;
  std::string from;
};
ImageCells cells_of(Part& part);
/// The sum of a list with a number for each stage.
std::int64_t total_of(const JsonNode& list);

// ---- the steps, in their order ---------------------------------------------------------------------------

/// Which layers are of which kind.
struct Layers {
  std::optional<std::int64_t> count;
  std::vector<LayerKind> kinds;               ///< one at least
  std::vector<std::vector<std::int64_t>> of;  ///< layers of each kind; empty where their number is not known
  std::vector<std::int64_t> others;           ///< without attention
  std::string from;
};
Layers layers_of(Part& part);
void read_rotations(Part& part, const Layers& layers);
void read_others(Part& part, const Layers& layers);
/// A role for each stage of a model whose images shrink, of the windows in it.
void read_stages(Part& part, const RoleRow& row);
void read_embedding(Part& part);

/// The name of the first preset with that convention, however long its table and however it is stored; or "".
std::string preset_of(const Convention& convention);

}  // namespace posenc::config
