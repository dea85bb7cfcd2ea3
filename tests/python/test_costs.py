# SPDX-License-Identifier: Apache-2.0
"""A call costs little beside NumPy's own in the same run."""

import os
import subprocess
import sys
import time
import timeit

import numpy as np
import posenc
import pytest


def seconds(call, repeat=7):
    """The least CPU time of a call: what others on the machine take is left out."""
    timer = timeit.Timer(call, timer=time.process_time)
    number = max(1, int(0.01 / max(timer.timeit(3) / 3, 1e-7)))
    return min(timer.repeat(repeat, number)) / number


def test_a_small_table_takes_at_most_ten_times_as_long_as_its_memory():
    made = seconds(lambda: posenc.table("transformer", 8, 7))
    empty = seconds(lambda: np.empty((1, 8), np.float32))
    assert made < 10 * empty, (made, empty)


@pytest.mark.parametrize("shape", [(64, 64), (512, 512), (1500, 384)])
def test_larger_ones_are_ahead_of_a_sine_of_numpy(shape):
    x = np.linspace(0, 100, shape[0] * shape[1], dtype=np.float32).reshape(shape)
    positions = range(shape[0])
    made = seconds(lambda: posenc.table("transformer", shape[1], positions))
    assert made < seconds(lambda: np.sin(x))


def test_the_import_takes_less_than_50_ms_and_no_numpy(tmp_path):
    script = """
import sys, time
begun = time.process_time()
import posenc
took = time.process_time() - begun
assert "numpy" not in sys.modules and "torch" not in sys.modules
posenc.Convention("transformer").layout
assert "numpy" not in sys.modules
print(took)
"""
    # Compiled once, as an installed package is.
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    run = [sys.executable, "-c", script]
    options = {"capture_output": True, "text": True, "check": True, "env": environment}
    took = min(float(subprocess.run(run, **options).stdout) for _ in range(5))
    assert took < 0.05, took
