# SPDX-License-Identifier: Apache-2.0
"""What the metadata of the referee's corpus say of a tensor: keys, and what each means. goldens.py --page prints them."""

KEYS = [
    ("`preset`, `set`",
     "the convention, and fields of it that differ, as `--set` takes them; `none` where it follows none"),
    ("`kind`",
     "`table`, `grid`, `cos`, `sin`, `cos_sin`, `inv_freq`, `before_after`, `slopes`, `bias`, `buckets`, `log_coordinates`, `query_scale`, `none`"),
    ("`package`, `call`, `recipe`",
     "what made it, as the work list says it; the recipe that its original follows, where it is known"),
    ("`width`, `columns`",
     "`--dim`: the width of a row or of a head; how many columns there are where it is another number"),
    ("`first`, `rows`, `step`",
     "the first position, how many, and the step where it is not 1"),
    ("`grid`",
     "height and width, of three axes the time or depth before them; cells in the order of the page, x fastest"),
    ("`coordinates`",
     "of every row, in the order of the axes, where they are no consecutive positions or no plain cells"),
    ("`orientation`",
     "`[L,d]`, `[1,L,d]`, `[L,1,d]`, `[d,L]`, `[H,W,d]`, `[HW,d]`, `[1,HW,d]`, `[1+HW,d]`; of others their shape"),
    ("`storage`",
     "the type that it went through: a tensor of f32 whose storage is bf16 was rounded and widened again"),
    ("`scale`, `lead`, `zero_rows`",
     "the factor of every entry, a product in f32; rows of zeros before; rows that are zeros for padding"),
    ("`learned`, `centre`, `side`, `length`",
     "of conventions that ask: the learned scale, the centre of a decay and which side it is, the tokens of the sequence"),
    ("`rotated`, `stored`",
     "of rotations the turned columns; whether an angle stands `once`, twice as `halves` or `pairs`, or `complex` as [.., 2]"),
    ("`before`, `after`",
     "the two tensors of a rotation seen from outside, [1, heads, L, d]"),
    ("`heads`, `queries`, `keys`, `head`, `window`",
     "of biases, classes and coordinates of pairs: counts, the columns of a head, the window of cells"),
    ("`looks`, `detail`, `nearest`",
     "of `none`: the kind it would be taken for, what it is, and the convention that it was made from"),
]


def lines():
    return ["| key | what it says |", "| --- | --- |", *(f"| {keys} | {meaning} |" for keys, meaning in KEYS)]
