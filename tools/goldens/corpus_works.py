# SPDX-License-Identifier: Apache-2.0
"""What the corpus of the referee holds: a case a table, most of them drawn from the rows of the work list.

Widths, rows, first positions, orientations and types are drawn by the name of a case, which ends with its round, so that a
further case or round changes no other. Needs no package, so that every environment reads the same list.
"""
import dataclasses
import math
import random
import typing

import coordinate_works
import relative_works
import rotation_works
import waves_works
from corpus_rounds import CELLS, ENTRIES, all_rounds, is_kept
from works import Answers, Biases, Places, Rotation, Table, TurnedPlaces

DISTANCES = ("espnet-rel", "xl-sinusoid", "gemma3n-audio-rel", "parakeet-rel")  # their tables fall from +n to -n
IMAGE_WIDTHS = (16, 24, 32, 48, 96, 128)  # of images, beside those of their row
FURTHER_WIDTHS = {  # of rows at coordinates
    "speecht5": (8, 16, 24, 48, 96, 128, 256), "xt-scaled-sinusoid": (8, 16, 24, 48, 96, 128, 256), "diffusers-2d": (16, 32, 48),
    "double-exponent-legacy": (8, 16, 24, 48, 96, 128), "mlx-sinusoidal": (16, 24, 48, 96, 128, 256), "gligen-box": (24, 32, 48),
    "dab-detr-anchor": (32, 64, 256), "bros-2d": (32, 48, 128), "nerf": (15, 33, 39, 51, 57), "nerf-pi": (12, 24, 36, 48),
    "perceiver-fourier": (18, 26, 50, 66), "timm-fourier": (18, 26, 50, 66), "timm-fourier-octaves": (16, 24, 40)}
HEADS = (8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 112, 128, 160, 192, 256)
OWN_HEADS = ("rope-longrope", "phi-3.5", "kerashub-dynamic", "gpt-oss", "llama4-text", "ernie-4.5")  # by scalings, configurations
STEPS_TO_1 = ("aura-flow-timestep", "omni-dit-timestep", "kerashub-flux-timestep", "qwenimage-timestep")
GREW = ("rope-dynamic", "rope-longrope", "phi-3.5")  # whose ladders depend on the length


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

def width_and_rows(draw, widths, of):
    """A width of the row's, or a usual one where it takes 64; few rows where it is wide."""
    usual = of.widths if 64 in widths else []
    width = draw.choice([w for w in [*widths, *usual] if w > 3] or list(widths))
    return width, draw.choice([n for n in of.lengths if n * width <= ENTRIES])


def table_cases(work, of):
    for i in range(2):
        name = of.named(f"{work.preset}/{i}")
        draw = drawn_by(name)
        recipe = list(work.calls)[i % len(work.calls)] if work.calls else None
        if isinstance(next(iter(work.rows.values()))[0], tuple):
            yield cells_case(work, name, draw, recipe, of)
            continue
        width, rows = width_and_rows(draw, work.rows, of)
        first = draw.choice(of.firsts)
        says = {"width": width, "first": first, "rows": rows}
        if work.preset in DISTANCES:
            at = rows // 2 if of.is_first else draw.choice((rows // 2, rows // 2, 0, rows - 1, rows + 10))
            says = {"width": width, "first": at, "rows": rows, "step": -1}
        elif work.preset in STEPS_TO_1:
            says = {"width": width, "first": 0, "rows": min(rows, 65), "step": of.steps[i][0]}
            if not of.is_first:
                says["step"] = draw.choice(of.steps[i])
        elif work.preset == "esm-1":
            says["first"] = first + 1
        positions = [says["first"] + says.get("step", 1) * k for k in range(says["rows"])]
        yield Case(name=name, preset=work.preset, package=work.package, kind="table", call=work.calls[recipe], gives="table",
                   sees={"dim": width, "positions": positions}, says=says | {"recipe": recipe}, dress=dress_of_rows(draw, True))


def cells_case(work, name, draw, recipe, of):
    axes = len(next(iter(work.rows.values()))[0])
    widths = [*work.rows, *(IMAGE_WIDTHS if axes == 2 and not of.is_first else ())]
    width = draw.choice([w for w in widths if w <= 64] or widths)
    grid = draw.choice([each for each in (of.grids if axes == 2 else of.volumes) if math.prod(each) * width <= CELLS])
    says = {"width": width, "grid": grid, "rows": grid[0] * grid[1] * (grid[2] if axes == 3 else 1), "first": 0}
    orientations = dress_of_cells(draw) if axes == 2 else Dress("[HW,d]")
    return Case(name=name, preset=work.preset, package=work.package, kind="grid", call=work.calls[recipe], gives="table",
                sees={"dim": width, "grid": grid}, says=says | {"recipe": recipe}, dress=orientations)


# ---- rows at coordinates -----------------------------------------------------------------------------

POINTS = {"gligen-box": (4, 0, 1), "dab-detr-anchor": (4, 0, 1), "bros-2d": (8, 0, 100), "nerf": (3, -1, 1),
          "nerf-pi": (3, -1, 1), "sam-gaussian": (2, -1, 1), "gaussian-fourier": (1, -4, 4), "esmfold2-fourier": (1, -4, 4),
          "time2vec": (1, -4, 4)}


def places_cases(work, of):
    for i in range(2):
        name = of.named(f"{work.preset}/{i}")
        draw = drawn_by(name)
        is_image = isinstance(next(iter(work.rows.values())), tuple)
        yield (images_case if is_image else points_case)(work, name, draw, of)


def points_case(work, name, draw, of):
    width = draw.choice([*work.rows, *(() if of.is_first else FURTHER_WIDTHS.get(work.preset, ()))])
    if work.preset == "diffusers-2d":
        grid = draw.choice([each for each in of.grids if math.prod(each) * width <= CELLS])
        scale = 2.0 if of.is_first else draw.choice((0.5, 1.0, 1.5, 2.0, 3.0, 4.0))
        return Case(name=name, preset=work.preset, package=work.package, kind="grid", gives="table",
                    call=f"diffusers.models.embeddings: get_2d_sincos_pos_embed(dim, grid, interpolation_scale={scale})",
                    sees={"dim": width, "grid": grid}, dress=dress_of_cells(draw),
                    says={"width": width, "grid": grid, "rows": grid[0] * grid[1],
                          "coordinates": coordinate_works.patches(*grid, scale)})
    if work.preset in POINTS:
        axes, least, most = POINTS[work.preset]
        count = 20 if of.is_first else draw.randrange(3, 60)
        # Of 10 bits behind the point: f32 has them, and their products with a power of 2, exactly.
        coordinates = [[draw.randint(least * 1024, most * 1024) / 1024 for _ in range(axes)] for _ in range(count)]
        says = {"width": width, "rows": len(coordinates), "coordinates": coordinates}
    else:
        rows, first = draw.choice([n for n in of.lengths if n * width <= ENTRIES]), draw.choice(of.firsts)
        coordinates = [[float(first + k)] for k in range(rows)]
        says = {"width": width, "first": first, "rows": rows}
    call = work.call
    if work.learned is not None:
        says["learned"] = work.learned if of.is_first else draw.randrange(16, 4096) / 1024
        call = call.replace(str(work.learned), str(says["learned"]))
    return Case(name=name, preset=work.preset, package=work.package, kind="table", call=call, gives="table",
                sees={"dim": width, "places": coordinates}, says=says, dress=dress_of_rows(draw))


def images_case(work, name, draw, of):
    takes_8 = {8, 64} <= set(work.rows)
    further = ([32] if takes_8 else []) if of.is_first else IMAGE_WIDTHS if takes_8 else FURTHER_WIDTHS.get(work.preset, ())
    width = draw.choice([*work.rows, *further])
    grid = draw.choice([each for each in of.grids if math.prod(each) * width <= CELLS])
    return Case(name=name, preset=work.preset, package=work.package, kind="grid", call=work.call, gives="table",
                sees={"dim": width, "grid": grid}, says={"width": width, "grid": grid, "rows": grid[0] * grid[1], "first": 0},
                dress=dress_of_cells(draw))


# ---- rotations -----------------------------------------------------------------------------------------

def stored_forms(pairing):
    """How caches hold the angle of a pair: once, or for each of its columns."""
    return ("once", "halves") if pairing == "split_half" else ("once", "pairs")


def other_head(turn, draw):
    """A turn of heads of another width, where all columns turn and its call takes any."""
    stated = f"head_dim={turn.head}"
    if turn.head != turn.rotated or ("head_dim" in turn.call and stated not in turn.call):
        return turn
    head = draw.choice(HEADS)
    return dataclasses.replace(turn, call=turn.call.replace(stated, f"head_dim={head}"), head=head, rotated=head)


def rotation_cases(work, of):
    turns = [turn for turn in work.turns if not turn.contracted]
    for gives in ("inv_freq", "waves", "turned"):
        name = of.named(f"{work.preset}/{gives}")
        draw = drawn_by(name)
        turn = draw.choice([t for t in turns if gives == "turned" or t.dtype == "f32"])
        if not of.is_first and work.preset not in OWN_HEADS:
            turn = other_head(turn, draw)
        rows = draw.choice(of.turned if gives == "turned" else [n for n in of.waves if n * turn.rotated <= 64 * 256])
        first = draw.choice(of.far if work.preset in GREW else of.starts)
        says = {"width": turn.head, "rotated": turn.rotated, "first": first, "rows": rows}
        says |= {"length": first + rows} if work.preset in GREW else {}
        says |= {"set": {"part": turn.rotated}} if work.preset == "rope-pair" and turn.head != turn.rotated else {}
        if work.recipe and gives != "turned":
            says["recipe"] = work.recipe
        sees = {"q": (of.heads_of(draw), rows, turn.head, draw.randrange(10**6), turn.dtype), "rotated": turn.rotated,
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


def turned_places_cases(work, of):
    for gives in ("waves", "turned"):
        name = of.named(f"{work.preset}/{gives}")
        draw = drawn_by(name)
        sees = {"q": (of.heads_of(draw), work.places, work.head, draw.randrange(10**6), "f32")}
        says = {"width": work.head, "rows": work.places}
        if work.centre is not None:
            says |= {"centre": work.centre, "side": "query"}
        if gives == "turned" or (work.centre is None and work.angles != "[]"):
            yield rotated_case(work, name, draw, gives, work.call, sees, says, ("once", "once"))


# ---- pairs, queries ------------------------------------------------------------------------------------

def bias_cases(work, of):
    for i in range(2):
        name = of.named(f"{work.preset}/{i}")
        draw = drawn_by(name)
        heads, queries, keys = (draw.choice(of.heads), 5, 9) if work.package == "numpy" else of.pairs(draw)
        mask = [1] * keys if work.mask else []
        says = {"heads": heads, "queries": queries, "keys": keys} | ({"head": work.head} if work.head else {})
        yield Case(name=name, preset=work.preset, package=work.package, kind="bias", call=work.call, gives="table",
                   sees={"heads": heads, "queries": queries, "keys": keys, "mask": [mask]}, says=says, dress=as_it_is(draw))


def answer_cases(work, of):
    if work.kind in ("stored_rows", "resized"):
        return  # they make no numbers of their own
    for i in range({"coordinates": 4, "query_scales": 3}.get(work.kind, 2)):
        name = of.named(f"{work.preset}/{i}")
        draw = drawn_by(name)
        whole = Dress("", draw.choice(("i64", "i32")))
        if work.kind == "classes":
            queries, keys = draw.choice([each for each in of.classes if max(each) <= work.reach + 1])
            says = {"queries": queries, "keys": keys}
            yield Case(name=name, preset=work.preset, package=work.package, kind="buckets", call=work.call, gives="classes",
                       sees={"distances": min(work.reach, 400)}, says=says, dress=whole)
        elif work.kind in ("windows", "coordinates"):
            height, width = [*work.cases, (5, 5), (8, 8), (2, 7), (12, 12)][i] if i else draw.choice(work.cases)
            kind = "buckets" if work.kind == "windows" else "log_coordinates"
            if not of.is_first:
                # Of a side of 1 cell timm divides 0 by 0.
                least, most = (1, 10) if kind == "buckets" else (2, 25)
                height, width = draw.randrange(least, 10), draw.randrange(2, most)
            yield Case(name=name, preset=work.preset, package=work.package, kind=kind, call=work.call, gives="table",
                       sees={"height": height, "width": width}, says={"window": (height, width)},
                       dress=whole if kind == "buckets" else as_it_is(draw))
        elif work.kind == "query_scales":
            first, rows = draw.choice(((0, 8400), (8000, 400), (32700, 300), (16200, 300)))
            if not of.is_first:
                rows = draw.choice((50, 200, 300, 1000, 5000))
                before_a_step = max(0, draw.randrange(1, 5) * work.every - draw.randrange(rows))
                first = draw.choice((0, draw.randrange(6 * work.every), before_a_step))
            yield Case(name=name, preset=work.preset, package=work.package, kind="query_scale", call=work.call, gives="table",
                       sees={"positions": list(range(first, first + rows))}, says={"first": first, "rows": rows},
                       dress=as_it_is(draw))


def of_work_list(of):
    by_type = {Table: table_cases, Places: places_cases, Rotation: rotation_cases, TurnedPlaces: turned_places_cases,
               Biases: bias_cases, Answers: answer_cases}
    for module in (waves_works, coordinate_works, rotation_works, relative_works):
        for work in module.WORKS:
            if getattr(work, "calls", True) and type(work) in by_type:
                yield from by_type[type(work)](work, of)


def cases():
    import corpus_bases
    import corpus_fields
    import corpus_strangers
    drawn = [case for of in all_rounds() for module in (corpus_bases, corpus_fields, corpus_strangers)
             for case in (*(of_work_list(of) if module is corpus_bases else ()), *module.cases(of))]
    made = [case for case in drawn if is_kept(case.name)]
    names = [case.name for case in made]
    assert len(set(names)) == len(names), sorted(name for name in names if names.count(name) > 1)
    return made
