// SPDX-License-Identifier: Apache-2.0
// Rows of positions, coordinates and cells.
#include <posenc/grid.h>
#include <posenc/preset.h>
#include <posenc/rows.h>
#include <posenc/sinusoid.h>

#include "bindings/c/edge.h"

using namespace posenc;

struct posenc_rows {
  Rows rows;
};
struct posenc_coordinates {
  Rows rows;
};
struct posenc_grid {
  Rows rows;
  PlaceNumbering places;
};
struct posenc_grid_chunks {
  GridChunks chunks;
};

// ---- rows ----

posenc_status posenc_rows_new(const posenc_convention* convention, int64_t dim, const char* recipe,
                              const posenc_context* context, posenc_rows** out, posenc_error* error) {
  constexpr const char* operation = "posenc_rows_new";
  return c::made(operation, out, error, [&] {
    const Convention& own = c::given(operation, "convention", convention).value;
    require(check_use("sinusoid", ConventionUse::rows, own));
    return Rows(own, dim, c::options(operation, convention, recipe, context));
  });
}

void posenc_rows_free(posenc_rows* rows) { delete rows; }

int64_t posenc_rows_width(const posenc_rows* rows) { return rows == nullptr ? 0 : rows->rows.width(); }

posenc_status posenc_rows_frequencies(const posenc_rows* rows, double* out, size_t capacity, size_t* count,
                                      posenc_error* error) {
  constexpr const char* operation = "posenc_rows_frequencies";
  return c::call(operation, error, [&] {
    c::write_numbers(operation, c::given(operation, "rows", rows).rows.frequencies(), out, capacity, count);
  });
}

posenc_status posenc_rows_write(const posenc_rows* rows, const posenc_positions* positions, const posenc_view* out,
                                const posenc_run* run, posenc_error* error) {
  constexpr const char* operation = "posenc_rows_write";
  return c::call(operation, error, [&] {
    const c::Run by = c::run(operation, run);
    c::given(operation, "rows", rows)
        .rows.write(c::positions(operation, "positions", positions), c::view(operation, "out", out), by.executor,
                    by.reading);
  });
}

posenc_status posenc_rows_add(const posenc_rows* rows, const posenc_positions* positions, const posenc_view* in,
                              const posenc_view* out, const posenc_run* run, posenc_error* error) {
  constexpr const char* operation = "posenc_rows_add";
  return c::call(operation, error, [&] {
    c::given(operation, "rows", rows)
        .rows.add(c::positions(operation, "positions", positions), c::view(operation, "in", in),
                  c::view(operation, "out", out), c::run(operation, run).executor);
  });
}

// ---- coordinates ----

posenc_status posenc_coordinates_new(const posenc_convention* convention, int64_t dim, const char* recipe,
                                     const posenc_context* context, posenc_coordinates** out, posenc_error* error) {
  constexpr const char* operation = "posenc_coordinates_new";
  return c::made(operation, out, error, [&] {
    return Rows(c::given(operation, "convention", convention).value, dim,
                c::options(operation, convention, recipe, context));
  });
}

void posenc_coordinates_free(posenc_coordinates* rows) { delete rows; }

int64_t posenc_coordinates_width(const posenc_coordinates* rows) { return rows == nullptr ? 0 : rows->rows.width(); }

posenc_status posenc_coordinates_write(const posenc_coordinates* rows, const posenc_positions* coordinates, size_t axes,
                                       const posenc_view* out, const posenc_run* run, posenc_error* error) {
  constexpr const char* operation = "posenc_coordinates_write";
  return c::call(operation, error, [&] {
    c::given(operation, "rows", rows)
        .rows.write(c::coordinates(operation, coordinates, axes), c::view(operation, "out", out),
                    c::run(operation, run).executor);
  });
}

// ---- places ----

posenc_status posenc_preset_places(const char* name, posenc_places* out, posenc_error* error) {
  constexpr const char* operation = "posenc_preset_places";
  return c::call(operation, error, [&] {
    const PlaceNumbering from = places_of(preset(&c::given(operation, "name", name)));
    const double* first = std::get_if<double>(&from.first);
    c::given(operation, "out", out) = {
        static_cast<uint32_t>(first != nullptr ? POSENC_FIRST_NUMBER : POSENC_FIRST_MINUS_HALF),
        static_cast<uint32_t>(from.divisor),
        static_cast<uint32_t>(from.rounding),
        0,
        first != nullptr ? *first : 0,
        from.eps,
        from.gain,
        from.shift};
  });
}

posenc_status posenc_place_coordinates(const posenc_places* places, const int64_t* extents, size_t axes, size_t axis,
                                       const posenc_view* out, posenc_error* error) {
  constexpr const char* operation = "posenc_place_coordinates";
  return c::call(operation, error, [&] {
    c::require_few(operation, "axes", axes, max_rank);
    place_coordinates(c::places(operation, places), {&c::given(operation, "extents", extents), axes}, axis,
                      c::view(operation, "out", out));
  });
}

posenc_status posenc_masked_place_coordinates(const posenc_places* places, const posenc_view* mask, size_t axis,
                                              const posenc_view* out, posenc_error* error) {
  constexpr const char* operation = "posenc_masked_place_coordinates";
  return c::call(operation, error, [&] {
    masked_place_coordinates(c::places(operation, places), c::view(operation, "mask", mask), axis,
                             c::view(operation, "out", out));
  });
}

// ---- grids ----

posenc_status posenc_grid_new(const posenc_convention* convention, int64_t dim, const char* recipe,
                              const posenc_context* context, const posenc_places* places, posenc_grid** out,
                              posenc_error* error) {
  constexpr const char* operation = "posenc_grid_new";
  return c::made(operation, out, error, [&] {
    const posenc_convention& of = c::given(operation, "convention", convention);
    require(check_use("grid", ConventionUse::cells, of.value));
    return posenc_grid{Rows(of.value, dim, c::options(operation, convention, recipe, context)),
                       c::cell_places(operation, of, places)};
  });
}

void posenc_grid_free(posenc_grid* grid) { delete grid; }

int64_t posenc_grid_width(const posenc_grid* grid) { return grid == nullptr ? 0 : grid->rows.width(); }

posenc_status posenc_grid_write(const posenc_grid* grid, const posenc_view* out, const posenc_run* run,
                                posenc_error* error) {
  constexpr const char* operation = "posenc_grid_write";
  return c::call(operation, error, [&] {
    const posenc_grid& of = c::given(operation, "grid", grid);
    of.rows.write_cells(c::view(operation, "out", out), of.places, c::run(operation, run).executor);
  });
}

posenc_status posenc_grid_chunks_new(const posenc_grid* grid, const int64_t* extents, size_t axes, uint32_t dtype,
                                     const posenc_run* run, posenc_grid_chunks** out, posenc_error* error) {
  constexpr const char* operation = "posenc_grid_chunks_new";
  return c::made(operation, out, error, [&] {
    c::require_few(operation, "axes", axes, max_rank);
    const int64_t* first = &c::given(operation, "extents", extents);
    const posenc_grid& of = c::given(operation, "grid", grid);
    return GridChunks(of.rows, std::vector<std::int64_t>(first, first + axes), c::enumerator<DType>(dtype), of.places,
                      c::run(operation, run).executor);
  });
}

void posenc_grid_chunks_free(posenc_grid_chunks* chunks) { delete chunks; }

posenc_status posenc_grid_chunks_write(const posenc_grid_chunks* chunks, int64_t first, const posenc_view* out,
                                       const posenc_run* run, posenc_error* error) {
  constexpr const char* operation = "posenc_grid_chunks_write";
  return c::call(operation, error, [&] {
    c::given(operation, "chunks", chunks)
        .chunks.write(first, c::view(operation, "out", out), c::run(operation, run).executor);
  });
}
