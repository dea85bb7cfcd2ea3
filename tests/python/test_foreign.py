# SPDX-License-Identifier: Apache-2.0
"""Objects of others raise what they like: it reaches the caller, and no call takes what is not there."""

import subprocess
import sys

import numpy as np
import posenc
import pytest


class Raises:
    """A list whose items raise."""

    def __init__(self, error, count=2):
        self.error, self.count = error, count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        raise self.error


class Items(list):
    """A list that says more items than it has, or fewer."""

    def __init__(self, items, count):
        super().__init__(items)
        self.count = count

    def __len__(self):
        return self.count


X = np.ones((2, 8), np.float32)


def test_what_an_item_raises_reaches_the_caller():
    """In a process of its own: an item that is not there ended it."""
    script = """
import numpy as np, posenc, sys
sys.path.insert(0, "tests/python")
from test_foreign import Items, Raises
X = np.ones((2, 8), np.float32)
for options in ({"out": Raises(RuntimeError("mine"))}, {"side": Raises(RuntimeError("mine"))},
                {"token_axis": Raises(RuntimeError("mine"))}):
    try:
        posenc.rotate("llama", range(2), [X, X.copy()], **options)
    except RuntimeError as error:
        assert str(error) == "mine"
    else:
        raise AssertionError(options)
try:
    posenc.rotate("llama", range(2), Items([X], 2))
except IndexError:
    print("there")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50)
    assert (done.returncode, done.stdout) == (0, "there\n"), done.stderr


class Coordinates:
    """A sequence of 2 by its length and of 5 by its iterator."""

    def __len__(self):
        return 2

    def __getitem__(self, index):
        if index > 4:
            raise IndexError(index)
        return [index]


def test_a_sequence_of_coordinates_is_read_by_its_length():
    made = posenc.coordinates("mae-2d", 8, Coordinates())
    assert made.tobytes() == posenc.coordinates("mae-2d", 8, [[0], [1]]).tobytes()
    with pytest.raises(RuntimeError, match="mine"):
        posenc.coordinates("mae-2d", 8, Raises(RuntimeError("mine")))


class Answers:
    """A mapping whose look-ups raise."""

    def __init__(self, error):
        self.error = error

    def __getitem__(self, key):
        raise self.error


def test_a_mapping_that_has_no_tensor_is_told_from_one_that_fails():
    with pytest.raises(posenc.PosencError, match="every tensor"):
        posenc.rotary_cache("llama", 8, range(2), stored="complex", out=Answers(KeyError("cos")))
    with pytest.raises(KeyboardInterrupt):
        posenc.rotary_cache("llama", 8, range(2), stored="complex", out=Answers(KeyboardInterrupt()))


class Interrupted:
    """An array whose export a signal ends."""

    def __init__(self, error):
        self.error = error

    def __dlpack__(self, **options):
        raise self.error

    def __dlpack_device__(self):
        return (1, 0)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_during_an_export_is_one(error):
    for call in (
        lambda given: posenc.rotate("llama", range(2), given),
        lambda given: posenc.table("transformer", 8, range(2), out=given),
        lambda given: posenc.table("transformer", 8, given),
        lambda given: posenc.positions_of_mask(given, first=0, absent=1),
    ):
        with pytest.raises(error):
            call(Interrupted(error()))
        with pytest.raises(TypeError, match="must be"):
            call(Interrupted(RuntimeError("no export")))


def test_a_number_that_raises_is_not_out_of_range():
    class Number:
        def __init__(self, error):
            self.error = error

        def __float__(self):
            raise self.error

    with pytest.raises(KeyboardInterrupt):
        posenc.dropout(X, Number(KeyboardInterrupt()), seed=1)
    with pytest.raises(posenc.PosencError, match="must be a double"):
        posenc.dropout(X, Number(OverflowError()), seed=1)
    with pytest.raises(TypeError, match=r"\[dropout\] p must be a number"):
        posenc.dropout(X, np.zeros(2), seed=1)


def test_an_attribute_without_a_truth_is_an_error():
    class Unsure:
        def __bool__(self):
            raise RuntimeError("mine")

    class Array(np.ndarray):
        requires_grad = Unsure()

    with pytest.raises(RuntimeError, match="mine"):
        posenc.table("transformer", 8, range(2), out=X.copy().view(Array))
