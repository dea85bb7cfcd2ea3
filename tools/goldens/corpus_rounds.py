# SPDX-License-Identifier: Apache-2.0
"""Rounds of draws for the corpus of the referee: what one may draw from, and which file has its cases.

A round draws every case anew under a name of its own, NAME@ROUND, so that no draw of an earlier one moves. The last round
is held until what it judges is final; its cases are then opened by one more round. The first draws from short lists, and
all its cases are kept; a later one from what users have and from odd numbers, and a third of its cases is kept.
"""
import dataclasses
import hashlib
import itertools
import random
import typing

ROUNDS = 3  # the last one is held
ENTRIES = 4500  # of a table, at most: a corpus is a few megabytes
CELLS = 196 * 64  # entries of a grid, at most
BIASES = 71 * 16 * 33  # of a bias, at most


@dataclasses.dataclass(frozen=True, kw_only=True)
class Round:
    number: int
    lengths: typing.Sequence  # rows of tables
    firsts: tuple  # their first positions
    steps: tuple  # of a position from 0 to 1, for the first case and for the second
    widths: tuple  # of tables that take any, beside those of their row
    grids: tuple
    volumes: tuple
    bases: tuple
    waves: typing.Sequence  # rows of caches
    starts: tuple  # their first positions
    turned: typing.Sequence  # places of a rotation seen from outside
    far: tuple  # first positions of ladders that depend on the length
    heads: typing.Sequence  # of biases
    queries: typing.Sequence
    keys: typing.Sequence
    classes: tuple  # queries and keys

    def named(self, title):
        return title if self.number == 1 else f"{title}@{self.number}"

    def pairs(self, draw):
        """Heads, queries and keys of a bias."""
        heads, queries = draw.choice(self.heads), draw.choice(self.queries)
        return heads, queries, draw.choice([keys for keys in self.keys if heads * queries * keys <= BIASES])

    def heads_of(self, draw):
        """Of a rotation seen from outside."""
        return 1 if self.is_first else draw.choice((1, 1, 2, 3))

    @property
    def is_first(self):
        return self.number == 1


FIRST = Round(
    number=1, lengths=(4, 7, 16, 33, 50, 64, 100, 128, 200, 300), firsts=(0, 0, 0, 1, 2, 100), steps=((1.0,), (1 / 64,)),
    widths=(96, 128, 320, 512), grids=((2, 3), (3, 5), (4, 4), (5, 9), (7, 7), (8, 3), (14, 14)),
    volumes=((2, 3, 4), (3, 5, 3), (4, 4, 4)), bases=(500000, 12345.5, 1e6 / 7, 100, 32768, 2e6, 777.25), waves=(16, 33, 50, 64),
    starts=(0, 0, 1, 100), turned=(8, 12), far=(0, 5000), heads=(2, 3, 8, 12, 16, 32, 71), queries=(1, 7, 16), keys=(9, 16, 33),
    classes=((7, 9), (40, 40), (1, 300), (64, 150), (100, 100)))

USUAL_BASES = (20, 256, 1000, 2000, 5000, 20000, 25000, 50000, 100000, 150000, 160000, 250000, 300000, 1e6, 1.5e6, 3e6, 5e6,
               8e6, 1e7, 5e7)
USUAL_THETAS = (10000.0,) * 6 + (500000.0,) * 2 + tuple(float(base) for base in USUAL_BASES)


def odd_bases(draw):
    """Of 2 to 6 digits."""
    return tuple(float(f"{10 ** draw.uniform(1.2, 7.2):.{draw.choice((2, 3, 4, 6))}g}") for _ in USUAL_BASES)


def later(number):
    draw = random.Random(f"corpus round {number}")
    firsts = (0,) * 6 + (1, 1, 2, 3, 5, 7, 16, 31, 50, 64, 127, 255, 400, 512, 677)
    return Round(
        number=number, lengths=range(2, 301), firsts=firsts, starts=(*firsts, 1500, 4095),
        steps=((1.0, 0.5, 1 / 4, 1 / 8), (1 / 16, 1 / 32, 3 / 64, 1 / 128, 1 / 64)),
        widths=(16, 24, 32, 40, 48, 56, 72, 80, 96, 112, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1024),
        grids=tuple(itertools.product(range(2, 21), repeat=2)), volumes=tuple(itertools.product(range(2, 7), repeat=3)),
        bases=USUAL_BASES + odd_bases(draw), waves=range(2, 129), turned=range(2, 25),
        far=(0, 1, 77, 1000, 4000, 4090, 4096, 6000, 9000, 20000), heads=range(2, 129), queries=range(1, 33), keys=range(2, 65),
        classes=tuple(itertools.product((1, 2, 5, 13, 31, 57, 80, 90), (3, 8, 17, 30, 61, 88, 110))))


def all_rounds():
    return [FIRST, *(later(number) for number in range(2, ROUNDS + 1))]


# ---- which file has a case ------------------------------------------------------------------------------

def digest(what, name):
    return hashlib.sha256(f"posenc referee {what} {name}".encode()).hexdigest()


def is_drawn(name):
    """By a lot, under which about a third of every kind of table is drawn."""
    return int(digest("blind", name)[:8], 16) % 3 == 0


def round_of(name):
    return int(name.partition("@")[2] or 1)


def file_of(name):
    """open, seen: the first round, of which seen was held once. seen-2 and so on: later rounds that were held. held: the
    last one. A case that is in no file is not made."""
    number = round_of(name)
    if number == 1:
        return "seen" if is_drawn(name) else "open"
    return "held" if number == ROUNDS else f"seen-{number}"


def is_kept(name):
    return round_of(name) == 1 or is_drawn(name)


FILES = ("open", "seen", *(f"seen-{number}" for number in range(2, ROUNDS)), "held")
