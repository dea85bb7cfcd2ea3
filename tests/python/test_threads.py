# SPDX-License-Identifier: Apache-2.0
"""Threads, processes and signals: nothing waits, nothing hangs, no bit changes."""

import hashlib
import itertools
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import posenc
import pytest
from conftest import bits

# Python warns of forks beside threads, and so does JAX, where another test has imported it.
warned_of_forks = pytest.mark.filterwarnings(
    "ignore:.*multi-threaded.*:DeprecationWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


def digest():
    return hashlib.sha256(bits(posenc.table("transformer", 512, range(4000)))).hexdigest()


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_no_bit_depends_on_threads(threads):
    x = posenc.seeded_rows(512, 64, seed=1, init="normal").reshape(8, 64, 64)
    table, turned = posenc.table("transformer", 512, range(3000)), posenc.rotate("llama", range(64), x)
    posenc.set_threads(threads)
    assert posenc.threads() == threads
    assert bits(posenc.table("transformer", 512, range(3000))) == bits(table)
    assert bits(posenc.rotate("llama", range(64), x)) == bits(turned)


def test_many_threads_call_at_once():
    posenc.set_threads(2)
    expected = {dim: bits(posenc.table("transformer", dim, range(600))) for dim in range(2, 162, 2)}
    faults = []

    def work(start):
        for dim in [*range(start, 162, 2), *range(2, start, 2)]:
            if bits(posenc.table("transformer", dim, range(600))) != expected[dim]:
                faults.append(dim)

    workers = [threading.Thread(target=work, args=(start,)) for start in range(2, 82, 10)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not faults


def test_the_first_calls_may_come_from_many_threads_at_once():
    """NumPy is imported by them: nobody waits for a thread that waits for the GIL."""
    script = """
import threading, posenc
go = threading.Barrier(8)
def work():
    go.wait()
    posenc.table("transformer", 8, [1, 2])
    posenc.positions_of_mask([True, False], first=0, absent=1)
threads = [threading.Thread(target=work) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""
    for _ in range(3):
        subprocess.run([sys.executable, "-c", script], check=True, timeout=20)


def test_set_threads_while_others_compute():
    stop = threading.Event()
    expected = digest()
    found = set()

    def work():
        while not stop.is_set():
            found.add(digest())

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for count in [2, 1, 4, 3] * 10:
        posenc.set_threads(count)
        time.sleep(0.002)
    stop.set()
    for worker in workers:
        worker.join()
    assert found == {expected}


COUNTED = posenc.Places(first=0.5, divisor="count", eps=1e-6, gain=6.25, shift=0.1, rounding="none")
CELLS = np.arange(1 << 22) % 50
FAR = np.where(np.arange(1 << 22) == (1 << 22) - 1, 50, 0)  # the last one has no row
NOISE = np.random.default_rng(7).standard_normal((64, 16), np.float32)
WIDE = posenc.Rows("transformer", 1 << 15)
NEW_WIDTHS = itertools.count(1 << 19, 4)  # none was made ready before
MANY = [*range(1 << 22)]
STAGE = posenc.InputStage(np.zeros((5000, 8), np.float32), "transformer", scale="none")
MANY_IDS = np.arange(1 << 21) * 7919 % 5000
SLOW = {  # a tenth of a second and more each
    "seeded_rows": lambda: posenc.seeded_rows(1 << 15, 256, seed=1, init="normal"),
    "log_coordinates": lambda: posenc.log_coordinates("swinv2-cpb", 1 << 11, 1 << 11),
    "learned_rows": lambda: posenc.learned_rows("detr-learned", [CELLS, CELLS]),
    "refused_rows": lambda: refused(lambda: posenc.learned_rows("detr-learned", [CELLS, FAR])),
    "positions_of_ends": lambda: posenc.positions_of_ends([0, 3, 1 << 25], first=0),
    "place_coordinates": lambda: posenc.place_coordinates(COUNTED, [1 << 17], 0),
    "masked_lines": lambda: posenc.masked_place_coordinates(COUNTED, np.ones((1 << 11, 64), np.int32), 1),
    "masked_line": lambda: posenc.masked_place_coordinates(COUNTED, np.ones(1 << 17, np.int32), 0),
    "rotary_frequencies": lambda: posenc.rotary_frequencies("llama", 1 << 14),
    "frequencies": lambda: WIDE.frequencies,
    "wide_table": lambda: posenc.table("whisper", next(NEW_WIDTHS), 0),
    "wide_rows": lambda: posenc.Rows("transformer", next(NEW_WIDTHS)),
    "wide_rotation": lambda: posenc.rotary_cache("llama", next(NEW_WIDTHS), 0, stored="halves_twice"),
    "wide_grid": lambda: posenc.grid("mae-2d", 2 * next(NEW_WIDTHS), (1, 1)),
    "bias_slopes": lambda: posenc.bias_slopes("alibi", 1 << 20),
    "list": lambda: posenc.table("transformer", 2, MANY),
    "touched": lambda: STAGE.touched(MANY_IDS),
    "identify": lambda: posenc.identify(NOISE),
    "check": lambda: posenc.check(NOISE, "whisper"),
}


def refused(call):
    with pytest.raises(posenc.PosencError, match="rows must be in the table"):
        call()


def slow_table():
    out = np.empty((1 << 13, 1024), np.float64)
    return lambda: posenc.table("transformer", 1024, range(1 << 13), out=out, recipe="f64-divide")


@pytest.mark.parametrize("name", [*(SLOW.keys() - {"list"}), "table"])  # of a list Python's objects are read
def test_a_thread_of_python_goes_on_during_a_call(name):
    call = slow_table() if name == "table" else SLOW[name]
    ticks, calls, stop = [0], 0, threading.Event()

    def tick():
        while not stop.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    begun, before = time.perf_counter(), ticks[0]
    while time.perf_counter() - begun < 0.3:
        call()
        calls += 1
    made = ticks[0] - before
    stop.set()
    ticker.join()
    assert made > 4 * calls, (made, calls)  # with the GIL held it is a tick a call


# ---- processes ----------------------------------------------------------------------------------------------------


def child_digest(queue, threads):
    posenc.set_threads(threads)
    queue.put(digest())


@warned_of_forks
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_child_process_computes_with_a_pool_of_its_own(method):
    posenc.set_threads(2)
    expected = digest()
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    children = [context.Process(target=child_digest, args=(queue, threads)) for threads in (1, 2)]
    for child in children:
        child.start()
    found = [queue.get(timeout=30) for _ in children]
    for child in children:
        child.join(timeout=30)
    assert [child.exitcode for child in children] == [0, 0] and found == [expected] * 2
    assert digest() == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@warned_of_forks
def test_a_child_of_fork_needs_not_be_told():
    posenc.set_threads(2)
    expected = digest()
    child = os.fork()
    if child == 0:
        os._exit(0 if digest() == expected and posenc.threads() == 2 else 1)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")


# ---- signals ------------------------------------------------------------------------------------------------------

INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
import posenc

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
posenc.set_threads({threads})
out = np.empty({shape}, {dtype!r})
{before}
x = np.ones((1, 1), np.float32)
sent = []

def send():
    time.sleep({after})
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=send).start()
try:
    {call}
except KeyboardInterrupt:
    print(time.perf_counter() - sent[0])
posenc.table("transformer", 8, range(4))
"""

CALLS = {
    "table": ("(2 << 18, 1024)", "float32", "while True: posenc.table('transformer', 1024, range(2 << 18), out=out)"),
    "recipe": (
        "(1 << 14, 512)",
        "float32",
        "while True: posenc.table('transformer', 512, range(1 << 14), recipe='f32-exp', out=out)",
    ),
    "f64": ("(1 << 16, 512)", "float64", "while True: posenc.table('transformer', 512, range(1 << 16), out=out)"),
    "rotate": ("(64, 1 << 13, 128)", "float32", "while True: posenc.rotate('llama', range(1 << 13), out, out=out)"),
    "bias": (
        "(16, 1 << 12, 1 << 12)",
        "float32",
        "while True: posenc.bias('alibi', 16, range(1 << 12), range(1 << 12), out=out)",
    ),
    "encode": (
        "(16, 1 << 12, 512)",
        "float32",
        """stage = posenc.InputStage(np.ones((99, 512), np.float32), "transformer", scale="none", dropout=0.1)
    ids = np.zeros(out.shape[:2], np.int32)
    while True: stage.encode(ids, range(1 << 12), out=out, train=True)""",
    ),
    "mask": (
        "(1 << 26,)",
        "int64",
        """mask = np.ones(out.shape, np.int32)
    while True: posenc.positions_of_mask(mask, first=0, absent=0, out=out)""",
    ),
    "identify": (
        "(64, 16)",
        "float32",
        "out[:] = np.sin(np.arange(1024)).reshape(64, 16)\n    while True: posenc.identify(out)",
    ),
    "dropout": ("(1 << 17, 1024)", "float32", "while True: posenc.dropout(out, 0.5, seed=1, out=out)"),
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_ends_a_long_call_within_100_ms(name, threads):
    shape, dtype, call = CALLS[name]
    # What is read was written before: one block of a rotation has all heads, and would be given all their pages.
    before = "out.fill(1)" if name in ("rotate", "dropout") else ""
    script = INTERRUPTED.format(threads=threads, shape=shape, dtype=dtype, before=before, call=call, after=0.3)
    took = []
    for _ in range(3):  # what others on the machine take is left out
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50, check=True)
        took.append(float(done.stdout))
        if took[-1] < 0.1:
            return
    pytest.fail(f"{took} s")


def wait_for_what_was_left():
    before = -1.0
    while time.process_time() - before > 0.01:
        before = time.process_time()
        time.sleep(0.03)


def late_of_an_alarm(call):
    """The CPU time from the alarm to the exception: the time given to others on the machine is left out."""
    wait_for_what_was_left()

    def ring(*_):
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGPROF, ring)
    try:
        with pytest.raises(KeyboardInterrupt):
            due = time.process_time() + 0.02
            signal.setitimer(signal.ITIMER_PROF, 0.02)
            call()
        return time.process_time() - due
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)


@pytest.mark.parametrize("name", SLOW)
def test_an_alarm_ends_what_is_one_piece_of_work_within_100_ms(name):
    late = []
    for _ in range(3):  # a virtual machine that stands still counts as CPU time
        late.append(late_of_an_alarm(SLOW[name]))
        if late[-1] < 0.1:
            return
    pytest.fail(f"{late} s")


def test_a_handler_that_does_not_raise_lets_the_call_go_on():
    heard = []
    old = signal.signal(signal.SIGALRM, lambda *_: heard.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.005)
        made = posenc.table("transformer", 512, range(1 << 16), recipe="f32-exp")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert heard and bits(made[-1:]) == bits(posenc.table("transformer", 512, (1 << 16) - 1, recipe="f32-exp"))


LEFT = """
import os, signal, threading, time
import posenc

signal.signal(signal.SIGINT, signal.default_int_handler)

def interrupt(after):
    time.sleep(after)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, args=(0.2,)).start()
try:
    posenc.bias_slopes("alibi", 1 << 24)
except KeyboardInterrupt:
    threading.Thread(target=interrupt, args=(0.5,), daemon=True).start()
    print(time.time(), flush=True)
"""


def test_a_program_does_not_wait_for_work_that_was_left_when_it_is_interrupted_again():
    """The work goes on for minutes."""
    done = subprocess.run([sys.executable, "-c", LEFT], capture_output=True, text=True, timeout=50)
    ended = time.time()
    assert done.returncode == 0 and 0.3 < ended - float(done.stdout) < 5, done
    assert "KeyboardInterrupt" in done.stderr
