/* SPDX-License-Identifier: Apache-2.0
   Somebody's program in C: the row of position 0 holds sin 0 and cos 0. */
#include <posenc.h>

int main(void) {
  posenc_convention* convention;
  posenc_rows* rows;
  posenc_view out;
  float row[4] = {-1, -1, -1, -1};
  const int64_t shape[2] = {1, 4};
  const posenc_positions first = {POSENC_RANGE, 0, 1, 0, 1, 0, 0, NULL};
  posenc_status status = posenc_convention_new("transformer", 11, &convention, NULL);
  if (status != POSENC_OK) return 1;
  if (posenc_rows_new(convention, 4, NULL, NULL, &rows, NULL) != POSENC_OK) return 1;
  if (posenc_view_of(row, POSENC_F32, 2, shape, &out, NULL) != POSENC_OK) return 1;
  status = posenc_rows_write(rows, &first, &out, NULL, NULL);
  posenc_rows_free(rows);
  posenc_convention_free(convention);
  return status == POSENC_OK && row[0] == 0 && row[1] == 1 && row[2] == 0 && row[3] == 1 ? 0 : 1;
}
