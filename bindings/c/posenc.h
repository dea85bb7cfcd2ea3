/* SPDX-License-Identifier: Apache-2.0
   posenc for C: position encodings of Transformers, from C99 on and from C++98 on. One library, libposenc_c, has all
   of it: POSENC_ABI counts its changes of form, and is its soname; no struct crosses it but those of this page.

   What a function computes, in which shapes, types and accuracy, and what it refuses, stands once: in the C++ header
   that its comment names, include/posenc/NAME.h. Here stands what is different in C.

   Status. 0, or who has to act; then the caller's posenc_error, which may be NULL, is filled, and outputs are as they
   were, with the exception that core.h names. No function throws, exits or keeps a last error. A pointer is refused
   where it is NULL, unless its comment says what NULL means.
   Handles. Immutable: one serves any number of threads at once, and keeps nothing alive but what its comment names.
   A _new function writes *out last, and nothing where it fails; _free takes NULL.
   Structs that begin with `size` hold sizeof of themselves: what a later version adds reads as 0 where a program is
   older than the library, and is refused unless it is 0 where the program is newer. Numbers that name something,
   below, begin at 1: a forgotten one is refused.
   Text. In: UTF-8; a length of SIZE_MAX means that it ends with a 0. Out: NULL as `text` asks for *length alone, the
   number of bytes without the 0 at the end; else `capacity` counts that 0, and a smaller one is refused.
   Threads. Functions are safe to call from any, on distinct outputs. */
#ifndef POSENC_H
#define POSENC_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define POSENC_API __attribute__((visibility("default")))
#else
#define POSENC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- versions ---------------------------------------------------------------------------------------------------- */

#define POSENC_ABI 1

typedef struct posenc_version {
  uint32_t abi, major, minor, patch;
} posenc_version;
/* Of the library. A program works with a library whose abi is POSENC_ABI; a changed bit of an output is a major
   version. */
POSENC_API posenc_version posenc_get_version(void);

/* ---- status and errors ------------------------------------------------------------------------------------------- */

enum {
  POSENC_OK = 0,
  POSENC_INPUT = 1, /* the caller, whose input breaks a rule */
  POSENC_SYSTEM = 2 /* the system, which failed us: memory, threads */
};
typedef int32_t posenc_status;

/* "[operation] rule, got value", at index[0 .. rank - 1] where rank is not 0. Texts end with a 0. Nothing is written
   beyond `size`; where it is 0, as in posenc_error e = {0}, the fields that stand here are. The operation is that of
   the C++ header, or the function's own name for what is wrong in C alone. */
typedef struct posenc_error {
  uint32_t size;
  posenc_status cause;
  uint32_t truncated; /* 1: a text did not fit */
  uint32_t rank;
  int64_t index[8];
  char operation[64];
  char rule[640];
  char value[192];
} posenc_error;

/* ---- tensors and positions: core.h, positions.h ------------------------------------------------------------------ */

enum { POSENC_F32 = 1, POSENC_F64, POSENC_F16, POSENC_BF16, POSENC_I32, POSENC_I64 };

/* Element [i, j, ..] stands at data + (i strides[0] + j strides[1] + ..) elements. What is an input is not written. */
typedef struct posenc_view {
  void* data;
  uint32_t dtype;
  uint32_t rank; /* 0 to 8 */
  int64_t shape[8];
  int64_t strides[8]; /* in elements */
} posenc_view;
/* The view of row-major data. */
POSENC_API posenc_status posenc_view_of(void* data, uint32_t dtype, uint32_t rank, const int64_t* shape,
                                        posenc_view* out, posenc_error* error);

enum {
  POSENC_RANGE = 1,  /* start, start + step, ..: count of them */
  POSENC_REAL_RANGE, /* the same of real_start and real_step */
  POSENC_LIST        /* list, [L] or [B, L], alive while it is used */
};
typedef struct posenc_positions {
  uint32_t kind;
  uint32_t reserved; /* 0 */
  int64_t count, start, step;
  double real_start, real_step;
  const posenc_view* list;
} posenc_positions;

/* ---- how a call is run ------------------------------------------------------------------------------------------- */

/* Somebody's threads: `run` calls job(context, i) once for every i of [0, count), returns when all have returned, and
   throws nothing. */
typedef struct posenc_executor {
  void (*run)(void* self, int64_t count, void (*job)(void* context, int64_t index), void* context);
  void* self;
} posenc_executor;

enum { POSENC_BY_SIZE = 1, POSENC_SOON, POSENC_LATER };

/* NULL: the calling thread, by size. */
typedef struct posenc_run {
  uint32_t size;
  uint32_t reading;         /* when the output is read again; only of posenc_rows_write and the stage */
  posenc_executor executor; /* of NULL: the calling thread */
} posenc_run;

/* pool.h. It outlives the calls that use its executor. */
typedef struct posenc_pool posenc_pool;
POSENC_API posenc_status posenc_pool_new(int32_t threads, posenc_pool** out, posenc_error* error);
POSENC_API void posenc_pool_free(posenc_pool* pool);
POSENC_API posenc_executor posenc_pool_executor(const posenc_pool* pool); /* of NULL: a null executor */

/* ---- conventions: convention.h, spec.h, preset.h, recipe.h ------------------------------------------------------- */

typedef struct posenc_convention posenc_convention;

/* Of a document of JSON, or of the name of a preset, or an alias of one: what begins with { is a document. */
POSENC_API posenc_status posenc_convention_new(const char* text, size_t length, posenc_convention** out,
                                               posenc_error* error);
/* The same convention with fields changed, one after the other: "ladder.base" to "500000". */
POSENC_API posenc_status posenc_convention_with(const posenc_convention* convention, const char* const* paths,
                                                const char* const* values, size_t count, posenc_convention** out,
                                                posenc_error* error);
POSENC_API void posenc_convention_free(posenc_convention* convention);
/* Version 2, every field: equal conventions have equal text. */
POSENC_API posenc_status posenc_convention_json(const posenc_convention* convention, char* text, size_t capacity,
                                                size_t* length, posenc_error* error);
/* A JSON Schema of such documents. */
POSENC_API posenc_status posenc_convention_schema(char* text, size_t capacity, size_t* length, posenc_error* error);

enum {
  POSENC_ROWS = 1,
  POSENC_TOKENS,
  POSENC_TIMESTEPS,
  POSENC_CELLS,
  POSENC_COORDINATES,
  POSENC_ROTATIONS,
  POSENC_SLOPES,
  POSENC_CLASSES,
  POSENC_WINDOWS,
  POSENC_LOG_COORDINATES,
  POSENC_QUERY_SCALES,
  POSENC_STORED_ROWS,
  POSENC_RESIZED_TABLES
};
/* Does the convention give what an operation asks for? */
POSENC_API posenc_status posenc_convention_check(const posenc_convention* convention, uint32_t use,
                                                 posenc_error* error);
/* The names of its axes in the order in which coordinates are passed, and in that of the indices of a cell; NULL from
   their number on. They live as long as the handle. */
POSENC_API const char* posenc_convention_axis(const posenc_convention* convention, size_t number);
POSENC_API const char* posenc_convention_cell_axis(const posenc_convention* convention, size_t number);
/* Columns of a row at width `dim`. */
POSENC_API posenc_status posenc_convention_columns(const posenc_convention* convention, int64_t dim, int64_t* out,
                                                   posenc_error* error);
/* context.h: which of its ladders the convention has at that length. */
POSENC_API posenc_status posenc_convention_regime(const posenc_convention* convention, int64_t length, int64_t* out,
                                                  posenc_error* error);

/* The presets' and the recipes' names; NULL from their number on. */
POSENC_API const char* posenc_preset_name(size_t number);
POSENC_API const char* posenc_recipe_name(size_t number);
/* Everything a preset states, with its original's recipe and stage. */
POSENC_API posenc_status posenc_preset_json(const char* name, char* text, size_t capacity, size_t* length,
                                            posenc_error* error);

/* context.h: what a call states besides. A number that `stated` does not name is not stated. NULL: nothing is. */
enum { POSENC_CENTRE = 1, POSENC_LEARNED = 2 };
typedef struct posenc_context {
  uint32_t size;
  uint32_t stated;
  int64_t length; /* 0: not stated */
  double centre, learned;
} posenc_context;

/* Everywhere below: `recipe` is a name, of NULL "exact"; "original" is that of the preset by whose name the convention
   was asked. */

/* ---- rows of positions, coordinates and cells: rows.h, sinusoid.h, grid.h, places.h ---------------------------- */

typedef struct posenc_rows posenc_rows; /* Rows of one axis */
POSENC_API posenc_status posenc_rows_new(const posenc_convention* convention, int64_t dim, const char* recipe,
                                         const posenc_context* context, posenc_rows** out, posenc_error* error);
POSENC_API void posenc_rows_free(posenc_rows* rows);
POSENC_API int64_t posenc_rows_width(const posenc_rows* rows); /* this and other widths: 0 of NULL */
/* *count frequencies; `out` has room for `capacity` of them, NULL asks for *count alone. */
POSENC_API posenc_status posenc_rows_frequencies(const posenc_rows* rows, double* out, size_t capacity, size_t* count,
                                                 posenc_error* error);
POSENC_API posenc_status posenc_rows_write(const posenc_rows* rows, const posenc_positions* positions,
                                           const posenc_view* out, const posenc_run* run, posenc_error* error);
POSENC_API posenc_status posenc_rows_add(const posenc_rows* rows, const posenc_positions* positions,
                                         const posenc_view* in, const posenc_view* out, const posenc_run* run,
                                         posenc_error* error);

typedef struct posenc_coordinates posenc_coordinates; /* Rows */
POSENC_API posenc_status posenc_coordinates_new(const posenc_convention* convention, int64_t dim, const char* recipe,
                                                const posenc_context* context, posenc_coordinates** out,
                                                posenc_error* error);
POSENC_API void posenc_coordinates_free(posenc_coordinates* rows);
POSENC_API int64_t posenc_coordinates_width(const posenc_coordinates* rows);
/* `axes` lists, one for each axis. */
POSENC_API posenc_status posenc_coordinates_write(const posenc_coordinates* rows, const posenc_positions* coordinates,
                                                  size_t axes, const posenc_view* out, const posenc_run* run,
                                                  posenc_error* error);

/* places.h: ((i + first) / (divisor + eps)) gain + shift. NULL: 0, 1, 2, .. */
enum { POSENC_FIRST_NUMBER = 1, POSENC_FIRST_MINUS_HALF };
enum {
  POSENC_DIVISOR_ONE = 1,
  POSENC_DIVISOR_COUNT,
  POSENC_DIVISOR_GAPS,
  POSENC_DIVISOR_LAST,
  POSENC_DIVISOR_LONGEST,
  POSENC_DIVISOR_SHORTEST
};
enum { POSENC_PLACES_AS_THEY_ARE = 1, POSENC_PLACES_FLOOR };
typedef struct posenc_places {
  uint32_t first_kind, divisor, rounding;
  uint32_t reserved; /* 0 */
  double first, eps, gain, shift;
} posenc_places;
/* Those of a preset; 0, 1, 2, .. where it states none. */
POSENC_API posenc_status posenc_preset_places(const char* name, posenc_places* out, posenc_error* error);
POSENC_API posenc_status posenc_place_coordinates(const posenc_places* places, const int64_t* extents, size_t axes,
                                                  size_t axis, const posenc_view* out, posenc_error* error);
POSENC_API posenc_status posenc_masked_place_coordinates(const posenc_places* places, const posenc_view* mask,
                                                         size_t axis, const posenc_view* out, posenc_error* error);

/* Rows. Places of NULL are those of the preset by whose name the convention was made, else those of the presets
 * that it is, else 0, 1, 2, ..; presets that do not agree are refused. */
typedef struct posenc_grid posenc_grid;
POSENC_API posenc_status posenc_grid_new(const posenc_convention* convention, int64_t dim, const char* recipe,
                                         const posenc_context* context, const posenc_places* places, posenc_grid** out,
                                         posenc_error* error);
POSENC_API void posenc_grid_free(posenc_grid* grid);
POSENC_API int64_t posenc_grid_width(const posenc_grid* grid);
POSENC_API posenc_status posenc_grid_write(const posenc_grid* grid, const posenc_view* out, const posenc_run* run,
                                           posenc_error* error);
/* Rows first, first + 1, .. of the flat table [height width, d] of those extents; it keeps what cells share. */
typedef struct posenc_grid_chunks posenc_grid_chunks; /* GridChunks */
POSENC_API posenc_status posenc_grid_chunks_new(const posenc_grid* grid, const int64_t* extents, size_t axes,
                                                uint32_t dtype, const posenc_run* run, posenc_grid_chunks** out,
                                                posenc_error* error);
POSENC_API void posenc_grid_chunks_free(posenc_grid_chunks* chunks);
POSENC_API posenc_status posenc_grid_chunks_write(const posenc_grid_chunks* chunks, int64_t first,
                                                  const posenc_view* out, const posenc_run* run, posenc_error* error);

/* ---- rotations: rotary.h, rotary_cache.h, rerotate.h ------------------------------------------------------------- */

enum { POSENC_FORWARD = 1, POSENC_INVERSE };
enum { POSENC_QUERY = 1, POSENC_KEY };
enum { POSENC_BEFORE_COLUMNS = 1, POSENC_BEFORE_HEADS };
/* In place where both are the same view. */
typedef struct posenc_rotated {
  const posenc_view *in, *out;
  uint32_t side, tokens; /* 0: not stated; tokens then stand before the columns */
} posenc_rotated;

typedef struct posenc_rotary posenc_rotary; /* RotaryRows */
POSENC_API posenc_status posenc_rotary_new(const posenc_convention* convention, int64_t rotated, const char* recipe,
                                           const posenc_context* context, posenc_rotary** out, posenc_error* error);
POSENC_API void posenc_rotary_free(posenc_rotary* rotary);
POSENC_API int64_t posenc_rotary_width(const posenc_rotary* rotary);
POSENC_API posenc_status posenc_rotary_rotate(const posenc_rotary* rotary, const posenc_positions* coordinates,
                                              size_t axes, const posenc_rotated* tensors, size_t count,
                                              uint32_t direction, const posenc_run* run, posenc_error* error);

typedef struct posenc_rotary_cache posenc_rotary_cache; /* RotaryCache */
POSENC_API posenc_status posenc_rotary_cache_new(const posenc_convention* convention, int64_t head, const char* recipe,
                                                 const posenc_context* context, posenc_rotary_cache** out,
                                                 posenc_error* error);
POSENC_API void posenc_rotary_cache_free(posenc_rotary_cache* cache);
POSENC_API int64_t posenc_rotary_cache_width(const posenc_rotary_cache* cache);
/* The names of its tensors; NULL from their number on. */
POSENC_API const char* posenc_rotary_cache_tensor(const posenc_rotary_cache* cache, size_t number);
/* As posenc_rows_frequencies: what others call inv_freq. */
POSENC_API posenc_status posenc_rotary_cache_frequencies(const posenc_rotary_cache* cache, double* out, size_t capacity,
                                                         size_t* count, posenc_error* error);
POSENC_API posenc_status posenc_rotary_cache_write(const posenc_rotary_cache* cache, const char* tensor,
                                                   const posenc_positions* coordinates, size_t axes,
                                                   const posenc_view* out, const posenc_run* run, posenc_error* error);

typedef struct posenc_standing {
  const posenc_positions* coordinates;
  size_t axes;
  const posenc_context* context;
} posenc_standing;
POSENC_API posenc_status posenc_rerotate(const posenc_convention* convention, const posenc_standing* from,
                                         const posenc_standing* to, const posenc_rotated* keys, const posenc_run* run,
                                         posenc_error* error);

/* ---- pairs of positions: bias.h, buckets.h, log_coordinates.h, query_scale.h ------------------------------------- */

/* NULL: neither is stated. */
typedef struct posenc_bias_context {
  uint32_t size;
  uint32_t reserved;          /* 0 */
  int64_t head;               /* 0: not stated */
  const posenc_view* present; /* NULL: not stated */
} posenc_bias_context;
POSENC_API posenc_status posenc_bias(const posenc_convention* convention, const posenc_positions* queries,
                                     const posenc_positions* keys, const posenc_bias_context* context,
                                     const posenc_view* out, const posenc_run* run, posenc_error* error);
/* `heads` floats. */
POSENC_API posenc_status posenc_bias_slopes(const posenc_convention* convention, int64_t heads, float* out,
                                            posenc_error* error);
POSENC_API posenc_status posenc_buckets(const posenc_convention* convention, const posenc_positions* queries,
                                        const posenc_positions* keys, const posenc_view* out, const posenc_run* run,
                                        posenc_error* error);
POSENC_API posenc_status posenc_window_buckets(const posenc_convention* convention, int64_t height, int64_t width,
                                               const posenc_view* out, const posenc_run* run, posenc_error* error);
POSENC_API posenc_status posenc_log_coordinates(const posenc_convention* convention, const posenc_view* out,
                                                posenc_error* error);
POSENC_API posenc_status posenc_query_scale(const posenc_convention* convention, const posenc_positions* positions,
                                            const posenc_view* out, const posenc_run* run, posenc_error* error);

/* ---- learned tables and numbering: learned.h, resize.h, numbering.h ---------------------------------------------- */

POSENC_API posenc_status posenc_learned_rows(const posenc_convention* convention, const posenc_positions* coordinates,
                                             size_t axes, const posenc_view* out, posenc_error* error);
/* `from` and `to` are {height, width}; from NULL: a table that is square. */
POSENC_API posenc_status posenc_resize_table(const posenc_convention* convention, const posenc_view* table,
                                             const int64_t* from, const int64_t* to, const posenc_view* out,
                                             const posenc_run* run, posenc_error* error);
/* `before` of NULL: no present place came before. */
POSENC_API posenc_status posenc_positions_of_mask(const posenc_view* mask, int64_t first, int64_t absent,
                                                  const posenc_view* before, const posenc_view* out,
                                                  posenc_error* error);
POSENC_API posenc_status posenc_positions_of_ids(const posenc_view* ids, int64_t padding_id, int64_t first,
                                                 int64_t absent, const posenc_view* before, const posenc_view* out,
                                                 posenc_error* error);
POSENC_API posenc_status posenc_positions_of_ends(const posenc_view* ends, int64_t first, const posenc_view* out,
                                                  posenc_error* error);

/* ---- the input stage: input_stage.h, backward.h, dropout.h, embedding.h ------------------------------------------ */

enum { POSENC_SCALE_NONE = 1, POSENC_SCALE_SQRT_DIM, POSENC_SCALE_NUMBER };
typedef struct posenc_stage_options {
  uint32_t size;
  uint32_t scale;
  double scale_number;     /* of POSENC_SCALE_NUMBER */
  uint32_t scale_rounding; /* the type to which the factor is rounded first; 0: none */
  uint32_t has_padding;    /* 1: padding_id is one */
  int64_t padding_id;
  double dropout;
  uint64_t seed;
  const char* recipe;
  const posenc_context* context;
} posenc_stage_options;
enum { POSENC_EVALUATE = 1, POSENC_TRAIN };
/* NULL: evaluate. */
typedef struct posenc_encode_options {
  uint32_t size;
  uint32_t mode;
  uint32_t call, first;
  const posenc_run* run;
} posenc_encode_options;

/* The signal is a convention's, or the rows of a table: one of the two is given, the other is NULL. The caller keeps
   the memory of `rows` and `table` alive. */
typedef struct posenc_stage posenc_stage; /* InputStage */
POSENC_API posenc_status posenc_stage_new(const posenc_view* rows, const posenc_convention* convention,
                                          const posenc_view* table, const posenc_stage_options* options,
                                          posenc_stage** out, posenc_error* error);
POSENC_API void posenc_stage_free(posenc_stage* stage);
POSENC_API double posenc_stage_factor(const posenc_stage* stage); /* of NULL: 0 */
POSENC_API posenc_status posenc_stage_encode(const posenc_stage* stage, const posenc_view* ids,
                                             const posenc_positions* positions, const posenc_view* out,
                                             const posenc_encode_options* options, posenc_error* error);

typedef struct posenc_backward posenc_backward; /* Backward, of one batch of ids */
POSENC_API posenc_status posenc_backward_new(const posenc_stage* stage, const posenc_view* ids, posenc_backward** out,
                                             posenc_error* error);
POSENC_API void posenc_backward_free(posenc_backward* backward);
/* The *count ids that occur; they live as long as the handle. */
POSENC_API posenc_status posenc_backward_touched(const posenc_backward* backward, const int64_t** ids, size_t* count,
                                                 posenc_error* error);
POSENC_API posenc_status posenc_backward_write(const posenc_backward* backward, const posenc_view* grad_out,
                                               const posenc_view* grad_rows, const posenc_encode_options* options,
                                               posenc_error* error);
POSENC_API posenc_status posenc_backward_write_touched(const posenc_backward* backward, const posenc_view* grad_out,
                                                       const posenc_view* grad_rows,
                                                       const posenc_encode_options* options, posenc_error* error);

POSENC_API posenc_status posenc_dropout(const posenc_view* in, const posenc_view* out, double p, uint64_t seed,
                                        uint32_t call, uint32_t first, posenc_error* error);
/* `padding_id` of NULL: there is none. */
POSENC_API posenc_status posenc_lookup(const posenc_view* rows, const int64_t* padding_id, const posenc_view* ids,
                                       const posenc_view* out, posenc_error* error);
enum { POSENC_INIT_NORMAL = 1, POSENC_INIT_SCALED };
POSENC_API posenc_status posenc_seeded_rows(const posenc_view* out, uint64_t seed, uint64_t stream, uint32_t init,
                                            posenc_error* error);

/* ---- the referee: identify.h, diagnose.h, compare.h, explain.h; referee.h says what the JSON has
 * -----------------------------
 */

/* What was found. Its texts end with a 0 and live as long as the handle; of NULL they are NULL. */
typedef struct posenc_verdict posenc_verdict;
POSENC_API void posenc_verdict_free(posenc_verdict* verdict);
/* 1: identified, right, equal, not wrong, or two conventions that do not part; else, and of an explanation and of NULL,
 * 0. */
POSENC_API uint32_t posenc_verdict_holds(const posenc_verdict* verdict);
POSENC_API const char* posenc_verdict_json(const posenc_verdict* verdict);
POSENC_API const char* posenc_verdict_text(const posenc_verdict* verdict); /* for people */
/* The presets of all that an identification holds to be possible, each once; NULL from their number on. */
POSENC_API const char* posenc_verdict_preset(const posenc_verdict* verdict, size_t number);

enum { POSENC_SAMPLED = 1, POSENC_FULL };
/* NULL: sampled, at places that are not known. */
typedef struct posenc_identify_options {
  uint32_t size;
  uint32_t depth;                    /* 0: sampled */
  const posenc_positions* positions; /* of the rows, `axes` lists; NULL with 0 of them: not known */
  size_t axes;
  const posenc_run* run;
} posenc_identify_options;
POSENC_API posenc_status posenc_identify(const posenc_view* tensor, const posenc_identify_options* options,
                                         posenc_verdict** out, posenc_error* error);
POSENC_API posenc_status posenc_identify_rotation(const posenc_view* before, const posenc_view* after,
                                                  const posenc_positions* positions,
                                                  const posenc_identify_options* options, posenc_verdict** out,
                                                  posenc_error* error);

/* NULL: the tensor's own width, no context. */
typedef struct posenc_check_options {
  uint32_t size;
  uint32_t reserved; /* 0 */
  int64_t dim;       /* 0: that of the tensor */
  const posenc_context* context;
  const posenc_identify_options* identify;
  const posenc_places* places; /* of the cells; NULL: those of the preset, or of the presets that are the convention */
  const posenc_positions* queries; /* of biases and classes; NULL: the first of the keys, or the last */
  const posenc_positions* keys;    /* NULL: 0, 1, 2, .. */
} posenc_check_options;
/* diagnose: is the tensor what the convention says, and if not, why? */
POSENC_API posenc_status posenc_check(const posenc_view* tensor, const posenc_convention* convention,
                                      const posenc_check_options* options, posenc_verdict** out, posenc_error* error);

/* NULL: usual widths and positions. */
typedef struct posenc_compare_options {
  uint32_t size;
  uint32_t reserved;                 /* 0 */
  int64_t dim;                       /* 0: the usual one */
  const posenc_positions* positions; /* `axes` lists, or one for all axes; NULL with 0 of them: the usual ones */
  size_t axes;
  const posenc_context* context;
  const posenc_run* run;
} posenc_compare_options;
POSENC_API posenc_status posenc_compare(const posenc_convention* a, const posenc_convention* b,
                                        const posenc_compare_options* options, posenc_verdict** out,
                                        posenc_error* error);

typedef struct posenc_entry {
  uint32_t size;
  uint32_t side; /* 0: the query's */
  int64_t dim, column, head_width;
  const posenc_positions* at; /* `axes` lists of one position */
  size_t axes;
  const posenc_context* context;
  const double* before; /* 2; NULL: 1 and 0 */
} posenc_entry;
POSENC_API posenc_status posenc_explain(const posenc_convention* convention, const posenc_entry* entry,
                                        const char* recipe, posenc_verdict** out, posenc_error* error);
/* Where two conventions part: the JSON is null where they do not. */
POSENC_API posenc_status posenc_parting(const posenc_convention* a, const posenc_convention* b, int64_t dim,
                                        int64_t positions, const posenc_context* context, posenc_verdict** out,
                                        posenc_error* error);

/* ---- conformance: conformance.h; docs/conformance.md says what the JSON has ------------------------------------- */

/* Every case as JSON, {"cases": [..], "without": [..]}; the text names them, a line each. */
POSENC_API posenc_status posenc_conformance_cases(posenc_verdict** out, posenc_error* error);
/* The values of the case of a preset by a recipe, "original" its own, NULL exact: `out` has the shape that the case
 * states, in f32, f64, or of integers i64. */
POSENC_API posenc_status posenc_conformance_values(const char* preset, const char* recipe, const posenc_view* out,
                                                   posenc_error* error);
/* The score of an answer to the case of a preset, as a line of a score card; it holds where it is not wrong. */
POSENC_API posenc_status posenc_conformance_score(const char* preset, const posenc_view* answer, posenc_verdict** out,
                                                  posenc_error* error);

/* ---- numbers moved from one convention to another: head_order.h, table_order.h ------------------------------------
 */

/* `head` columns each. */
POSENC_API posenc_status posenc_head_order(const posenc_convention* from, const posenc_convention* to, int64_t head,
                                           const posenc_context* context, int64_t* read, int64_t* written,
                                           posenc_error* error);
enum { POSENC_HOLDS_QUERY = 1, POSENC_HOLDS_KEY, POSENC_HOLDS_VALUE };
typedef struct posenc_head_run {
  uint32_t holds;
  uint32_t reserved; /* 0 */
  int64_t heads;
} posenc_head_run;
typedef struct posenc_projection {
  int64_t groups;
  const posenc_head_run* runs;
  size_t count;
} posenc_projection;
/* `in` and `out` are `bytes` long, a row after another; `read` is of posenc_head_order. */
POSENC_API posenc_status posenc_reorder_rows(const int64_t* read, int64_t head, const posenc_projection* projection,
                                             const void* in, void* out, size_t bytes, posenc_error* error);
typedef struct posenc_head_proof {
  uint32_t holds;    /* 1: it does */
  uint32_t reserved; /* 0 */
  int64_t heads, columns, positions;
  int64_t parted; /* -1: none */
  double difference, bound;
} posenc_head_proof;
POSENC_API posenc_status posenc_prove_head_order(const posenc_convention* from, const posenc_convention* to,
                                                 const int64_t* read, const int64_t* written, int64_t head,
                                                 const posenc_projection* projections, size_t count,
                                                 const posenc_context* context, uint64_t seed, posenc_head_proof* out,
                                                 posenc_error* error);
/* *count columns; `out` has room for `capacity` of them, NULL asks for *count alone. */
POSENC_API posenc_status posenc_table_order(const posenc_convention* from, const posenc_convention* to, int64_t dim,
                                            const posenc_context* context, int64_t* out, size_t capacity, size_t* count,
                                            posenc_error* error);
POSENC_API posenc_status posenc_reorder_columns(const int64_t* order, size_t count, const posenc_view* in,
                                                const posenc_view* out, posenc_error* error);
typedef struct posenc_table_proof {
  int64_t entries, equal;
  double furthest;
  int64_t row, column; /* of the first entry outside; -1: none is */
} posenc_table_proof;
POSENC_API posenc_status posenc_prove_table(const posenc_convention* convention, int64_t first,
                                            const posenc_view* table, const posenc_context* context,
                                            posenc_table_proof* out, posenc_error* error);

/* ---- configurations of models: inspect.h ------------------------------------------------------------------------- */

/* A text of NULL, and a number of 0, is not stated. NULL: nothing is. */
typedef struct posenc_inspect_options {
  uint32_t size;
  uint32_t reserved; /* 0 */
  const char *source, *as, *part;
  int64_t length;
  int64_t frequencies;
} posenc_inspect_options;
/* The positions that a config.json states, as one line of JSON. What the model has besides is its "missing". */
POSENC_API posenc_status posenc_inspect(const char* json, size_t bytes, const posenc_inspect_options* options,
                                        char* text, size_t capacity, size_t* length, posenc_error* error);

#ifdef __cplusplus
}
#endif

#endif
