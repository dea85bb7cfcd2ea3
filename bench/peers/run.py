# SPDX-License-Identifier: Apache-2.0
# Times posenc and every peer on the same work, each in a clean process, and compares them.
#
# Usage, where requirements.txt are installed: run.py POSENC_BENCH POSENC [--only PEER,...] [--filter REGEX] [--seconds S]
# [--target NAME] [--json FILE]

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

import beside_torch
import compare
import sizes
import work

HERE = pathlib.Path(__file__).parent
# Environment variables alone: glibc keeps freed memory, and uses huge pages.
TUNED = {
    "THP_MEM_ALLOC_ENABLE": "1",
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=4294967296:glibc.malloc.arena_max=1:"
    "glibc.malloc.trim_threshold=17179869184:glibc.malloc.top_pad=67108864",
}
LONGEST = 900  # seconds of one process; what it measured until then counts
# Peer, its threads, and whether the allocator is tuned in a further run.
PEERS = [
    ("numpy", (1,), True),
    ("torch_plain", (1, 2), True),
    ("torch_compiled", (1, 2), True),
    ("posenc_torch", (1, 2), False),
    ("jax_compiled", (1, 2), True),
    ("tensorflow", (1, 2), False),
    ("mlx", (1,), False),
    ("positional_encodings", (1, 2), False),
    ("transformers", (1, 2), False),
    ("diffusers", (1, 2), False),
    ("timm", (1, 2), False),
    ("rotary_embedding_torch", (1, 2), False),
    ("x_transformers", (1, 2), False),
    ("npy", (1,), False),
    ("safetensors", (1,), False),
    ("tokenizers", (1,), False),
    ("sentencepiece", (1,), False),
    ("whisper_torch", (1, 2), False),
    ("whisper_ctranslate2", (1, 2), False),
    ("tg2fa_translit", (1, 2), False),
]
# Instruction sets that are less than the machine's: what holds NumPy, PyTorch with its libraries and XLA to them.
LESSER = {
    "AVX2": {
        "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
        "ATEN_CPU_CAPABILITY": "avx2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        "XLA_FLAGS": "--xla_cpu_max_isa=AVX2",
    }
}
# What takes all that the machine has, whatever the environment says.
NEVER_LESS = {
    "posenc_torch",
    "tensorflow",
    "mlx",
    "npy",
    "safetensors",
    "tokenizers",
    "sentencepiece",
    "whisper_ctranslate2",
    "tg2fa_translit",
}


def environment(threads, tuned, target):
    limits = {
        name: str(threads)
        for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PJRT_NPROC", "NPROC")
    }
    lesser = LESSER.get(target, {})
    one = "--xla_cpu_multi_thread_eigen=false" if threads == 1 else ""
    xla = " ".join(filter(None, (lesser.get("XLA_FLAGS"), one)))
    return {
        **os.environ,
        **limits,
        **lesser,
        **({"XLA_FLAGS": xla} if xla else {}),
        **(TUNED if tuned else {}),
        "JAX_PLATFORMS": "cpu",
        "CUDA_VISIBLE_DEVICES": "",
        "HF_HUB_OFFLINE": "1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
    }


def run_peer(peer, threads, tuned, request, only):
    """The cells of one peer. What it could not do goes to the screen."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as complaints:
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", HERE / "cell.py", peer, str(threads), str(request.seconds), only],
            env=environment(threads, tuned, request.target),
            stdout=out,
            stderr=complaints,
        )
        try:
            status = process.wait(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            process.kill()
            status = process.wait()
        out.seek(0)
        complaints.seek(0)
        lines, last = out.read().splitlines(), " ".join(complaints.read().strip().splitlines()[-1:])
    cells = [
        json.loads(line) | {"peer": peer, "threads": threads, "tuned": tuned}
        for line in lines
        if line.startswith("{") and line.endswith("}")  # a killed process leaves a part
    ]
    failures = [f"{cell['label']}, {cell['row']}: {cell['failure']}" for cell in cells if "failure" in cell]
    if status:
        failures.append(f"exit status {status}: {last}")
    for failure in failures:
        print(f"peers: {peer} on {threads} threads: {failure}", file=sys.stderr)
    return [cell for cell in cells if "failure" not in cell]


def run_twice(peer, threads, tuned, request, again):
    """The cells of one peer, each the better of two processes for the rows that are measured again."""
    cells = run_peer(peer, threads, tuned, request, request.filter)
    if again:
        cells += run_peer(peer, threads, tuned, request, pattern(again))
    best = {}
    for cell in sorted(cells, key=lambda cell: cell["ns"]["median"]):
        best.setdefault((cell["row"], cell["label"], cell["form"]), cell)
    return list(best.values())


def pattern(rows):
    return f"^({'|'.join(re.escape(row) for row in rows)})$"


def run_posenc(bench, rows, target):
    """The report of posenc_bench on these rows."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        names = pattern(row.replace("  ", " ") for row in rows)
        held = ["--target", target] if target else []
        subprocess.run([bench, "--filter", names, "--json", file.name, *held], check=True, stdout=subprocess.DEVNULL)
        report = json.load(file)
    unknown = set(rows) - {compare.name(entry) for entry in report["rows"]}
    if unknown:
        raise SystemExit(f"peers: posenc_bench has no row {sorted(unknown)}")
    return report


def posenc_errors(tool):
    """Of our own tables, by the same comparison: written by the tool, read by NumPy."""
    errors = {}
    with tempfile.TemporaryDirectory() as folder:
        for rows, width in sizes.TABLES:
            path = f"{folder}/table.npy"
            subprocess.run(
                [
                    tool,
                    "table",
                    "--preset",
                    "transformer",
                    "--dim",
                    str(width),
                    "--positions",
                    f"0:{rows}",
                    "--out",
                    path,
                    "--no-sync",
                ],
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            table = np.load(path, mmap_mode="r")
            errors[sizes.table_row(rows, width)] = work.table_error(lambda p: table[p], rows, width, "pairs")
    return errors


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("tool")
    parser.add_argument("--only", default=",".join(peer for peer, _, _ in PEERS))
    parser.add_argument("--filter", default="", help="only rows, as sizes.py names them, that match")
    parser.add_argument("--seconds", type=float, default=0.4, help="for each cell")
    parser.add_argument("--plain", action="store_true", help="no further runs with the allocator tuned")
    parser.add_argument("--target", choices=LESSER, help="hold posenc and its peers to an instruction set")
    parser.add_argument("--json", default="")
    request = parser.parse_args()
    # posenc first and last, the peers between: a machine that got slower meanwhile shows. A row that memory bounds
    # depends on where the system puts a process, so the fastest peers have two turns there as well.
    rows = [row for row in compare.ROWS if re.search(request.filter, row)]
    bound = [row for row in rows if row in sizes.MEMORY_ROWS]
    reports = [run_posenc(request.bench, rows, request.target)]
    cells = []
    for peer, thread_counts, tunes in PEERS:
        if peer not in request.only.split(",") or (request.target and peer in NEVER_LESS):
            continue
        for tuned in (False, True) if tunes and not request.plain else (False,):
            for threads in thread_counts:
                print(
                    f"peers: {peer}, {threads} threads{', allocator tuned' if tuned else ''}, "
                    f"load {os.getloadavg()[0]:.2f}",
                    file=sys.stderr,
                )
                cells += run_twice(peer, threads, tuned, request, bound if tuned and threads == 2 else [])
    reports.append(run_posenc(request.bench, rows, request.target))
    result = {
        "machine": reports[0]["machine"],
        "load": [reports[0]["load_before"], reports[1]["load_after"]],
        "posenc": [report["rows"] for report in reports],
        "errors": posenc_errors(request.tool),
        "cells": cells,
    }
    print(compare.text(result))
    if beside := beside_torch.lines(result):
        print("", *beside, sep="\n")
    if request.json:
        pathlib.Path(request.json).write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
