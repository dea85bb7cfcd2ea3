// SPDX-License-Identifier: Apache-2.0
// Which row a position takes, tables of other images, and the positions of a batch.
#include <posenc/learned.h>
#include <posenc/numbering.h>
#include <posenc/resize.h>

#include "bindings/c/edge.h"

using namespace posenc;

namespace {

ConstView before_or_none(const char* operation, const posenc_view* before) {
  return before == nullptr ? posenc::view(&none_before, {}) : c::view(operation, "before", before);
}

GridSize table_size(const int64_t* extents) { return {extents[0], extents[1]}; }

}  // namespace

posenc_status posenc_learned_rows(const posenc_convention* convention, const posenc_positions* coordinates, size_t axes,
                                  const posenc_view* out, posenc_error* error) {
  constexpr const char* operation = "posenc_learned_rows";
  return c::call(operation, error, [&] {
    learned_rows(c::given(operation, "convention", convention).value, c::coordinates(operation, coordinates, axes),
                 c::view(operation, "out", out));
  });
}

posenc_status posenc_resize_table(const posenc_convention* convention, const posenc_view* table, const int64_t* from,
                                  const int64_t* to, const posenc_view* out, const posenc_run* run,
                                  posenc_error* error) {
  constexpr const char* operation = "posenc_resize_table";
  return c::call(operation, error, [&] {
    const Convention& of = c::given(operation, "convention", convention).value;
    const ConstView rows = c::view(operation, "table", table);
    const GridSize target = table_size(&c::given(operation, "to", to));
    const View written = c::view(operation, "out", out);
    const Options options = {.executor = c::run(operation, run).executor};
    if (from == nullptr) return resize_table(of, rows, target, written, options);
    resize_table(of, rows, table_size(from), target, written, options);
  });
}

posenc_status posenc_positions_of_mask(const posenc_view* mask, int64_t first, int64_t absent,
                                       const posenc_view* before, const posenc_view* out, posenc_error* error) {
  constexpr const char* operation = "posenc_positions_of_mask";
  return c::call(operation, error, [&] {
    positions_of_mask(c::view(operation, "mask", mask), {first, absent}, before_or_none(operation, before),
                      c::view(operation, "out", out));
  });
}

posenc_status posenc_positions_of_ids(const posenc_view* ids, int64_t padding_id, int64_t first, int64_t absent,
                                      const posenc_view* before, const posenc_view* out, posenc_error* error) {
  constexpr const char* operation = "posenc_positions_of_ids";
  return c::call(operation, error, [&] {
    positions_of_ids(c::view(operation, "ids", ids), padding_id, {first, absent}, before_or_none(operation, before),
                     c::view(operation, "out", out));
  });
}

posenc_status posenc_positions_of_ends(const posenc_view* ends, int64_t first, const posenc_view* out,
                                       posenc_error* error) {
  constexpr const char* operation = "posenc_positions_of_ends";
  return c::call(operation, error,
                 [&] { positions_of_ends(c::view(operation, "ends", ends), first, c::view(operation, "out", out)); });
}
