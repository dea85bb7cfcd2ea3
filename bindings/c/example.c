/* SPDX-License-Identifier: Apache-2.0
   posenc from C: a row of a position table, a rotated query, a refusal, and what is wrong with a table.

     gcc example.c $(pkg-config --cflags --libs posenc-c) -o example */
#include <posenc.h>
#include <stdio.h>

static int fail(const posenc_error* error) {
  printf("[%s] %s, got %s\n", error->operation, error->rule, error->value);
  return 1;
}

int main(void) {
  posenc_error error = {0};
  posenc_convention *transformer = NULL, *rope = NULL;
  posenc_rows* rows = NULL;
  posenc_rotary* rotary = NULL;
  posenc_view out;
  posenc_verdict* verdict = NULL;
  float row[4], query[4] = {1, 1, 0, 0}, table[8][4];
  const int64_t shape[2] = {1, 4}, table_shape[2] = {8, 4};
  const posenc_positions first = {POSENC_RANGE, 0, 1, 1, 1, 0, 0, NULL};
  const posenc_positions late = {POSENC_RANGE, 0, 8, 1, 1, 0, 0, NULL};
  posenc_rotated tensor = {&out, &out, 0, 0}; /* in place */
  error.size = sizeof error;

  if (posenc_convention_new("transformer", 11, &transformer, &error) ||
      posenc_rows_new(transformer, 4, NULL, NULL, &rows, &error) ||
      posenc_view_of(row, POSENC_F32, 2, shape, &out, &error) || posenc_rows_write(rows, &first, &out, NULL, &error)) {
    return fail(&error);
  }
  printf("row 1: %g %g %g %g\n", row[0], row[1], row[2], row[3]);

  if (posenc_convention_new("rope-half", 9, &rope, &error) || posenc_rotary_new(rope, 4, NULL, NULL, &rotary, &error) ||
      posenc_view_of(query, POSENC_F32, 2, shape, &out, &error) ||
      posenc_rotary_rotate(rotary, &first, 1, &tensor, 1, POSENC_FORWARD, NULL, &error)) {
    return fail(&error);
  }
  printf("turned: %g %g %g %g\n", query[0], query[1], query[2], query[3]);

  if (posenc_view_of(table, POSENC_F32, 2, table_shape, &out, &error) ||
      posenc_rows_write(rows, &late, &out, NULL, &error) || posenc_check(&out, transformer, NULL, &verdict, &error)) {
    return fail(&error);
  }
  printf("%s", posenc_verdict_text(verdict));
  posenc_verdict_free(verdict);

  posenc_rows_free(rows);
  rows = NULL;
  if (posenc_rows_new(transformer, 7, NULL, NULL, &rows, &error) == POSENC_INPUT) fail(&error);

  posenc_rotary_free(rotary);
  posenc_convention_free(rope);
  posenc_convention_free(transformer);
  return 0;
}
