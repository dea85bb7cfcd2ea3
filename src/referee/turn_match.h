// SPDX-License-Identifier: Apache-2.0
// Rotations made of what a tensor was before, beside what it is after.
#pragma once

#include <string_view>
#include <vector>

#include "src/referee/reading.h"
#include "src/referee/turn_fit.h"

namespace posenc::referee {

/// Tensors [.., L, d] before and after a rotation at these places.
struct TurnTask {
  const ConstView &before, &after;
  std::string_view axes;  ///< as the caller has them: "[.., L, d]", "[.., L, H, d]"
  const TurnPlaces& places;
  DType computing;  ///< the wider type of both
  DType storage;
  const IdentifyOptions& options;
};

/// How far an entry of a pair of length 1 may be off for its type.
double noise_of(DType storage);

/// Do the rows that were picked lie as near as known arithmetic explains?
bool near(const TurnSuspect& suspect, const TurnedRows& rows);

/// What is compared, and when it ends.
struct TurnLimits {
  std::int64_t entries = -1;      ///< of rows in front; -1: all
  std::int64_t wrong_places = 0;  ///< more of them end it
};
struct TurnMatch {
  Agreement agreement;
  std::vector<std::int64_t>
      wrong_places;  ///< with entries that lie farther from the exact ones than arithmetic explains
};
/// The tensor after beside that before, turned under a recipe; nothing where it has no such rotation, or the limits
/// are passed.
std::optional<TurnMatch> match(const TurnSuspect& suspect, const Recipe& recipe, const TurnTask& task,
                               const TurnLimits& limits);

inline std::int64_t head_count(const ConstView& tensor) { return tensor.count() / (tensor.size(-1) * tensor.size(-2)); }

/// Calls each(head, place in the chunk, column, offset in the tensor) for the places from, from + 1, ..
template <class Each>
void for_turned(const ConstView& tensor, std::int64_t from, std::int64_t count, const Each& each) {
  const std::int64_t heads = head_count(tensor);
  for (std::int64_t head = 0; head < heads; ++head) {
    std::int64_t at = from * tensor.stride(-2), rest = head;
    for (int axis = tensor.rank - 3; axis >= 0; rest /= tensor.size(axis), --axis) {
      at += rest % tensor.size(axis) * tensor.stride(axis);
    }
    for (std::int64_t place = 0; place < count; ++place) {
      for (std::int64_t c = 0; c < tensor.size(-1); ++c) {
        each(head, place, c, at + place * tensor.stride(-2) + c * tensor.stride(-1));
      }
    }
  }
}

}  // namespace posenc::referee
