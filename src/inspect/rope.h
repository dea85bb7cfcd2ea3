// SPDX-License-Identifier: Apache-2.0
// Rope objects: rope_scaling, rope_parameters, and what they say of one kind of layers.
#pragma once

#include "src/inspect/part.h"

namespace posenc::config {

struct ScalingReader;

/// A type of rope objects.
struct RopeType {
  /// The things that a share beside it counts: columns of a head that turn, or frequencies that are not 0.
  enum class ShareOf : std::uint8_t { columns = 1, frequencies };

  std::string_view name;
  std::string_view keys;  ///< that it reads beside those of every type, with spaces between
  /// Reads its scaling, and writes what it says of the magnitude.
  Scaling (*read)(ScalingReader& reader, Rotary& rotary);
  ShareOf share = ShareOf::columns;
};
/// Every type, "default" first.
std::span<const RopeType> rope_types();

/// Of one kind of layers.
struct Rope {
  std::optional<Keys> object;
  const RopeType* type = rope_types().data();
  bool nested = false;  ///< it stands under the name of the kind
  bool turns = true;    ///< false: it is null
  std::string type_from = {};
};

/// rope_scaling or rope_parameters, whichever is stated, or the family's own; both must agree.
std::optional<JsonNode> rope_object(Part& part);
/// For each kind of `layers`.
std::vector<Rope> ropes_of(Part& part, const Layers& layers);
/// Refuses keys of it that are unknown, and notes those that its type does not read.
void check_unread(Part& part, const Rope& rope);

/// Whether some columns of a head turn and others do not, under keys of their own.
bool has_latent_heads(Part& part);

/// Its scaling and the factor of cosines and sines, written into a ladder and a rotation; `rotated` columns turn, and
/// `share` is the share of a head, or of its frequencies.
void read_scaling(Part& part, Rope& rope, const std::string& role, std::int64_t rotated, const Stated<double>& share,
                  Geometric& ladder, Rotary& rotary);

}  // namespace posenc::config
