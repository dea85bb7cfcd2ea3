// SPDX-License-Identifier: Apache-2.0
// Shapes of streams, in which one size may be unknown until the elements have been counted.
#pragma once

#include <posenc/io/npy.h>

namespace posenc::io {

bool is_known(std::span<const std::int64_t> shape);

/// Elements of the known sizes together; the product fits (check_plan).
std::int64_t known_count(std::span<const std::int64_t> shape);

/// The shape with `size` for every size that is unknown.
std::vector<std::int64_t> with_size(std::span<const std::int64_t> shape, std::int64_t size);

/// The rules of a streamed tensor: a type, at most max_rank axes, sizes from 0 to the limits of npy.h, at most one of
/// them unknown and then none 0, so that the count of elements decides it.
[[nodiscard]] std::optional<Problem> check_plan(std::string_view operation, DType dtype,
                                                std::span<const std::int64_t> shape);

/// Refuses a piece of another type, and more elements than a known shape holds.
[[nodiscard]] std::optional<Problem> check_piece(std::string_view operation, DType dtype,
                                                 std::span<const std::int64_t> shape, std::int64_t elements,
                                                 const ConstView& piece);

/// The shape that so many elements fill. Throws when they fill none.
std::vector<std::int64_t> filled_shape(std::string_view operation, std::span<const std::int64_t> shape,
                                       std::int64_t elements);

/// Throws unless the target can be written over, or nothing is unknown.
void require_patchable(std::string_view operation, const FileWriter& file, bool known);

}  // namespace posenc::io
