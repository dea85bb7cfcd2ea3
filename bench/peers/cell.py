# SPDX-License-Identifier: Apache-2.0
# One measurement of one peer, and the clean process that takes them.
#
# Usage: cell.py PEER THREADS SECONDS [REGEX]    prints a line of JSON for each cell, or each whose row matches

import dataclasses
import importlib
import json
import re
import resource
import statistics
import sys
import time
from typing import Any, Callable

# Which module yields the cells of a peer.
MODULE = {
    "numpy": "peer_numpy",
    "torch_plain": "peer_torch",
    "torch_compiled": "peer_torch",
    "posenc_torch": "peer_posenc",
    "jax_compiled": "peer_jax",
    "tensorflow": "peer_tensorflow",
    "mlx": "peer_mlx",
    "positional_encodings": "peer_packages",
    "transformers": "peer_packages",
    "diffusers": "peer_packages",
    "timm": "peer_packages",
    "rotary_embedding_torch": "peer_packages",
    "x_transformers": "peer_packages",
    "npy": "peer_files",
    "safetensors": "peer_files",
    "tokenizers": "peer_files",
    "sentencepiece": "peer_files",
    "whisper_torch": "peer_models",
    "whisper_ctranslate2": "peer_models",
    "tg2fa_translit": "peer_models",
}


@dataclasses.dataclass
class Cell:
    row: str  # of sizes.py
    label: str
    run: Callable[[], Any]  # what is timed; gives the result
    error: Callable[[Any], dict] = lambda result: {}  # of the first result: {"error": .., "wrong": ..}
    form: str = "plain"  # "preallocated": the result goes to memory that is there; "process": a whole one
    recipe: str = "f32"  # or what has a column and a floor of its own: "f64", the arithmetic of a table; "served"


def page_faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def time_of(run, calls, threads):
    """Seconds of a call. On one thread what the system gave to other processes does not count, as for posenc."""
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(calls):
        run()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return (min(wall, cpu) if threads == 1 else wall) / calls


def times(cell, seconds, threads):
    """Seconds of single calls: short ones a few hundred at a time, long ones three times at least."""
    threads = 0 if cell.form == "process" else threads
    calls = max(1, int(2e-4 / max(time_of(cell.run, 1, threads), 1e-9)))
    found, end = [], time.perf_counter() + seconds
    while len(found) < 3 or time.perf_counter() < end:
        found.append(time_of(cell.run, calls, threads))
    return found, calls


def measure(cell, seconds, threads):
    start = time.perf_counter()
    error = cell.error(cell.run())  # the first call: compilers compile, caches fill
    first, faults = time.perf_counter() - start, page_faults()
    found, calls = times(cell, seconds, threads)
    quartiles = statistics.quantiles(found, n=4)
    return {
        "ns": {"low": quartiles[0] * 1e9, "median": quartiles[1] * 1e9, "high": quartiles[2] * 1e9},
        "rounds": len(found),
        "first_s": first,
        "page_faults": (page_faults() - faults) / (len(found) * calls + 1),
        **error,
    }


def main(peer, threads, seconds, pattern=""):
    module = importlib.import_module(MODULE[peer])
    for cell in getattr(module, peer)(threads):
        if not re.search(pattern, cell.row):
            continue
        entry = {"row": cell.row, "label": cell.label, "form": cell.form, "recipe": cell.recipe}
        try:
            entry |= measure(cell, seconds, threads)
        except Exception as failure:  # a peer that cannot do it is a result too
            entry["failure"] = f"{type(failure).__name__}: {failure}"[:200]
        print(json.dumps(entry), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), *sys.argv[4:])
