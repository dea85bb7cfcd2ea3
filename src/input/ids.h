// SPDX-License-Identifier: Apache-2.0
// Token ids of either width, read and checked.
#pragma once

#include <posenc/embedding.h>

#include "src/base/match.h"

namespace posenc {

/// The id at an element offset of a view of i32 or i64.
inline std::int64_t id_at(const ConstView& ids, std::int64_t offset) {
  return ids.dtype == DType::i32 ? static_cast<const std::int32_t*>(ids.data)[offset]
                                 : static_cast<const std::int64_t*>(ids.data)[offset];
}

/// Steps through every index of a shape, last axis fastest; false after the last.
bool next_index(const ConstView& shape, std::array<std::int64_t, max_rank>& index);
std::int64_t offset_of(const ConstView& view, const std::array<std::int64_t, max_rank>& index, int axes);

/// Each id is in [0, vocabulary), of ids that keep the rules of views.
std::optional<Problem> check_inside(std::string_view operation, std::int64_t vocabulary, const ConstView& ids);
/// The rows of an embedding: real, [vocabulary, d], and which of them is padding.
void state_embedding(Match& m, const ConstView& rows, const std::optional<std::int64_t>& padding_id);

}  // namespace posenc
