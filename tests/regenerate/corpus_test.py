# SPDX-License-Identifier: Apache-2.0
# The corpus of the referee says what tools/goldens/corpus_keys.py promises, and its held part has nothing of the others.
#
# Usage: corpus_test.py SOURCE_DIR

import collections
import json
import pathlib
import re
import struct
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(SOURCE / "tools" / "goldens"))
import corpus_keys

ALWAYS = {"preset", "kind", "package", "call", "set", "orientation", "storage", "scale"}
ASKED = {"table": {"width", "rows"}, "grid": {"width", "rows", "grid"}, "cos": {"width", "stored"}, "sin": {"width", "stored"},
         "cos_sin": {"width", "stored"}, "inv_freq": {"width", "rotated"}, "before_after": {"width", "before", "after"},
         "slopes": {"heads"}, "bias": {"heads", "queries", "keys"}, "buckets": set(), "log_coordinates": {"window"},
         "query_scale": {"first", "rows"}, "none": {"looks", "detail"}}


def read(name):
    """(shapes, records, numbers) of a file."""
    data = (SOURCE / "tests" / "referee" / "corpus" / f"{name}.safetensors").read_bytes()
    size, = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + size])
    metadata = header.pop("__metadata__")
    shapes = {tensor: entry["shape"] for tensor, entry in header.items()}
    numbers = {tensor: data[8 + size:][slice(*entry["data_offsets"])] for tensor, entry in header.items()}
    return shapes, {tensor: json.loads(metadata[tensor]) for tensor in header}, numbers


def count(shape):
    """How many numbers."""
    product = 1
    for extent in shape:
        product *= extent
    return product


class Corpus(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = {name: read(name) for name in ("open", "seen", "held")}
        cls.shapes = {tensor: shape for shapes, _, _ in cls.files.values() for tensor, shape in shapes.items()}
        cls.records = {tensor: record for _, records, _ in cls.files.values() for tensor, record in records.items()}

    def cases(self, name):
        """Of a rotation seen from outside one of its two tensors."""
        return {tensor: record for tensor, record in self.files[name][1].items() if not tensor.endswith(".before")}

    def test_there_are_enough(self):
        for name, conventions, strangers in (("open", 400, 50), ("seen", 150, 20), ("held", 150, 20)):
            kinds = collections.Counter(record["kind"] for record in self.cases(name).values())
            self.assertEqual(kinds.keys(), set(ASKED), name)
            self.assertGreaterEqual(kinds["none"], strangers, name)
            self.assertGreaterEqual(kinds.total() - kinds["none"], conventions, name)

    def test_every_kind_is_seen_in_2_to_5_of_10(self):
        kinds = {name: collections.Counter(record["kind"] for record in self.cases(name).values()) for name in ("open", "seen")}
        for kind, seen in kinds["seen"].items():
            self.assertTrue(0.2 <= seen / (seen + kinds["open"][kind]) <= 0.5, f"{kind}: {seen} seen")

    def test_no_tensor_is_in_two_files(self):
        self.assertEqual(len(self.records), sum(len(shapes) for shapes, _, _ in self.files.values()))

    def test_nothing_held_is_an_open_tensor_under_another_name(self):
        shapes, records, numbers = self.files["held"]
        known = {(tuple(of[tensor]), data) for name in ("open", "seen") for of, _, every in (self.files[name],)
                 for tensor, data in every.items()}
        for tensor, data in numbers.items():
            self.assertNotIn((tuple(shapes[tensor]), data), known, records[tensor]["kind"])

    def test_held_tables_can_be_told(self):
        for tensor, record in self.files["held"][1].items():
            if record["kind"] in ("table", "grid"):
                self.assertGreaterEqual(record["rows"], 2)
            if record["kind"] in ("inv_freq", "slopes"):
                self.assertGreaterEqual(count(self.shapes[tensor]), 2)

    def test_files_are_no_larger_than_4_megabytes(self):
        for name in self.files:
            self.assertLessEqual((SOURCE / "tests" / "referee" / "corpus" / f"{name}.safetensors").stat().st_size, 4_000_000)

    def test_every_record_has_its_keys(self):
        told = set(re.findall(r"`(\w+)`", "\n".join(corpus_keys.lines())))
        for tensor, record in self.records.items():
            self.assertLessEqual(ALWAYS | ASKED[record["kind"]], record.keys(), tensor)
            self.assertLessEqual(record.keys(), told, tensor)
            self.assertTrue(record["kind"] != "none" or record["preset"] == "none", tensor)

    def test_every_preset_is_one(self):
        page = (SOURCE / "docs" / "conventions.md").read_text()
        known = set(re.findall(r"^### (\S+)$", page, re.MULTILINE)) | {"none"}
        self.assertFalse({record["preset"] for record in self.records.values()} - known)

    def test_shapes_are_those_that_the_records_state(self):
        for tensor, record in self.records.items():
            if record["kind"] in ("table", "grid"):
                rows = record["rows"] + record.get("lead", 0)
                self.assertEqual(count(self.shapes[tensor]), rows * record.get("columns", record["width"]), tensor)
            if record["kind"] == "inv_freq":
                self.assertEqual(count(self.shapes[tensor]), record["rotated"] // 2, tensor)

    def test_a_rotation_has_both_its_sides_in_one_file(self):
        for shapes, records, _ in self.files.values():
            for tensor, record in records.items():
                if record["kind"] == "before_after":
                    self.assertEqual(shapes[record["before"]], shapes[record["after"]], tensor)


if __name__ == "__main__":
    unittest.main()
