# SPDX-License-Identifier: Apache-2.0
"""A call costs little beside NumPy's own in the same run."""

import hashlib
import os
import subprocess
import sys
import threading
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


# ---- threads ------------------------------------------------------------------------------------------------------


def counted(during):
    """How often a thread of Python counts in a second while during() runs, which is to take some two seconds."""
    counts, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counts[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    begun = time.perf_counter()
    during()
    made = counts[0] / (time.perf_counter() - begun)
    stop.set()
    thread.join()
    return made


def two_seconds():
    """A call of the one thread that it has, and as many elements as it writes in that time."""
    begun = time.perf_counter()
    posenc.seeded_rows(1 << 14, 256, seed=1, init="normal")
    rows = int((1 << 14) * 2 / (time.perf_counter() - begun))
    return lambda: posenc.seeded_rows(min(rows, 1 << 19), 256, seed=1, init="normal")


needs_two_cores = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="two cores")


@needs_two_cores
def test_a_thread_of_python_keeps_its_pace_during_a_call_of_two_seconds():
    call = two_seconds()
    shares = []
    for _ in range(4):
        shares.append(counted(call) / counted(lambda: time.sleep(0.5)))
        if shares[-1] > 0.95:
            break
    assert max(shares) > 0.5, shares
    print(f"pace {max(shares):.3f}")


def speed_up(call):
    """Of eight calls by eight threads, over one thread."""

    def calls(threads):
        def work():
            for _ in range(8 // threads):
                call()

        workers = [threading.Thread(target=work) for _ in range(threads)]
        begun = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return time.perf_counter() - begun

    return calls(1) / calls(8)


@needs_two_cores
def test_calls_of_eight_threads_use_both_cores():
    """Beside SHA-256, which holds no GIL: where that has no second core either, others have it."""
    data = bytes(1 << 24)
    found = []
    for _ in range(5):
        made = speed_up(lambda: posenc.seeded_rows(1 << 14, 256, seed=1, init="normal"))
        found.append((made, speed_up(lambda: hashlib.sha256(data))))
        if made >= 1.8:
            break
    made, there = (max(values) for values in zip(*found, strict=True))
    if made < 1.8 and there < 1.8:
        pytest.skip(f"no second core: SHA-256 gains {there:.2f}")
    assert made >= 1.8, found
    print(f"speed-up {made:.2f}")
