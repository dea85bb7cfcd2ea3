# SPDX-License-Identifier: Apache-2.0
# posenc beside its peers: the factors, what they must be, and everyone's errors.

import sizes

# The least factor over the best peer, with one thread and with two; None where nothing is asked.
FLOORS = {
    **{sizes.table_row(rows, width): (4, 4) for rows, width in sizes.TABLES},
    sizes.table_row(*sizes.LARGE): (12, 12),
    **{sizes.table_row(rows, width, "f64"): (1.5, 1.5) for rows, width in sizes.TABLES_F64},
    sizes.table_row(*sizes.LARGE, "bf16"): (15, 15),
    sizes.table_row(*sizes.LARGE, "f16"): (15, 15),
    **{sizes.grid_row(side, width): (4, 4) for side, width in sizes.GRIDS},
    **{sizes.input_row(ids, 512): (2, 1.4) for ids in ("uniform", "Zipf")},
    **{sizes.input_row(ids, 1024): (1.6, 1.4) for ids in ("uniform", "Zipf")},
    sizes.DROPOUT_ROW: (20, 20),
    sizes.ROTARY_ROWS["f32"]: (1.5, 1.3),
    sizes.ROTARY_ROWS["bf16"]: (6, 4),
    sizes.ROTARY_STEP_ROW: (30, None),
    **{sizes.cache_row(tokens): (None, None) for tokens in sizes.CACHES},
    **{sizes.backward_row("dense", ids): (1.2, 1.2) for ids in ("uniform", "Zipf")},
    **{sizes.backward_row("touched", ids): (3, 3) for ids in ("uniform", "Zipf")},
    **{sizes.attention_row(tokens): (1, 1) for tokens in sizes.ATTENTION},
    **{sizes.causal_row(tokens): (1, 1) for tokens in sizes.ATTENTION},
    sizes.ATTENTION_STEP_ROW: (1, None),
    **{row: (1, 1) for row in sizes.LAYER_ROWS},
    # PyTorch's have no attention, so they do less: shown, not judged.
    **{sizes.recurrent_row(kind, *shape): (None, None) for kind in ("rnn", "lstm") for shape in sizes.RECURRENT},
    **{sizes.file_row(kind, way): (1, None) for kind in ("npy", "safetensors") for way in ("read", "write")},
    **{sizes.tokenizer_row(kind): (1, None) for kind in ("bpe of 3072", "sentencepiece")},
    sizes.STEP_ROW: (60, None),
    sizes.timestep_row(1): (12, None),
    sizes.timestep_row(4096): (4, 4),
    sizes.COLD_ROW: (None, None),
    sizes.ENCODER_ROW: (1, 1),
    sizes.LETTERS_ROW: (10, 10),
    sizes.LETTERS_COLD_ROW: (10, None),
}
# Over what is judged apart: the recipe in double precision; an engine for serving, which may take 1 / 1.3 of our time.
APART = {sizes.table_row(*sizes.LARGE): ("f64", 40), sizes.ENCODER_ROW: ("served", 1 / 1.3)}
ROWS = list(FLOORS)

# The call that people write, where there are several of PyTorch.
USUAL = (
    "PyTorch f32 recipe",
    "PyTorch f32 recipe, cast",
    "PyTorch f32",
    "PyTorch",
    "transformers Llama",
    "PyTorch embedding_dense_backward",
    "PyTorch sparse coalesce",
    "PyTorch scaled_dot_product_attention",
    "diffusers timestep",
    "python, PyTorch, save",
    "PyTorch, attention eager",
)


def time_text(ns):
    for limit, unit in ((1e3, "ns"), (1e6, "us"), (1e9, "ms")):
        if ns < limit:
            return f"{ns / limit * 1e3:.3g} {unit}"
    return f"{ns / 1e9:.3g} s"


def name(entry):
    """A row of posenc_bench as sizes.py names it."""
    return f"{entry['operation']}  {entry['size']}"


def ours(result, row, threads):
    """Nanoseconds of posenc in the best of its turns, as a peer's are; None for a row that it has not."""
    found = [
        entry["ns"]["median"]
        for report in result["posenc"]
        for entry in report
        if name(entry) == row and entry["threads"] == threads
    ]
    return min(found, default=None)


def best(cells):
    return min(cells, key=lambda cell: cell["ns"]["median"], default=None)


def against(cell, own):
    if cell is None:
        return "-"
    time = cell["ns"]["median"]
    factor = f", {time / own:.3g}x" if own else ""
    return f"{time_text(time)}{factor}, {cell['label']}"


def verdict(cells, own, floor):
    fastest = best(cells)
    if floor is None or own is None or fastest is None:
        return "-"
    return f"{floor:.3g}x " + ("ok" if fastest["ns"]["median"] / own >= floor else "short")


def line(result, row, threads):
    # posenc through Python is no peer: beside_torch.py has its table.
    cells = [
        cell
        for cell in result["cells"]
        if cell["row"] == row and cell["threads"] == threads and cell["peer"] != "posenc_torch"
    ]
    if not cells:
        return None
    own = ours(result, row, threads)
    f32 = [cell for cell in cells if cell["recipe"] == "f32"]
    apart = [cell for cell in cells if cell["recipe"] != "f32"]
    shown = [
        best(cell for cell in f32 if cell["form"] != "preallocated" and not cell["tuned"]),
        best(cell for cell in f32 if cell["form"] == "preallocated" and not cell["tuned"]),
        best(cell for cell in f32 if cell["tuned"]),
        best(apart),
        next((cell for cell in cells if cell["label"] in USUAL and not cell["tuned"]), None),
    ]
    judged = verdict(f32, own, FLOORS[row][threads - 1])
    if row in APART:
        recipe, floor = APART[row]
        judged += f"; {recipe} " + verdict(apart, own, floor)
    texts = [
        row.replace("  ", ", "),
        str(threads),
        time_text(own) if own else "-",
        *(against(cell, own) for cell in shown),
        judged,
    ]
    return "| " + " | ".join(texts) + " |"


def errors(result):
    """Everyone's largest error, and the share of outputs that are not the nearest f32, per row."""
    found = {(row, "posenc"): error for row, error in result["errors"].items()}
    for cell in result["cells"]:
        if "error" in cell and not cell["tuned"]:
            found.setdefault((cell["row"], cell["label"]), cell)
    lines = []
    for row in ROWS:
        entries = sorted(
            (error["error"], label, error.get("wrong")) for (of, label), error in found.items() if of == row
        )
        for error, label, wrong in entries:
            lines.append(
                f"| {row.replace('  ', ', ')} | {label} | {error:.2e} | {'-' if wrong is None else f'{wrong:.4%}'} |"
            )
    return lines


def machine(result):
    found = result["machine"]
    return [
        f"{found['cpu']}, {found['target']}, {found['compiler']}",
        f"load {result['load'][0]:.2f} before, {result['load'][1]:.2f} after",
    ]


def text(result):
    lines = [
        *machine(result),
        "",
        "Time, theirs over ours, who. Tuned: environment variables of the allocator, no change of code.",
        "",
        "| work | threads | posenc | best plain | best preallocated | best tuned | best apart | the usual call | asked |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [found for row in ROWS for threads in (1, 2) if (found := line(result, row, threads))]
    lines += ["", "| work | who | largest error | not the nearest f32 |", "| --- | --- | --- | --- |", *errors(result)]
    return "\n".join(lines)
