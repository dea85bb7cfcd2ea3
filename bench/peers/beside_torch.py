# SPDX-License-Identifier: Apache-2.0
# posenc.torch beside PyTorch, eager and compiled, transformers' modules and diffusers' function: what a change of import gives.

import compare

# The peers in the order of their columns, ours first.
COLUMNS = {
    "posenc_torch": "posenc.torch",
    "torch_plain": "PyTorch",
    "torch_compiled": "compiled",
    "transformers": "transformers",
    "diffusers": "diffusers",
}
def fastest(result, row, threads, peer):
    """The fastest cell of a peer; what needs the caller's memory, variables of the allocator or f64 is another work."""
    return compare.best(
        cell
        for cell in result["cells"]
        if (cell["row"], cell["threads"], cell["peer"]) == (row, threads, peer)
        and cell["form"] == "plain"
        and cell["recipe"] == "f32"
        and not cell["tuned"]
    )


def line(result, row, threads):
    """None where posenc.torch or all the others have no cell."""
    own, *others = [fastest(result, row, threads, peer) for peer in COLUMNS]
    if own is None or not any(others):
        return None
    ns = own["ns"]["median"]
    texts = [compare.against(cell, ns) for cell in others]
    return "| " + " | ".join([row.replace("  ", ", "), str(threads), compare.time_text(ns), *texts]) + " |"


def lines(result):
    found = [line(result, row, threads) for row in compare.ROWS for threads in (1, 2)]
    shown = [text for text in found if text]
    if not shown:
        return []
    heads = ["work", "threads", *COLUMNS.values()]
    return [
        "posenc.torch beside PyTorch: new tensors, f32 arithmetic; time, theirs over ours, which of theirs is fastest.",
        "",
        "| " + " | ".join(heads) + " |",
        "| " + " | ".join("---" for _ in heads) + " |",
        *shown,
    ]


def text(result):
    """The table as a part of a page, under the machine that it is of."""
    return "\n".join([*compare.machine(result), "", *lines(result)])
