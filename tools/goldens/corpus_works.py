# SPDX-License-Identifier: Apache-2.0
"""What the corpus of the referee holds: a case a table, most of them drawn from the rows of the work list.

Widths, rows, first positions, orientations and types are drawn by the name of a case, so that a further case changes no
other. Names of a later round end in AGAIN: the same works, drawn anew. Needs no package, so that every environment reads
the same list.
"""
import dataclasses
import random
import typing

import coordinate_works
import relative_works
import rotation_works
import waves_works
from works import Answers, Biases, Places, Rotation, Table, TurnedPlaces

ENTRIES = 4500  # of a table, at most: a corpus is a few megabytes
LENGTHS = (4, 7, 16, 33, 50, 64, 100, 128, 200, 300)
FIRSTS = (0, 0, 0, 1, 2, 100)
GRIDS = ((2, 3), (3, 5), (4, 4), (5, 9), (7, 7), (8, 3), (14, 14))
DISTANCES = ("espnet-rel", "xl-sinusoid", "gemma3n-audio-rel", "parakeet-rel")  # their tables fall from +n to -n
STEPS_TO_1 = ("aura-flow-timestep", "omni-dit-timestep", "kerashub-flux-timestep", "qwenimage-timestep")
AGAIN = "@2"  # of the names of the last round
GREW = ("rope-dynamic", "rope-longrope")  # whose ladders depend on the length


class Dress(typing.NamedTuple):
    """What becomes of a table on its way into a file."""
    orientation: str = "[L,d]"
    storage: str = "own"  # the type that it is rounded to; own: none
    back: str = "stay"  # widened: kept in f32 again
    scale: str = "1"  # 1, root: sqrt(d), or a number; a product in f32
    lead: int = 0  # rows of zeros before


@dataclasses.dataclass(frozen=True, kw_only=True)
class Case:
    name: str  # decides everything that is drawn
    preset: str
    package: str
    kind: str
    call: str  # as those of works.py
    gives: str  # what of it is the table: a function of corpus_part.py
    sees: dict = dataclasses.field(default_factory=dict)  # names in the call; q: heads, rows, columns and a seed
    says: dict = dataclasses.field(default_factory=dict)  # fields of the record
    dress: Dress = Dress()


def drawn_by(name):
    return random.Random(f"corpus {name}")


def dress(draw, *orientations, leads=False):
    storage = draw.choice(("own", "own", "own", "own", "own", "bf16", "f16"))
    scale = draw.choice(("1",) * 9 + ("root", "0.5"))
    chosen = draw.choice(orientations)
    lead = chosen.startswith("[1+") or (leads and draw.random() < 0.08)
    return Dress(chosen, storage, draw.choice(("stay", "widened")), scale, int(lead))


def dress_of_rows(draw, leads=False):
    return dress(draw, *("[L,d]",) * 4, "[1,L,d]", "[1,L,d]", "[L,1,d]", "[d,L]", leads=leads)


def dress_of_cells(draw):
    return dress(draw, "[HW,d]", "[HW,d]", "[H,W,d]", "[H,W,d]", "[1,HW,d]", "[1+HW,d]", "[1+HW,d]")


def as_it_is(draw):
    """Of what is no table of rows: rounded at most."""
    storage = draw.choice(("own", "own", "own", "bf16", "f16"))
    return Dress("", storage, draw.choice(("stay", "widened")))


# ---- waves -----------------------------------------------------------------------------------------

def width_and_rows(draw, widths, length):
    """A width of the row's, or a usual one where it takes 64; few rows where it is wide."""
    usual = [96, 128, 320, 512] if 64 in widths else []
    width = draw.choice([w for w in [*widths, *usual] if w > 3] or list(widths))
    rows = [n for n in LENGTHS if n * width <= ENTRIES and n + max(FIRSTS) <= length]
    return width, draw.choice(rows)


def table_cases(work, again):
    variants = [f"{work.preset}/{i}{again}" for i in range(2)]
    for i, name in enumerate(variants):
        draw = drawn_by(name)
        recipe = list(work.calls)[i % len(work.calls)] if work.calls else None
        if isinstance(next(iter(work.rows.values()))[0], tuple):
            yield cells_case(work, name, draw, recipe)
            continue
        width, rows = width_and_rows(draw, work.rows, work.length)
        first = draw.choice(FIRSTS)
        says = {"width": width, "first": first, "rows": rows}
        if work.preset in DISTANCES:
            says = {"width": width, "first": rows // 2, "rows": rows, "step": -1}
        elif work.preset in STEPS_TO_1:
            says = {"width": width, "first": 0, "rows": min(rows, 65), "step": (1.0, 1 / 64)[i]}
        elif work.preset == "esm-1":
            says["first"] = first + 1
        positions = [says["first"] + says.get("step", 1) * k for k in range(says["rows"])]
        yield Case(name=name, preset=work.preset, package=work.package, kind="table", call=work.calls[recipe], gives="table",
                   sees={"dim": width, "positions": positions}, says=says | {"recipe": recipe}, dress=dress_of_rows(draw, True))


def cells_case(work, name, draw, recipe):
    axes = len(next(iter(work.rows.values()))[0])
    width = draw.choice([w for w in work.rows if w <= 64] or list(work.rows))
    grid = draw.choice(GRIDS if axes == 2 else ((2, 3, 4), (3, 5, 3), (4, 4, 4)))
    says = {"width": width, "grid": grid, "rows": grid[0] * grid[1] * (grid[2] if axes == 3 else 1), "first": 0}
    orientations = dress_of_cells(draw) if axes == 2 else Dress("[HW,d]")
    return Case(name=name, preset=work.preset, package=work.package, kind="grid", call=work.calls[recipe], gives="table",
                sees={"dim": width, "grid": grid}, says=says | {"recipe": recipe}, dress=orientations)


# ---- rows at coordinates -----------------------------------------------------------------------------

POINTS = {"gligen-box": (4, 0, 1), "dab-detr-anchor": (4, 0, 1), "bros-2d": (8, 0, 100), "nerf": (3, -1, 1),
          "nerf-pi": (3, -1, 1), "sam-gaussian": (2, -1, 1), "gaussian-fourier": (1, -4, 4), "esmfold2-fourier": (1, -4, 4),
          "time2vec": (1, -4, 4)}


def places_cases(work, again):
    for i in range(2):
        name = f"{work.preset}/{i}{again}"
        draw = drawn_by(name)
        is_image = isinstance(next(iter(work.rows.values())), tuple)
        yield images_case(work, name, draw) if is_image else points_case(work, name, draw)


def points_case(work, name, draw):
    width = draw.choice(list(work.rows))
    stated = {"learned": work.learned} if work.learned is not None else {}
    if work.preset == "diffusers-2d":
        grid = draw.choice(GRIDS)
        return Case(name=name, preset=work.preset, package=work.package, kind="grid", gives="table",
                    call="diffusers.models.embeddings: get_2d_sincos_pos_embed(dim, grid, interpolation_scale=2.0)",
                    sees={"dim": width, "grid": grid}, dress=dress_of_cells(draw),
                    says={"width": width, "grid": grid, "rows": grid[0] * grid[1],
                          "coordinates": coordinate_works.patches(*grid)})
    if work.preset in POINTS:
        axes, least, most = POINTS[work.preset]
        # Of 10 bits behind the point: f32 has them, and their products with a power of 2, exactly.
        coordinates = [[draw.randint(least * 1024, most * 1024) / 1024 for _ in range(axes)] for _ in range(20)]
        says = {"width": width, "rows": len(coordinates), "coordinates": coordinates}
    else:
        rows, first = draw.choice([n for n in LENGTHS if n * width <= ENTRIES]), draw.choice(FIRSTS)
        coordinates = [[float(first + k)] for k in range(rows)]
        says = {"width": width, "first": first, "rows": rows}
    return Case(name=name, preset=work.preset, package=work.package, kind="table", call=work.call, gives="table",
                sees={"dim": width, "places": coordinates}, says=says | stated, dress=dress_of_rows(draw))


def images_case(work, name, draw):
    width = draw.choice([*work.rows, *([32] if {8, 64} <= set(work.rows) else [])])
    grid = draw.choice(GRIDS)
    return Case(name=name, preset=work.preset, package=work.package, kind="grid", call=work.call, gives="table",
                sees={"dim": width, "grid": grid}, says={"width": width, "grid": grid, "rows": grid[0] * grid[1], "first": 0},
                dress=dress_of_cells(draw))


# ---- rotations -----------------------------------------------------------------------------------------

def stored_forms(pairing):
    """How caches hold the angle of a pair: once, or for each of its columns."""
    return ("once", "halves") if pairing == "split_half" else ("once", "pairs")


def rotation_cases(work, again):
    turns = [turn for turn in work.turns if not turn.contracted]
    for gives in ("inv_freq", "waves", "turned"):
        name = f"{work.preset}/{gives}{again}"
        draw = drawn_by(name)
        turn = draw.choice([t for t in turns if gives == "turned" or t.dtype == "f32"])
        rows = draw.choice((8, 12)) if gives == "turned" else draw.choice((16, 33, 50, 64))
        first = draw.choice((0, 5000)) if work.preset in GREW else draw.choice((0, 0, 1, 100))
        says = {"width": turn.head, "rotated": turn.rotated, "first": first, "rows": rows}
        says |= {"length": first + rows} if work.preset in GREW else {}
        says |= {"set": {"part": turn.rotated}} if work.preset == "rope-pair" and turn.head != turn.rotated else {}
        if work.recipe and gives != "turned":
            says["recipe"] = work.recipe
        sees = {"q": (1, rows, turn.head, draw.randrange(10**6), turn.dtype), "rotated": turn.rotated,
                "positions": list(range(first, first + rows))}
        if gives == "inv_freq" and "divide" in (work.recipe or ""):
            continue  # it has none
        yield rotated_case(work, name, draw, gives, turn.call, sees, says, stored_forms(work.pairing))


def rotated_case(work, name, draw, gives, call, sees, says, forms):
    if gives == "waves":
        kind = draw.choice(("cos", "sin", "cos_sin"))
        says |= {"stored": draw.choice((*forms, "complex") if kind == "cos_sin" else forms)}
        clothes = dress(draw, "[L,d]", "[L,d]", "[1,L,d]")._replace(scale="1")
        return Case(name=name, preset=work.preset, package=work.package, kind=kind, call=call, gives="waves",
                    sees=sees, says=says, dress=clothes)
    kind = {"inv_freq": "inv_freq", "turned": "before_after"}[gives]
    return Case(name=name, preset=work.preset, package=work.package, kind=kind, call=call, gives=gives, sees=sees, says=says,
                dress=as_it_is(draw) if gives == "inv_freq" else Dress(""))


def turned_places_cases(work, again):
    for gives in ("waves", "turned"):
        name = f"{work.preset}/{gives}{again}"
        draw = drawn_by(name)
        sees = {"q": (1, work.places, work.head, draw.randrange(10**6), "f32")}
        says = {"width": work.head, "rows": work.places}
        if work.centre is not None:
            says |= {"centre": work.centre, "side": "query"}
        if gives == "turned" or (work.centre is None and work.angles != "[]"):
            yield rotated_case(work, name, draw, gives, work.call, sees, says, ("once", "once"))


# ---- pairs, queries ------------------------------------------------------------------------------------

def bias_cases(work, again):
    for i in range(2):
        name = f"{work.preset}/{i}{again}"
        draw = drawn_by(name)
        heads = draw.choice((2, 3, 8, 12, 16, 32, 71))
        queries, keys = (5, 9) if work.package == "numpy" else (draw.choice((1, 7, 16)), draw.choice((9, 16, 33)))
        mask = [1] * keys if work.mask else []
        says = {"heads": heads, "queries": queries, "keys": keys} | ({"head": work.head} if work.head else {})
        yield Case(name=name, preset=work.preset, package=work.package, kind="bias", call=work.call, gives="table",
                   sees={"heads": heads, "queries": queries, "keys": keys, "mask": [mask]}, says=says, dress=as_it_is(draw))


def answer_cases(work, again):
    if work.kind in ("stored_rows", "resized"):
        return  # they make no numbers of their own
    for i in range({"coordinates": 4, "query_scales": 3}.get(work.kind, 2)):
        name = f"{work.preset}/{i}{again}"
        draw = drawn_by(name)
        whole = Dress("", draw.choice(("i64", "i32")))
        if work.kind == "classes":
            sizes = ((7, 9), (40, 40), (1, 300), (64, 150), (100, 100))
            queries, keys = draw.choice([each for each in sizes if max(each) <= work.reach + 1])
            says = {"queries": queries, "keys": keys}
            yield Case(name=name, preset=work.preset, package=work.package, kind="buckets", call=work.call, gives="classes",
                       sees={"distances": min(work.reach, 400)}, says=says, dress=whole)
        elif work.kind in ("windows", "coordinates"):
            height, width = [*work.cases, (5, 5), (8, 8), (2, 7), (12, 12)][i] if i else draw.choice(work.cases)
            kind = "buckets" if work.kind == "windows" else "log_coordinates"
            yield Case(name=name, preset=work.preset, package=work.package, kind=kind, call=work.call, gives="table",
                       sees={"height": height, "width": width}, says={"window": (height, width)},
                       dress=whole if kind == "buckets" else as_it_is(draw))
        elif work.kind == "query_scales":
            first, rows = draw.choice(((0, 8400), (8000, 400), (32700, 300), (16200, 300)))
            yield Case(name=name, preset=work.preset, package=work.package, kind="query_scale", call=work.call, gives="table",
                       sees={"positions": list(range(first, first + rows))}, says={"first": first, "rows": rows},
                       dress=as_it_is(draw))


def of_work_list(again):
    by_type = {Table: table_cases, Places: places_cases, Rotation: rotation_cases, TurnedPlaces: turned_places_cases,
               Biases: bias_cases, Answers: answer_cases}
    for module in (waves_works, coordinate_works, rotation_works, relative_works):
        for work in module.WORKS:
            if getattr(work, "calls", True) and type(work) in by_type:
                yield from by_type[type(work)](work, again)


def cases():
    import corpus_bases
    import corpus_drawn
    import corpus_fields
    import corpus_strangers
    made = [*of_work_list(""), *corpus_bases.CASES, *corpus_fields.CASES, *corpus_strangers.CASES,
            *of_work_list(AGAIN), *corpus_drawn.CASES]
    names = [case.name for case in made]
    assert len(set(names)) == len(names), sorted(name for name in names if names.count(name) > 1)
    return made
