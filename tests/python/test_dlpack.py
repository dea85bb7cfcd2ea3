# SPDX-License-Identifier: Apache-2.0
"""Memory that comes by DLPack is given back exactly once, in whatever order it is exported, read and dropped."""

import ctypes
import gc
import random
import weakref

import numpy as np
import posenc
import pytest

STEPS = 10_000


# ---- a producer, as dlpack.h lays one out ---------------------------------------------------------------------------


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


CPU, READ_ONLY = 1, 1
CODES = {"f": 2, "i": 0}
new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)
is_named = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
held_by = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


class Exports:
    """Every export that was made, and how often its deleter was called."""

    def __init__(self):
        self.alive, self.deleted = {}, {}
        self.deleters = {kind: DELETER(lambda at: self.delete(at)) for kind in (Managed, Versioned)}

    def made(self, kind, array, flags):
        """The address of a managed tensor that shares the array's memory until it is deleted."""
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        strides = (ctypes.c_int64 * array.ndim)(*(step // array.itemsize for step in array.strides))
        tensor = Tensor(
            array.ctypes.data, CPU, 0, array.ndim, CODES[array.dtype.kind], array.itemsize * 8, 1, shape, strides, 0
        )
        one = kind(tensor=tensor, deleter=self.deleters[kind])
        if kind is Versioned:
            one.major, one.minor, one.flags = 1, 1, flags
        # Kept to the end, as an address that another export takes could not be counted.
        self.alive[ctypes.addressof(one)] = (one, array, shape, strides)
        self.deleted[ctypes.addressof(one)] = 0
        return ctypes.addressof(one)

    def delete(self, at):
        self.deleted[at] += 1


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def drop_capsule(capsule):
    """Of a capsule that nobody took: whoever takes one renames it."""
    for name, kind in ((b"dltensor", Managed), (b"dltensor_versioned", Versioned)):
        if is_named(capsule, name):
            at = held_by(capsule, name)
            kind.from_address(at).deleter(at)


class Producer:
    """An array of a package that posenc does not know."""

    def __init__(self, exports, array, flags=0, versions=(1, 1)):
        self.exports, self.array, self.flags, self.versions = exports, array, flags, versions

    def __dlpack_device__(self):
        return (CPU, 0)

    def __dlpack__(self, max_version=None, **options):
        if max_version is not None and self.versions is None:
            raise TypeError("no versions")
        kind = Managed if max_version is None else Versioned
        name = b"dltensor" if max_version is None else b"dltensor_versioned"
        return new_capsule(
            self.exports.made(kind, self.array, self.flags), name, ctypes.cast(drop_capsule, ctypes.c_void_p)
        )


class Again:
    """One capsule for whoever asks: the second gets what the first has taken."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack_device__(self):
        return (CPU, 0)

    def __dlpack__(self, **options):
        return self.capsule


# ---- what is done with it -------------------------------------------------------------------------------------------


class World:
    """What lives at a moment of the test, and the steps that change it."""

    def __init__(self, seed):
        self.random, self.exports = random.Random(seed), Exports()
        self.producers, self.capsules, self.stages, self.results = [], [], [], []
        self.finalized, self.refused = [], 0

    def produce(self):
        shape, dtype = self.random.choice([((3, 8), np.float32), ((3, 8), np.float64), ((3,), np.int64)])
        array = np.arange(np.prod(shape)).astype(dtype).reshape(shape) % 3
        flags, versions = self.random.choice([(0, (1, 1)), (READ_ONLY, (1, 1)), (0, None)])
        self.producers.append(Producer(self.exports, array, flags, versions))

    def some(self, of):
        return self.random.choice(of) if of else None

    def drop(self):
        of = self.random.choice([self.producers, self.capsules, self.stages, self.results])
        if of:
            of.pop(self.random.randrange(len(of)))

    def export(self):
        if self.producers:
            self.capsules.append(self.some(self.producers).__dlpack__())

    def collect(self):
        """Of a circle, too, which counts of references do not free."""
        if self.producers:
            circle = [self.some(self.producers).__dlpack__()]
            circle.append(circle)
        if self.random.random() < 0.01:
            gc.collect()

    def given(self):
        """A producer, or a capsule that may have been taken."""
        return (
            Again(self.some(self.capsules))
            if self.capsules and self.random.random() < 0.3
            else self.some(self.producers)
        )

    def call(self):
        """Whatever the array is: as many of these calls refuse it as take it."""
        given = self.given()
        calls = [
            lambda: self.keep(posenc.rotate("llama", range(3), given)),
            lambda: posenc.rotate("llama", range(3), given, out=given),
            lambda: posenc.rotate("llama", range(3), [given, given]),
            lambda: posenc.table("transformer", 8, given),
            lambda: posenc.table("transformer", 8, range(3), out=given),
            lambda: posenc.table("transformer", 8, range(4), out=given),
            lambda: posenc.positions_of_mask(given, first=0, absent=1),
            lambda: self.stages.append(posenc.InputStage(given, "transformer", scale="none")),
            lambda: self.some(self.stages or [None]).encode(given, range(3)),
        ]
        try:
            self.random.choice(calls)()
        except (TypeError, ValueError, AttributeError):
            self.refused += 1

    def keep(self, result):
        """What posenc made goes out by DLPack: its memory ends once, with the last that reads it."""
        number = len(self.finalized)
        self.finalized.append(0)
        weakref.finalize(result, self.finalize, number).atexit = False
        self.results.append(np.from_dlpack(result))
        assert self.finalized[number] == 0

    def finalize(self, number):
        self.finalized[number] += 1


def test_every_export_is_deleted_exactly_once():
    world = World(seed=20)
    steps = [world.produce, world.drop, world.export, world.collect, world.call, world.call, world.call]
    for _ in range(STEPS):
        world.random.choice(steps)()
        for of in (world.producers, world.capsules, world.stages, world.results):
            del of[:-20]
    calls = len(world.finalized)
    for of in (world.producers, world.capsules, world.stages, world.results):
        of.clear()
    gc.collect()
    counts = list(world.exports.deleted.values())
    assert set(counts) == {1}, {count: counts.count(count) for count in set(counts)}
    assert set(world.finalized) == {1}
    assert len(counts) > STEPS // 2 and world.refused > STEPS // 20 and calls > STEPS // 100


def test_a_stage_keeps_its_rows_until_it_ends():
    exports = Exports()
    stage = posenc.InputStage(Producer(exports, np.ones((3, 8), np.float32)), "transformer", scale="none")
    held = [at for at, count in exports.deleted.items() if count == 0]
    assert len(held) == 1
    assert stage.encode([0, 2], range(2)).shape == (2, 8)
    assert exports.deleted[held[0]] == 0
    del stage
    assert set(exports.deleted.values()) == {1}


def test_a_capsule_that_was_taken_is_refused_and_not_deleted_again():
    exports = Exports()
    once = Again(Producer(exports, np.ones((3, 8), np.float32)).__dlpack__())
    posenc.rotate("llama", range(3), once)
    assert list(exports.deleted.values()) == [1]
    with pytest.raises(TypeError, match=r"\[rotate\] x must be"):
        posenc.rotate("llama", range(3), once)
    assert list(exports.deleted.values()) == [1]
