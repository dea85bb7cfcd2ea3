# SPDX-License-Identifier: Apache-2.0
"""Rows of seven conventions whose digits another program printed, from 60-digit arithmetic; mpmath agrees or this stops."""
import record  # chooses the CPU target: before NumPy

import json

import numpy as np

import truth

# Width 8, base 10000: name, spacing, layout, position of the angle, factor, digits.
GOLDEN_ROWS = [
    ("interleaved, over_width", "over_width", "interleaved", 3, 1,
     "0.141120002 -0.989992499 0.295520216 0.955336511 0.029995501 0.999550045 0.0029999956 0.99999553"),
    ("sine_first, over_width", "over_width", "sine_first", 3, 1,
     "0.141120002 0.295520216 0.029995501 0.0029999956 -0.989992499 0.955336511 0.999550045 0.99999553"),
    ("sine_first, over_gaps", "over_gaps", "sine_first", 3, 1,
     "0.141120002 0.138798103 0.00646325899 0.000299999985 -0.989992499 0.990320683 0.999979138 0.99999994"),
    ("cosine_first, over_width", "over_width", "cosine_first", 3, 1,
     "-0.989992499 0.955336511 0.999550045 0.99999553 0.141120002 0.295520216 0.029995501 0.0029999956"),
    ("cosine_first, over_gaps", "over_gaps", "cosine_first", 3, 1,
     "-0.989992499 0.990320683 0.999979138 0.99999994 0.141120002 0.138798103 0.00646325899 0.000299999985"),
    ("sine_first, over_gaps, stored row 3 of a table whose positions start at 1", "over_gaps", "sine_first", 4, 1,
     "-0.756802499 0.184598729 0.00861763209 0.00039999999 -0.653643608 0.982813954 0.999962866 0.99999994"),
    ("sine_first, over_gaps, rows of norm 1", "over_gaps", "sine_first", 3, 0.5,
     "0.0705600008 0.0693990514 0.0032316295 0.000149999993 -0.49499625 0.495160341 0.499989569 0.49999997"),
]


def certain(name):
    return True


def make(work):
    """Tensor row-I and what it is; a stored row is its convention's row times `factor`."""
    metadata, tensors = {"about": "row-I f32 [8]: the row of `position`, times `factor`"}, {}
    for index, (name, spacing, layout, position, factor, digits) in enumerate(GOLDEN_ROWS):
        pairs = truth.sine_and_cosine(position, spacing, 8)
        reals = truth.lay_out(pairs, layout, "refused", 8)
        values = truth.array([truth.round_real(v * factor, "f32") for v in reals], "f32")
        if not np.array_equal(values, np.array(digits.split(), np.float32)):
            raise ArithmeticError(f"{name}: the printed row is another one")
        metadata[f"row-{index}"] = json.dumps({"name": name, "spacing": spacing, "layout": layout,
                                               "position": position, "factor": factor})
        tensors[f"row-{index}"] = values
    return metadata, tensors
