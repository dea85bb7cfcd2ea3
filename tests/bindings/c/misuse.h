/* SPDX-License-Identifier: Apache-2.0
   A call with good arguments, and the kind of each, which says what can be wrong with it. */
#ifndef POSENC_TESTS_MISUSE_H
#define POSENC_TESTS_MISUSE_H

#include <posenc.h>

enum kind {
  END,
  POINTER,   /* wrong where it is NULL */
  IN,        /* a posenc_view */
  OUT,       /* a posenc_view that is written */
  POSITIONS, /* a posenc_positions */
  CONTEXT,   /* a struct that begins with its size, and may be NULL */
  RUN,       /* the same: a posenc_run */
  OPTIONS,   /* the same, which may not be NULL */
  RECIPE,    /* a name that may be NULL; "" and "nonsense" are wrong */
  WORD       /* the same, which may not */
};

enum { SLOTS = 9 };

struct example {
  const char* name;
  posenc_status (*call)(void** arguments, posenc_error* error);
  struct {
    enum kind kind;
    void* good;
  } slots[SLOTS];
};

/* All functions that return a status; ends with a name of NULL. */
extern const struct example* const examples;
/* Makes what the examples use; all that they write is in [*first, *first + *bytes). */
void make_examples(unsigned char** first, size_t* bytes);
void free_examples(void);
/* Frees what the example of that name has made, if it has. */
void free_handle(const char* name);

#endif
