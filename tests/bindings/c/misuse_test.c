/* SPDX-License-Identifier: Apache-2.0
   Every function of posenc.h with each of its arguments wrong in each way that its kind has: the status says whose
   fault it is, the error says what, and nothing is written. Then without what may be NULL. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misuse.h"

static long calls, faults;
static unsigned char *written, *kept;
static size_t bytes;

static void fault(const char* name, int slot, const char* how, const char* what) {
  ++faults;
  printf("%s, argument %d, %s: %s\n", name, slot, how, what);
}

static posenc_error fresh_error(void) {
  posenc_error error;
  memset(&error, 0x5A, sizeof error);
  error.size = sizeof error;
  return error;
}

/* With an error, without one, and with one of an older program that has the first 8 bytes alone. */
static void expect_refused(const struct example* example, void** arguments, int slot, const char* how) {
  int way;
  for (way = 0; way < 3; ++way) {
    posenc_error error = fresh_error();
    posenc_status status;
    if (way == 2) error.size = 8;
    memcpy(kept, written, bytes);
    status = example->call(arguments, way == 1 ? NULL : &error);
    ++calls;
    if (status != POSENC_INPUT) fault(example->name, slot, how, "is not refused");
    if (memcmp(kept, written, bytes) != 0) fault(example->name, slot, how, "is refused, and something was written");
    if (way == 1) continue;
    if (error.cause != POSENC_INPUT) fault(example->name, slot, how, "has another cause in its error");
    if (way == 2) {
      if (error.rank != 0x5A5A5A5Au || error.value[0] != 0x5A) fault(example->name, slot, how, "writes past the error");
      continue;
    }
    if (error.operation[0] == '\0' || error.rule[0] == '\0')
      fault(example->name, slot, how, "has an error without words");
    if (memchr(error.rule, 0, sizeof error.rule) == NULL) fault(example->name, slot, how, "has a rule without an end");
  }
}

static void with(const struct example* example, void** arguments, int slot, void* wrong, const char* how) {
  void* good = arguments[slot];
  arguments[slot] = wrong;
  expect_refused(example, arguments, slot, how);
  arguments[slot] = good;
}

static void wrong_views(const struct example* example, void** arguments, int slot) {
  const posenc_view* good = arguments[slot];
  const enum kind kind = example->slots[slot].kind;
  posenc_view wrong;
  int other;
#define VIEW(change, how) wrong = *good, wrong.change, with(example, arguments, slot, &wrong, how)
  VIEW(dtype = 0, "of no type");
  VIEW(dtype = 7, "of an unknown type");
  VIEW(dtype += 256, "of a type that is right in its last byte");
  VIEW(rank = 9, "of rank 9");
  VIEW(rank = 0xFFFFFFFFu, "of rank -1");
  VIEW(shape[0] = -1, "of a negative size");
  VIEW(shape[0] = INT64_MAX, "of a size beyond memory");
  VIEW(strides[0] = INT64_MIN, "of a stride beyond memory");
  VIEW(data = NULL, "without data");
  VIEW(data = (unsigned char*)good->data + 1, "that is not aligned");
  if (kind != OUT) return;
  VIEW(strides[0] = 0, "whose rows are one row");
  for (other = 0; other < SLOTS; ++other) {
    if (example->slots[other].kind != IN) continue;
    wrong = *(const posenc_view*)example->slots[other].good;
    if (wrong.dtype != good->dtype) continue;
    wrong = *good;
    wrong.data =
        (unsigned char*)((const posenc_view*)example->slots[other].good)->data + (wrong.dtype == POSENC_F32 ? 4 : 8);
    with(example, arguments, slot, &wrong, "that begins within an input");
  }
#undef VIEW
}

static void wrong_positions(const struct example* example, void** arguments, int slot) {
  const posenc_positions* good = arguments[slot];
  static float numbers[4] = {0, 1, NAN, 3};
  posenc_view list = {0};
  posenc_positions wrong[2];
  list.data = numbers, list.dtype = POSENC_F32, list.rank = 1, list.shape[0] = 4, list.strides[0] = 1;
#define POSITION(change, how) \
  wrong[0] = good[0], wrong[1] = good[0], wrong[0].change, with(example, arguments, slot, wrong, how)
  POSITION(kind = 0, "of no kind");
  POSITION(kind = 4, "of an unknown kind");
  POSITION(reserved = 1, "that state what must be 0");
  POSITION(count = -1, "less than none");
  POSITION(count = INT64_MAX, "more than rows");
  POSITION(start = INT64_MAX, "beyond int64");
  wrong[0] = good[0], wrong[1] = good[0], wrong[0].kind = POSENC_REAL_RANGE, wrong[0].real_start = NAN;
  with(example, arguments, slot, wrong, "that are no numbers");
  wrong[0].kind = POSENC_LIST, wrong[0].list = NULL;
  with(example, arguments, slot, wrong, "of no list");
  wrong[0].list = &list;
  with(example, arguments, slot, wrong, "of a list with a NaN");
  list.dtype = POSENC_F16;
  with(example, arguments, slot, wrong, "of a list of another type");
#undef POSITION
}

/* Of `size` as it says, every other byte being `byte`. */
static void wrong_size(const struct example* example, void** arguments, int slot, uint32_t size, int byte,
                       const char* how) {
  static uint64_t larger[64];
  memset(larger, byte, sizeof larger);
  memcpy(larger, &size, sizeof size);
  with(example, arguments, slot, larger, how);
}

static void wrong_sizes(const struct example* example, void** arguments, int slot) {
  wrong_size(example, arguments, slot, 0, 0, "of size 0");
  wrong_size(example, arguments, slot, 4, 0, "of its size alone");
  wrong_size(example, arguments, slot, 0xFFFFFFFFu, 0, "of a size that nothing has");
  wrong_size(example, arguments, slot, 512, 0xFF, "of a later version that states more");
}

static void wrong_runs(const struct example* example, void** arguments, int slot) {
  posenc_run wrong = {sizeof wrong, 0, {NULL, NULL}};
  with(example, arguments, slot, &wrong, "that is never read");
  wrong.reading = 4;
  with(example, arguments, slot, &wrong, "that is read in an unknown way");
  wrong.reading = 256 + POSENC_SOON;
  with(example, arguments, slot, &wrong, "whose reading is right in its last byte");
}

static void wrong_slot(const struct example* example, void** arguments, int slot) {
  static char nothing[] = "", nonsense[] = "nonsense";
  const enum kind kind = example->slots[slot].kind;
  if (kind != CONTEXT && kind != RUN && kind != RECIPE) with(example, arguments, slot, NULL, "NULL");
  if (kind == IN || kind == OUT) wrong_views(example, arguments, slot);
  if (kind == POSITIONS) wrong_positions(example, arguments, slot);
  if (kind == CONTEXT || kind == RUN || kind == OPTIONS) wrong_sizes(example, arguments, slot);
  if (kind == RUN) wrong_runs(example, arguments, slot);
  if (kind == WORD || kind == RECIPE) {
    with(example, arguments, slot, nothing, "empty");
    with(example, arguments, slot, nonsense, "without a meaning");
  }
}

static void expect_taken(const struct example* example, void** arguments, int slot, const char* how) {
  posenc_error error = fresh_error();
  ++calls;
  if (example->call(arguments, &error) != POSENC_OK) fault(example->name, slot, how, error.rule);
  free_handle(example->name);
}

/* What may be NULL. */
static void with_nothing(const struct example* example, void** arguments) {
  int slot;
  for (slot = 0; slot < SLOTS; ++slot) {
    const enum kind kind = example->slots[slot].kind;
    void* good = arguments[slot];
    if (kind != CONTEXT && kind != RUN && kind != RECIPE) continue;
    arguments[slot] = NULL;
    expect_taken(example, arguments, slot, "NULL");
    arguments[slot] = good;
  }
}

/* Functions of NULL. */
static void expect_nothing_of_null(void) {
  if (posenc_rows_width(NULL) + posenc_coordinates_width(NULL) + posenc_grid_width(NULL) != 0) ++faults;
  if (posenc_rotary_width(NULL) + posenc_rotary_cache_width(NULL) != 0 || posenc_stage_factor(NULL) != 0) ++faults;
  if (posenc_convention_axis(NULL, 0) != NULL || posenc_convention_cell_axis(NULL, 0) != NULL) ++faults;
  if (posenc_rotary_cache_tensor(NULL, 0) != NULL || posenc_pool_executor(NULL).run != NULL) ++faults;
  if (posenc_verdict_holds(NULL) != 0 || posenc_verdict_json(NULL) != NULL) ++faults;
  if (posenc_verdict_text(NULL) != NULL || posenc_verdict_preset(NULL, 0) != NULL) ++faults;
  posenc_verdict_free(NULL), posenc_pool_free(NULL), posenc_convention_free(NULL), posenc_rows_free(NULL),
      posenc_coordinates_free(NULL);
  posenc_grid_free(NULL), posenc_grid_chunks_free(NULL), posenc_rotary_free(NULL), posenc_rotary_cache_free(NULL);
  posenc_stage_free(NULL), posenc_backward_free(NULL);
}

/* With "names": the functions that have an example, one a line. */
int main(int count, char** words) {
  const struct example* example;
  (void)words;
  make_examples(&written, &bytes);
  kept = malloc(bytes);
  for (example = examples; example->name != NULL; ++example) {
    void* arguments[SLOTS];
    int slot;
    if (count > 1) {
      puts(example->name);
      continue;
    }
    for (slot = 0; slot < SLOTS; ++slot) arguments[slot] = example->slots[slot].good;
    expect_taken(example, arguments, -1, "rightly called");
    with_nothing(example, arguments);
    for (slot = 0; slot < SLOTS && example->slots[slot].kind != END; ++slot) wrong_slot(example, arguments, slot);
  }
  expect_nothing_of_null();
  if (count == 1) printf("%ld calls, %ld faults\n", calls, faults);
  free(kept);
  free_examples();
  return faults != 0 || (count == 1 && calls < 2000);
}
