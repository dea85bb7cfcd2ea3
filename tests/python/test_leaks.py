# SPDX-License-Identifier: Apache-2.0
"""No call keeps a reference, whether it succeeds or not."""

import gc
import sys

import numpy as np
import posenc
import pytest

CALLS = 100_000


def refused(call):
    try:
        call()
    except (ValueError, TypeError):
        return
    raise AssertionError("it was not refused")


OUT, POSITIONS, X = np.zeros((2, 8), np.float32), np.arange(2), np.ones((2, 8), np.float32)
LIST, DICT, TEXT, IDS = [1, 2], posenc.Convention("transformer").to_dict(), "transformer", np.array([1, 2])
CONVENTION = posenc.Convention("llama")
ROWS = np.ones((4, 8), np.float32)
STAGE = posenc.InputStage(ROWS, "transformer", scale="none")
WRONG = np.zeros((3, 8), np.float32)
WATCHED = [OUT, POSITIONS, X, LIST, DICT, TEXT, IDS, CONVENTION, ROWS, WRONG]

PATHS = {
    "table": lambda: posenc.table(TEXT, 8, POSITIONS, out=OUT),
    "fresh": lambda: posenc.table(TEXT, 8, LIST),
    "dict": lambda: posenc.table(DICT, 8, 1),
    "rotate": lambda: posenc.rotate(CONVENTION, POSITIONS, X, out=X),
    "rotate_several": lambda: posenc.rotate(CONVENTION, POSITIONS, [X, OUT]),
    "encode": lambda: STAGE.encode(IDS, POSITIONS, out=OUT),
    "backward": lambda: STAGE.backward(IDS, X),
    "mask": lambda: posenc.positions_of_mask(IDS, first=0, absent=1),
    "head_order": lambda: posenc.head_order(CONVENTION, "meta-llama", 8),
    "refused_identify": lambda: refused(lambda: posenc.identify(X[:0])),
    "refused_shape": lambda: refused(lambda: posenc.table(TEXT, 8, POSITIONS, out=WRONG)),
    "refused_type": lambda: refused(lambda: posenc.table(TEXT, 8, TEXT, out=OUT)),
    "refused_array": lambda: refused(lambda: posenc.rotate(CONVENTION, POSITIONS, IDS)),
    "refused_name": lambda: refused(lambda: posenc.table("nothing", 8, POSITIONS)),
    "refused_id": lambda: refused(lambda: STAGE.encode([1, 9], POSITIONS)),
}


def counts():
    gc.collect()
    return [sys.getrefcount(item) for item in WATCHED], sys.getallocatedblocks()


@pytest.mark.parametrize("name", PATHS)
def test_no_reference_is_left(name):
    call, calls = PATHS[name], CALLS // len(PATHS)
    for _ in range(200):
        call()
    grown = []
    for _ in range(3):  # the interpreter keeps some blocks for itself, once; a leak takes them each time
        references, blocks = counts()
        for _ in range(calls):
            call()
        references_after, blocks_after = counts()
        assert references_after == references
        grown.append(blocks_after - blocks)
        if grown[-1] < calls // 100:
            return
    pytest.fail(f"{grown} blocks")
