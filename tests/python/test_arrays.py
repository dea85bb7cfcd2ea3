# SPDX-License-Identifier: Apache-2.0
"""Arrays go in and out without a copy, whatever strides, types and packages; what cannot be written is refused."""

import array
import threading

import ml_dtypes
import numpy as np
import posenc
import pytest
from conftest import bits

TYPES = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16]


def layouts(shape, dtype):
    """The same shape with several strides, each beside the array that owns its memory."""
    rows, columns = shape
    yield np.empty((rows, columns), dtype)
    yield np.empty((columns, rows), dtype).T
    yield np.empty((2 * rows, 3 * columns), dtype)[::2, ::3]
    yield np.empty((rows, columns), dtype)[::-1]
    yield np.empty((rows, columns), dtype)[:, ::-1]
    yield np.empty((rows, columns + 5), dtype)[:, 3:-2]


@pytest.mark.parametrize("dtype", TYPES)
def test_every_layout_gets_the_same_bits(dtype):
    expected = posenc.table("transformer", 64, range(-3, 40), dtype=np.dtype(dtype).name)
    for out in layouts((43, 64), dtype):
        assert posenc.table("transformer", 64, range(-3, 40), out=out) is out
        assert bits(out) == bits(expected)


@pytest.mark.parametrize("dtype", TYPES)
def test_a_rotation_reads_and_writes_every_layout(dtype):
    x = (np.arange(43 * 64).reshape(43, 64) % 97 / 97 - 0.5).astype(dtype)
    expected = posenc.rotate("llama", range(43), x)
    assert expected.dtype == x.dtype
    for given, out in zip(layouts((43, 64), dtype), layouts((43, 64), dtype), strict=True):
        given[...] = x
        posenc.rotate("llama", range(43), given, out=out)
        assert bits(out) == bits(expected)
        assert posenc.rotate("llama", range(43), given, out=given) is given
        assert bits(given) == bits(expected)


def test_only_what_is_asked_for_is_written():
    whole = np.full((10, 12), 7.0, np.float32)
    posenc.table("transformer", 4, range(3), out=whole[2:8:2, 1:9:2])
    mask = np.ones(whole.shape, bool)
    mask[2:8:2, 1:9:2] = False
    assert (whole[mask] == 7).all() and not (whole[~mask] == 7).any()


def test_the_dtype_may_be_said_in_any_way():
    for said in ("float64", "f64", np.float64, np.dtype("float64")):
        assert posenc.table("transformer", 4, 1, dtype=said).dtype == np.float64
    with pytest.raises(posenc.PosencError, match="dtype must be float32, float64, float16 or bfloat16, got double"):
        posenc.table("transformer", 4, 1, dtype="double")
    with pytest.raises(posenc.PosencError, match="dtype must be int64 or int32, got int8"):
        posenc.learned_rows("opt", 1, dtype="int8")
    assert posenc.table("transformer", 4, 1, dtype="bfloat16").dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize(
    "positions",
    [
        range(5),
        [0, 1, 2, 3, 4],
        (0, 1, 2, 3, 4),
        np.arange(5),
        np.arange(5, dtype=np.int32),
        np.arange(5.0),
        np.arange(5, dtype=np.float32),
        np.arange(10)[::2] // 2,
        np.arange(4, -1, -1)[::-1],
        array.array("q", range(5)),
        memoryview(array.array("q", range(5))),
    ],
)
def test_positions_are_taken_in_every_form(positions):
    assert bits(posenc.table("transformer", 8, positions)) == bits(posenc.table("transformer", 8, range(5)))


def test_positions_of_a_batch_and_single_ones():
    batch = posenc.table("transformer", 8, np.array([[0, 1], [5, 6]]))
    assert batch.shape == (2, 2, 8)
    assert bits(batch[1]) == bits(posenc.table("transformer", 8, range(5, 7)))
    for one in (5, np.int64(5), np.array(5), 5.0, np.float32(5), [5]):
        assert bits(posenc.table("transformer", 8, one)) == bits(batch[1, :1])
    assert posenc.table("transformer", 8, []).shape == (0, 8)
    assert posenc.table("transformer", 8, range(5, 5)).shape == (0, 8)
    assert bits(posenc.table("transformer", 8, range(8, 2, -3))) == bits(posenc.table("transformer", 8, [8, 5]))


def test_a_read_only_output_is_refused_and_stays():
    for dtype in TYPES:
        out = np.zeros((2, 4), dtype)
        out.flags.writeable = False
        with pytest.raises(posenc.PosencError, match="out must be writable"):
            posenc.table("transformer", 4, range(2), out=out)
        assert not out.any()
    with pytest.raises(posenc.PosencError, match="out must be writable"):
        posenc.table("transformer", 4, range(2), out=memoryview(bytes(32)).cast("f", (2, 4)))
    x = np.ones((2, 4), np.float32)
    x.flags.writeable = False
    assert posenc.rotate("llama", range(2), x).shape == (2, 4)


def test_an_output_that_repeats_memory_is_refused():
    out = np.lib.stride_tricks.as_strided(np.zeros(4, np.float32), (2, 4), (0, 4))
    with pytest.raises(posenc.PosencError, match="stride"):
        posenc.table("transformer", 4, range(2), out=out)


def test_what_is_no_array_is_named():
    for given in ("text", 5, object(), [1.0], np.zeros((2, 4), np.int8), np.zeros((2, 4), ">f4"), np.zeros(3, object)):
        with pytest.raises(TypeError, match=r"\[rotate\] x must be an array of float32"):
            posenc.rotate("llama", range(2), given if not isinstance(given, list) else (1.0,))
        with pytest.raises(TypeError, match=r"\[table\] out must be an array of float32"):
            posenc.table("transformer", 4, range(2), out=given)


def test_complex_numbers_are_refused_with_what_makes_real_ones_of_them():
    with pytest.raises(
        TypeError, match=r"of complex numbers np\.stack\(\[z\.real, z\.imag\], -1\), got ndarray of complex64"
    ):
        posenc.identify(np.ones((4, 8), np.complex64))


def test_other_packages_by_dlpack_and_buffers():
    class Exported:
        """Nothing but DLPack."""

        def __init__(self, of):
            self.of = of

        def __dlpack__(self, **options):
            return self.of.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.of.__dlpack_device__()

    out = np.zeros((2, 4), np.float32)
    posenc.table("transformer", 4, range(2), out=Exported(out))
    assert bits(out) == bits(posenc.table("transformer", 4, range(2)))
    flat = array.array("f", bytes(32))
    posenc.table("transformer", 4, range(2), out=memoryview(flat).cast("B").cast("f", (2, 4)))
    assert flat.tobytes() == bits(out)


def test_the_source_of_a_buffer_is_held_during_a_call_and_no_longer():
    flat = bytearray(32)
    posenc.table("transformer", 4, range(2), out=memoryview(flat).cast("f", (2, 4)))
    flat.extend(b"more")  # BufferError while a view of it is held


def test_a_buffer_cannot_be_resized_while_another_thread_writes_it():
    flat = bytearray(4 * 512 * 20000)
    out, ended = memoryview(flat).cast("f", (20000, 512)), threading.Event()

    def work():
        posenc.table("transformer", 512, range(20000), out=out)
        ended.set()

    worker = threading.Thread(target=work)
    worker.start()
    while not ended.is_set():
        with pytest.raises(BufferError):
            flat.extend(b"more")
    worker.join()
    out.release()
    flat.extend(b"more")
    assert bytes(flat[:2048]) == bits(posenc.table("transformer", 512, 0))


def test_a_view_that_is_not_aligned_is_refused():
    out = np.zeros(64, np.uint8)[1:33].view(np.float32).reshape(2, 4)
    with pytest.raises((posenc.PosencError, TypeError), match="out must be"):
        posenc.table("transformer", 4, range(2), out=out)


def test_overlapping_arrays_are_refused():
    packed = np.ones((11, 8), np.float32)
    with pytest.raises(posenc.PosencError, match="share"):
        posenc.rotate("llama", range(10), packed[:10], out=packed[1:])
    heads = np.ones((5, 3, 8), np.float32)  # slices that interleave share nothing
    posenc.rotate("llama", range(5), heads[:, 0], out=heads[:, 1])
