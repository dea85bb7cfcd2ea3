/* SPDX-License-Identifier: Apache-2.0
   Every function that returns a status, called rightly once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misuse.h"

/* What is written, next to each other. */
static struct {
  float rows[4][8], grid[2][2][8], slopes[4], tensor[4][8], biases[4][4][4], logs[3][3][2], factors[4],
      factors_of_case[17];
  float encoded[4][8], grad[16][8], touched[4][8], dropped[4][8], looked[4][8], seeded[4][8], resized[10][8];
  float cosines[4][8], columns[4][8], weights[16][2];
  double coordinates[2], masked[2][2], frequencies[8];
  int64_t classes[4][4], window[4][4], learned[4], numbered[4], number, read[8], written[8];
  posenc_head_proof head_proof;
  posenc_table_proof table_proof;
  size_t count;
  char text[1 << 16];
  void* handle;
  const int64_t* ids;
  posenc_view view;
  posenc_places places;
} out;

static float embedding[16][8], table[5][8], in[4][8];
static float signal[4][8], turned[4][8], projection_in[16][2];
static int64_t order[8] = {0, 2, 4, 6, 1, 3, 5, 7};
static int64_t ids[4] = {3, 1, 3, 2}, mask[4] = {1, 1, 0, 1}, cells[2][2] = {{1, 1}, {1, 0}}, ends[2] = {0, 4};
static int64_t two[2] = {2, 2}, three[2] = {3, 3}, shape[2] = {4, 8};
static const char *path[1] = {"ladder.base"}, *value[1] = {"500000"};
static posenc_convention *waves, *halves, *cells_of, *rotary, *adjacent, *slopes, *classes, *window, *logs, *scale,
    *learned, *resized, *stored;
static posenc_rows* rows;
static posenc_coordinates* coordinates;
static posenc_grid* grid;
static posenc_grid_chunks* chunks;
static posenc_rotary* rotation;
static posenc_rotary_cache* cache;
static posenc_stage* stage;
static posenc_backward* backward;
static posenc_places places;
static posenc_positions four = {POSENC_RANGE, 0, 4, 0, 1, 0, 0, NULL};
static posenc_positions one = {POSENC_RANGE, 0, 1, 3, 1, 0, 0, NULL};
static posenc_positions pair[2] = {{POSENC_RANGE, 0, 4, 0, 1, 0, 0, NULL},
                                   {POSENC_REAL_RANGE, 0, 4, 0, 1, 0.5, 1, NULL}};
static posenc_context context = {sizeof(posenc_context), 0, 0, 0, 0};
static posenc_run run = {sizeof(posenc_run), POSENC_SOON, {NULL, NULL}};
static posenc_encode_options encoding = {sizeof(posenc_encode_options), POSENC_TRAIN, 0, 0, &run};
static posenc_stage_options options = {
    sizeof(posenc_stage_options), POSENC_SCALE_SQRT_DIM, 0, 0, 1, 0, 0.5, 7, "exact", &context};
static posenc_bias_context present = {sizeof(posenc_bias_context), 0, 0, NULL};
static posenc_inspect_options inspection = {sizeof(posenc_inspect_options), 0, "config.json", NULL, NULL, 0, 0};
static posenc_standing from = {&four, 1, &context}, to = {&four, 1, &context};
static posenc_rotated rotated = {NULL, NULL, POSENC_KEY, POSENC_BEFORE_COLUMNS};
static posenc_identify_options identifying = {sizeof(posenc_identify_options), POSENC_FULL, &four, 1, &run};
static posenc_check_options checking = {sizeof(posenc_check_options), 0, 8, &context, NULL, NULL, NULL, NULL};
static posenc_compare_options comparing = {sizeof(posenc_compare_options), 0, 8, &four, 1, &context, &run};
static posenc_entry entry = {sizeof(posenc_entry), POSENC_QUERY, 8, 1, 0, &one, 1, &context, NULL};
static posenc_head_run heads_of[2] = {{POSENC_HOLDS_QUERY, 0, 1}, {POSENC_HOLDS_VALUE, 0, 1}};
static posenc_projection projection = {1, heads_of, 2};
static const char config[] =
    "{\"model_type\": \"llama\", \"head_dim\": 8, \"hidden_size\": 32, \"num_attention_heads\": 4, "
    "\"num_hidden_layers\": 2, \"rope_theta\": 10000.0}";

static posenc_view v_rows, v_grid, v_flat, v_tensor, v_in, v_biases, v_logs, v_factors, v_encoded, v_grad, v_touched;
static posenc_view v_dropped, v_looked, v_seeded, v_resized, v_cosines, v_coordinates, v_masked, v_classes, v_window;
static posenc_view v_signal, v_turned, v_columns;
static posenc_view v_case, v_answer, v_learned, v_numbered, v_embedding, v_table, v_ids, v_mask, v_cells, v_ends,
    v_grad_out;

static void must(posenc_status status, const posenc_error* error) {
  if (status == POSENC_OK) return;
  fprintf(stderr, "[%s] %s, got %s\n", error->operation, error->rule, error->value);
  exit(1);
}

static posenc_view tensor_of(void* data, uint32_t dtype, uint32_t rank, int64_t a, int64_t b, int64_t c) {
  posenc_error error = {sizeof error, 0, 0, 0, {0}, "", "", ""};
  posenc_view view;
  int64_t sizes[3];
  sizes[0] = a, sizes[1] = b, sizes[2] = c;
  must(posenc_view_of(data, dtype, rank, sizes, &view, &error), &error);
  return view;
}

static posenc_convention* named(const char* name, const char* change, const char* to_value) {
  posenc_error error = {sizeof error, 0, 0, 0, {0}, "", "", ""};
  posenc_convention *first, *made;
  must(posenc_convention_new(name, strlen(name), &first, &error), &error);
  if (change == NULL) return first;
  must(posenc_convention_with(first, &change, &to_value, 1, &made, &error), &error);
  posenc_convention_free(first);
  return made;
}

#define CALL(name, arguments) \
  static posenc_status name(void** a, posenc_error* error) { return posenc_##name arguments; }
CALL(view_of, (out.rows, POSENC_F32, 2, a[0], a[1], error))
CALL(pool_new, (1, a[0], error))
CALL(convention_new, (a[0], a[0] == NULL ? 0 : strlen(a[0]), a[1], error))
CALL(convention_with, (a[0], a[1], a[2], 1, a[3], error))
CALL(convention_json, (a[0], out.text, sizeof out.text, a[1], error))
CALL(convention_schema, (out.text, sizeof out.text, a[0], error))
CALL(convention_check, (a[0], POSENC_ROWS, error))
CALL(convention_columns, (a[0], 8, a[1], error))
CALL(convention_regime, (a[0], 8, a[1], error))
CALL(preset_json, (a[0], out.text, sizeof out.text, a[1], error))
CALL(preset_places, (a[0], a[1], error))
CALL(inspect, (a[0], sizeof config - 1, a[1], out.text, sizeof out.text, a[2], error))
CALL(rows_new, (a[0], 8, a[1], a[2], a[3], error))
CALL(rows_frequencies, (a[0], out.frequencies, 8, a[1], error))
CALL(rows_write, (a[0], a[1], a[2], a[3], error))
CALL(rows_add, (a[0], a[1], a[2], a[3], a[4], error))
CALL(coordinates_new, (a[0], 8, a[1], a[2], a[3], error))
CALL(coordinates_write, (a[0], a[1], 2, a[2], a[3], error))
CALL(place_coordinates, (&places, a[0], 2, 0, a[1], error))
CALL(masked_place_coordinates, (&places, a[0], 1, a[1], error))
CALL(grid_new, (a[0], 8, a[1], a[2], &places, a[3], error))
CALL(grid_write, (a[0], a[1], a[2], error))
CALL(grid_chunks_new, (a[0], a[1], 2, POSENC_F32, a[2], a[3], error))
CALL(grid_chunks_write, (a[0], 0, a[1], a[2], error))
CALL(rotary_new, (a[0], 8, a[1], a[2], a[3], error))
CALL(rotary_cache_new, (a[0], 8, a[1], a[2], a[3], error))
CALL(rotary_cache_frequencies, (a[0], out.frequencies, 8, a[1], error))
CALL(rotary_cache_write, (a[0], a[1], a[2], 1, a[3], a[4], error))
CALL(bias, (a[0], a[1], a[2], a[3], a[4], a[5], error))
CALL(bias_slopes, (a[0], 4, a[1], error))
CALL(buckets, (a[0], a[1], a[2], a[3], a[4], error))
CALL(window_buckets, (a[0], 2, 2, a[1], a[2], error))
CALL(log_coordinates, (a[0], a[1], error))
CALL(query_scale, (a[0], a[1], a[2], a[3], error))
CALL(learned_rows, (a[0], a[1], 1, a[2], error))
CALL(resize_table, (a[0], a[1], two, a[2], a[3], a[4], error))
CALL(positions_of_mask, (a[0], 0, 1, NULL, a[1], error))
CALL(positions_of_ids, (a[0], 1, 2, 1, NULL, a[1], error))
CALL(positions_of_ends, (a[0], 0, a[1], error))
CALL(stage_new, (a[0], waves, NULL, a[1], a[2], error))
CALL(stage_encode, (a[0], a[1], a[2], a[3], a[4], error))
CALL(backward_new, (a[0], a[1], a[2], error))
CALL(backward_touched, (a[0], a[1], a[2], error))
CALL(backward_write, (a[0], a[1], a[2], a[3], error))
CALL(backward_write_touched, (a[0], a[1], a[2], a[3], error))
CALL(dropout, (a[0], a[1], 0.5, 7, 0, 0, error))
CALL(lookup, (a[0], NULL, a[1], a[2], error))
CALL(seeded_rows, (a[0], 7, 0, POSENC_INIT_NORMAL, error))
CALL(identify, (a[0], a[1], a[2], error))
CALL(identify_rotation, (a[0], a[1], a[2], a[3], a[4], error))
CALL(check, (a[0], a[1], a[2], a[3], error))
CALL(compare, (a[0], a[1], a[2], a[3], error))
CALL(explain, (a[0], a[1], a[2], a[3], error))
CALL(parting, (a[0], a[1], 8, 100, a[2], a[3], error))
CALL(conformance_cases, (a[0], error))
CALL(conformance_values, (a[0], a[1], a[2], error))
CALL(conformance_score, (a[0], a[1], a[2], error))
CALL(head_order, (a[0], a[1], 8, a[2], a[3], a[4], error))
CALL(reorder_rows, (a[0], 8, a[1], a[2], a[3], sizeof out.weights, error))
CALL(prove_head_order, (a[0], a[1], a[2], a[3], 8, a[4], 1, a[5], 7, a[6], error))
CALL(table_order, (a[0], a[1], 8, a[2], out.read, 8, a[3], error))
CALL(reorder_columns, (a[0], 8, a[1], a[2], error))
CALL(prove_table, (a[0], 0, a[1], a[2], a[3], error))

static posenc_status rotary_rotate(void** a, posenc_error* error) {
  posenc_rotated tensors[2] = {{NULL, NULL, POSENC_QUERY, POSENC_BEFORE_COLUMNS}, {NULL, NULL, 0, 0}};
  tensors[0].in = a[2], tensors[0].out = a[3];
  tensors[1].in = &v_in, tensors[1].out = &v_dropped;
  return posenc_rotary_rotate(a[0], a[1], 1, tensors, 2, POSENC_FORWARD, a[4], error);
}

static posenc_status rerotate(void** a, posenc_error* error) {
  posenc_rotated keys = rotated;
  posenc_standing before = from, after = to;
  before.coordinates = a[1], before.context = a[3];
  after.coordinates = a[2], after.context = a[4];
  keys.in = a[5], keys.out = a[6];
  return posenc_rerotate(a[0], &before, &after, &keys, a[7], error);
}

/* Handles as they are once they are made: their addresses are not constant. */
static struct example all[80];
const struct example* const examples = all;
static int count;

static void add(const char* name, posenc_status (*call)(void**, posenc_error*), const enum kind* kinds, void** good) {
  int i;
  all[count].name = name;
  all[count].call = call;
  for (i = 0; kinds[i] != END; ++i) {
    all[count].slots[i].kind = kinds[i];
    all[count].slots[i].good = good[i];
  }
  ++count;
}

#define KINDS(...) ((const enum kind[]){__VA_ARGS__, END})
#define GOOD(...) ((void*[]){__VA_ARGS__})
#define EXAMPLE(name, kinds, good) add("posenc_" #name, name, kinds, good)

static void describe_texts(void) {
  static char waves_name[] = "transformer", exact[] = "exact", detr[] = "detr-sine", cos_name[] = "cos",
              json[sizeof config];
  memcpy(json, config, sizeof config);
  EXAMPLE(view_of, KINDS(POINTER, POINTER), GOOD(shape, &out.view));
  EXAMPLE(pool_new, KINDS(POINTER), GOOD(&out.handle));
  EXAMPLE(convention_new, KINDS(WORD, POINTER), GOOD(waves_name, &out.handle));
  EXAMPLE(convention_with, KINDS(POINTER, POINTER, POINTER, POINTER),
          GOOD(waves, (void*)path, (void*)value, &out.handle));
  EXAMPLE(convention_json, KINDS(POINTER, POINTER), GOOD(waves, &out.count));
  EXAMPLE(convention_schema, KINDS(POINTER), GOOD(&out.count));
  EXAMPLE(convention_check, KINDS(POINTER), GOOD(waves));
  EXAMPLE(convention_columns, KINDS(POINTER, POINTER), GOOD(waves, &out.number));
  EXAMPLE(convention_regime, KINDS(POINTER, POINTER), GOOD(rotary, &out.number));
  EXAMPLE(preset_json, KINDS(WORD, POINTER), GOOD(waves_name, &out.count));
  EXAMPLE(preset_places, KINDS(WORD, POINTER), GOOD(detr, &out.places));
  EXAMPLE(inspect, KINDS(POINTER, CONTEXT, POINTER), GOOD(json, &inspection, &out.count));
  EXAMPLE(rows_new, KINDS(POINTER, RECIPE, CONTEXT, POINTER), GOOD(waves, exact, &context, &out.handle));
  EXAMPLE(coordinates_new, KINDS(POINTER, RECIPE, CONTEXT, POINTER), GOOD(cells_of, exact, &context, &out.handle));
  EXAMPLE(grid_new, KINDS(POINTER, RECIPE, CONTEXT, POINTER), GOOD(cells_of, exact, &context, &out.handle));
  EXAMPLE(rotary_new, KINDS(POINTER, RECIPE, CONTEXT, POINTER), GOOD(rotary, exact, &context, &out.handle));
  EXAMPLE(rotary_cache_new, KINDS(POINTER, RECIPE, CONTEXT, POINTER), GOOD(stored, exact, &context, &out.handle));
  EXAMPLE(rotary_cache_write, KINDS(POINTER, WORD, POSITIONS, OUT, RUN),
          GOOD(cache, cos_name, &four, &v_cosines, &run));
}

static void describe_tables(void) {
  EXAMPLE(rows_frequencies, KINDS(POINTER, POINTER), GOOD(rows, &out.count));
  EXAMPLE(rows_write, KINDS(POINTER, POSITIONS, OUT, RUN), GOOD(rows, &four, &v_rows, &run));
  EXAMPLE(rows_add, KINDS(POINTER, POSITIONS, IN, OUT, RUN), GOOD(rows, &four, &v_in, &v_rows, &run));
  EXAMPLE(coordinates_write, KINDS(POINTER, POSITIONS, OUT, RUN), GOOD(coordinates, pair, &v_rows, &run));
  EXAMPLE(place_coordinates, KINDS(POINTER, OUT), GOOD(two, &v_coordinates));
  EXAMPLE(masked_place_coordinates, KINDS(IN, OUT), GOOD(&v_cells, &v_masked));
  EXAMPLE(grid_write, KINDS(POINTER, OUT, RUN), GOOD(grid, &v_grid, &run));
  EXAMPLE(grid_chunks_new, KINDS(POINTER, POINTER, RUN, POINTER), GOOD(grid, two, &run, &out.handle));
  EXAMPLE(grid_chunks_write, KINDS(POINTER, OUT, RUN), GOOD(chunks, &v_flat, &run));
  EXAMPLE(rotary_rotate, KINDS(POINTER, POSITIONS, IN, OUT, RUN), GOOD(rotation, &four, &v_in, &v_tensor, &run));
  EXAMPLE(rotary_cache_frequencies, KINDS(POINTER, POINTER), GOOD(cache, &out.count));
  EXAMPLE(rerotate, KINDS(POINTER, POSITIONS, POSITIONS, CONTEXT, CONTEXT, IN, OUT, RUN),
          GOOD(rotary, &four, &four, &context, &context, &v_in, &v_tensor, &run));
  EXAMPLE(bias, KINDS(POINTER, POSITIONS, POSITIONS, CONTEXT, OUT, RUN),
          GOOD(slopes, &four, &four, &present, &v_biases, &run));
  EXAMPLE(bias_slopes, KINDS(POINTER, POINTER), GOOD(slopes, out.slopes));
  EXAMPLE(buckets, KINDS(POINTER, POSITIONS, POSITIONS, OUT, RUN), GOOD(classes, &four, &four, &v_classes, &run));
  EXAMPLE(window_buckets, KINDS(POINTER, OUT, RUN), GOOD(window, &v_window, &run));
  EXAMPLE(log_coordinates, KINDS(POINTER, OUT), GOOD(logs, &v_logs));
  EXAMPLE(query_scale, KINDS(POINTER, POSITIONS, OUT, RUN), GOOD(scale, &four, &v_factors, &run));
}

static void describe_stages(void) {
  EXAMPLE(learned_rows, KINDS(POINTER, POSITIONS, OUT), GOOD(learned, &four, &v_learned));
  EXAMPLE(resize_table, KINDS(POINTER, IN, POINTER, OUT, RUN), GOOD(resized, &v_table, three, &v_resized, &run));
  EXAMPLE(positions_of_mask, KINDS(IN, OUT), GOOD(&v_mask, &v_numbered));
  EXAMPLE(positions_of_ids, KINDS(IN, OUT), GOOD(&v_ids, &v_numbered));
  EXAMPLE(positions_of_ends, KINDS(IN, OUT), GOOD(&v_ends, &v_numbered));
  EXAMPLE(stage_new, KINDS(IN, OPTIONS, POINTER), GOOD(&v_embedding, &options, &out.handle));
  EXAMPLE(stage_encode, KINDS(POINTER, IN, POSITIONS, OUT, CONTEXT), GOOD(stage, &v_ids, &four, &v_encoded, &encoding));
  EXAMPLE(backward_new, KINDS(POINTER, IN, POINTER), GOOD(stage, &v_ids, &out.handle));
  EXAMPLE(backward_touched, KINDS(POINTER, POINTER, POINTER), GOOD(backward, &out.ids, &out.count));
  EXAMPLE(backward_write, KINDS(POINTER, IN, OUT, CONTEXT), GOOD(backward, &v_grad_out, &v_grad, &encoding));
  EXAMPLE(backward_write_touched, KINDS(POINTER, IN, OUT, CONTEXT), GOOD(backward, &v_grad_out, &v_touched, &encoding));
  EXAMPLE(dropout, KINDS(IN, OUT), GOOD(&v_in, &v_dropped));
  EXAMPLE(lookup, KINDS(IN, IN, OUT), GOOD(&v_embedding, &v_ids, &v_looked));
  EXAMPLE(seeded_rows, KINDS(OUT), GOOD(&v_seeded));
}

static void describe_referee(void) {
  static char exact[] = "exact", temperature[] = "llama4-temperature";
  EXAMPLE(identify, KINDS(IN, CONTEXT, POINTER), GOOD(&v_signal, &identifying, &out.handle));
  EXAMPLE(identify_rotation, KINDS(IN, IN, POSITIONS, CONTEXT, POINTER),
          GOOD(&v_signal, &v_turned, &four, &identifying, &out.handle));
  EXAMPLE(check, KINDS(IN, POINTER, CONTEXT, POINTER), GOOD(&v_signal, waves, &checking, &out.handle));
  EXAMPLE(compare, KINDS(POINTER, POINTER, CONTEXT, POINTER), GOOD(waves, halves, &comparing, &out.handle));
  EXAMPLE(explain, KINDS(POINTER, OPTIONS, RECIPE, POINTER), GOOD(waves, &entry, exact, &out.handle));
  EXAMPLE(parting, KINDS(POINTER, POINTER, CONTEXT, POINTER), GOOD(waves, halves, &context, &out.handle));
  EXAMPLE(conformance_cases, KINDS(POINTER), GOOD(&out.handle));
  EXAMPLE(conformance_values, KINDS(WORD, RECIPE, OUT), GOOD(temperature, exact, &v_case));
  EXAMPLE(conformance_score, KINDS(WORD, IN, POINTER), GOOD(temperature, &v_answer, &out.handle));
  EXAMPLE(head_order, KINDS(POINTER, POINTER, CONTEXT, POINTER, POINTER),
          GOOD(adjacent, rotary, &context, out.read, out.written));
  EXAMPLE(reorder_rows, KINDS(POINTER, POINTER, POINTER, POINTER),
          GOOD(order, &projection, projection_in, out.weights));
  EXAMPLE(prove_head_order, KINDS(POINTER, POINTER, POINTER, POINTER, POINTER, CONTEXT, POINTER),
          GOOD(adjacent, rotary, order, order, &projection, &context, &out.head_proof));
  EXAMPLE(table_order, KINDS(POINTER, POINTER, CONTEXT, POINTER), GOOD(waves, halves, &context, &out.count));
  EXAMPLE(reorder_columns, KINDS(POINTER, IN, OUT), GOOD(order, &v_signal, &v_columns));
  EXAMPLE(prove_table, KINDS(POINTER, IN, CONTEXT, POINTER), GOOD(waves, &v_signal, &context, &out.table_proof));
}

static void make_views(void) {
  v_rows = tensor_of(out.rows, POSENC_F32, 2, 4, 8, 0);
  v_grid = tensor_of(out.grid, POSENC_F32, 3, 2, 2, 8);
  v_flat = tensor_of(out.grid, POSENC_F32, 2, 4, 8, 0);
  v_tensor = tensor_of(out.tensor, POSENC_F32, 2, 4, 8, 0);
  v_in = tensor_of(in, POSENC_F32, 2, 4, 8, 0);
  v_biases = tensor_of(out.biases, POSENC_F32, 3, 4, 4, 4);
  v_logs = tensor_of(out.logs, POSENC_F32, 3, 3, 3, 2);
  v_factors = tensor_of(out.factors, POSENC_F32, 1, 4, 0, 0);
  v_case = tensor_of(out.factors_of_case, POSENC_F32, 1, 17, 0, 0);
  v_answer = tensor_of(in, POSENC_F32, 1, 17, 0, 0);
  v_encoded = tensor_of(out.encoded, POSENC_F32, 2, 4, 8, 0);
  v_grad = tensor_of(out.grad, POSENC_F32, 2, 16, 8, 0);
  v_touched = tensor_of(out.touched, POSENC_F32, 2, 3, 8, 0);
  v_dropped = tensor_of(out.dropped, POSENC_F32, 2, 4, 8, 0);
  v_looked = tensor_of(out.looked, POSENC_F32, 2, 4, 8, 0);
  v_seeded = tensor_of(out.seeded, POSENC_F32, 2, 4, 8, 0);
  v_resized = tensor_of(out.resized, POSENC_F32, 2, 10, 8, 0);
  v_cosines = tensor_of(out.cosines, POSENC_F32, 2, 4, 8, 0);
  v_signal = tensor_of(signal, POSENC_F32, 2, 4, 8, 0);
  v_turned = tensor_of(turned, POSENC_F32, 2, 4, 8, 0);
  v_columns = tensor_of(out.columns, POSENC_F32, 2, 4, 8, 0);
  v_coordinates = tensor_of(out.coordinates, POSENC_F64, 1, 2, 0, 0);
  v_masked = tensor_of(out.masked, POSENC_F64, 2, 2, 2, 0);
  v_classes = tensor_of(out.classes, POSENC_I64, 2, 4, 4, 0);
  v_window = tensor_of(out.window, POSENC_I64, 2, 4, 4, 0);
  v_learned = tensor_of(out.learned, POSENC_I64, 1, 4, 0, 0);
  v_numbered = tensor_of(out.numbered, POSENC_I64, 1, 4, 0, 0);
  v_embedding = tensor_of(embedding, POSENC_F32, 2, 16, 8, 0);
  v_table = tensor_of(table, POSENC_F32, 2, 5, 8, 0);
  v_ids = tensor_of(ids, POSENC_I64, 1, 4, 0, 0);
  v_mask = tensor_of(mask, POSENC_I64, 1, 4, 0, 0);
  v_cells = tensor_of(cells, POSENC_I64, 2, 2, 2, 0);
  v_ends = tensor_of(ends, POSENC_I64, 1, 2, 0, 0);
  v_grad_out = tensor_of(in, POSENC_F32, 2, 4, 8, 0);
}

void make_examples(unsigned char** first, size_t* bytes) {
  posenc_error error = {sizeof error, 0, 0, 0, {0}, "", "", ""};
  make_views();
  waves = named("transformer", NULL, NULL), cells_of = named("detr-sine", NULL, NULL);
  halves = named("transformer", "layout", "sine_first"), adjacent = named("rope-pair", NULL, NULL);
  rotary = named("rope-half", NULL, NULL), stored = named("rope-half", "stored", "halves_twice");
  slopes = named("alibi", NULL, NULL), classes = named("t5-bucket", NULL, NULL);
  window = named("swin-window", NULL, NULL), logs = named("swinv2-cpb", NULL, NULL),
  scale = named("llama4-temperature", NULL, NULL);
  learned = named("learned", NULL, NULL), resized = named("dino-resize", NULL, NULL);
  must(posenc_preset_places("detr-sine", &places, &error), &error);
  must(posenc_rows_new(waves, 8, NULL, NULL, &rows, &error), &error);
  must(posenc_coordinates_new(cells_of, 8, NULL, NULL, &coordinates, &error), &error);
  must(posenc_grid_new(cells_of, 8, NULL, NULL, &places, &grid, &error), &error);
  must(posenc_grid_chunks_new(grid, two, 2, POSENC_F32, NULL, &chunks, &error), &error);
  must(posenc_rotary_new(rotary, 8, NULL, NULL, &rotation, &error), &error);
  must(posenc_rotary_cache_new(stored, 8, NULL, NULL, &cache, &error), &error);
  must(posenc_stage_new(&v_embedding, waves, NULL, &options, &stage, &error), &error);
  must(posenc_backward_new(stage, &v_ids, &backward, &error), &error);
  must(posenc_rows_write(rows, &four, &v_signal, NULL, &error), &error);
  describe_texts();
  describe_tables();
  describe_referee();
  describe_stages();
  *first = (unsigned char*)&out;
  *bytes = sizeof out;
}

void free_examples(void) {
  posenc_backward_free(backward);
  posenc_stage_free(stage);
  posenc_rotary_cache_free(cache);
  posenc_rotary_free(rotation);
  posenc_grid_chunks_free(chunks);
  posenc_grid_free(grid);
  posenc_coordinates_free(coordinates);
  posenc_rows_free(rows);
  posenc_convention_free(waves), posenc_convention_free(cells_of), posenc_convention_free(rotary);
  posenc_convention_free(stored), posenc_convention_free(slopes), posenc_convention_free(classes);
  posenc_convention_free(window), posenc_convention_free(logs), posenc_convention_free(scale);
  posenc_convention_free(learned), posenc_convention_free(resized);
  posenc_convention_free(halves), posenc_convention_free(adjacent);
}

void free_handle(const char* name) {
  void* made = out.handle;
  out.handle = NULL;
  if (made == NULL) return;
  if (strcmp(name, "posenc_pool_new") == 0) posenc_pool_free(made);
  if (strncmp(name, "posenc_convention_", 18) == 0) posenc_convention_free(made);
  if (strcmp(name, "posenc_rows_new") == 0) posenc_rows_free(made);
  if (strcmp(name, "posenc_coordinates_new") == 0) posenc_coordinates_free(made);
  if (strcmp(name, "posenc_grid_new") == 0) posenc_grid_free(made);
  if (strcmp(name, "posenc_grid_chunks_new") == 0) posenc_grid_chunks_free(made);
  if (strcmp(name, "posenc_rotary_new") == 0) posenc_rotary_free(made);
  if (strcmp(name, "posenc_rotary_cache_new") == 0) posenc_rotary_cache_free(made);
  if (strcmp(name, "posenc_stage_new") == 0) posenc_stage_free(made);
  if (strcmp(name, "posenc_backward_new") == 0) posenc_backward_free(made);
  if (strcmp(name, "posenc_identify") == 0 || strcmp(name, "posenc_identify_rotation") == 0 ||
      strcmp(name, "posenc_check") == 0 || strcmp(name, "posenc_compare") == 0 || strcmp(name, "posenc_explain") == 0 ||
      strcmp(name, "posenc_parting") == 0 || strncmp(name, "posenc_conformance_", 19) == 0) {
    posenc_verdict_free(made);
  }
}
