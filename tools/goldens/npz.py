# SPDX-License-Identifier: Apache-2.0
# Writes tests/io/goldens/*.npz with numpy.savez and numpy.savez_compressed: what posenc's reader must read.
#
# Usage: python tools/goldens/npz.py [--check]
#
# Made with NumPy 2.4.6. Stored archives depend on no machine and are compared by their bytes. What is deflated depends on
# the zlib of the Python that runs, so those are compared by the arrays that they hold.

import io
import pathlib
import sys

import numpy as np
from npy import FOLDER, filled

ARRAYS = {
    "f2": filled((5,), "<f2"),
    "f4": filled((3, 4), "<f4"),
    "f8": filled((2, 3, 2), "<f8"),
    "be_f4": filled((3,), ">f4"),
    "i8": filled((0, 3), "<i8"),
    "scalar": filled((), "<f4"),
    "columns": np.asfortranarray(filled((3, 4), "<f4")),
    "layer/weight": filled((2, 2), "<f4"),
    "\u4f4d\u7f6e": filled((3,), "<f4"),
}
FILES = {
    "stored.npz": (np.savez, ARRAYS),
    "deflated.npz": (np.savez_compressed, ARRAYS),
    "one.npz": (np.savez, {"arr_0": filled((7,), "<f4")}),
    "zeros_deflated.npz": (np.savez_compressed, {"zeros": np.zeros((512, 512), dtype="<f4")}),
}


def written(save, arrays):
    data = io.BytesIO()
    save(data, **arrays)
    return data.getvalue()


def same_arrays(a, b):
    with np.load(io.BytesIO(a)) as left, np.load(io.BytesIO(b)) as right:
        return left.files == right.files and all(
            left[name].dtype == right[name].dtype and left[name].shape == right[name].shape and
            left[name].tobytes() == right[name].tobytes() for name in left.files)


def main():
    wrong = []
    for name, (save, arrays) in FILES.items():
        path, data = pathlib.Path(FOLDER) / name, written(save, arrays)
        if "--check" not in sys.argv[1:]:
            path.write_bytes(data)
        elif save is np.savez and path.read_bytes() != data or not same_arrays(path.read_bytes(), data):
            wrong.append(name)
    if wrong:
        sys.exit(f"other contents: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
