# SPDX-License-Identifier: Apache-2.0
# posenc doctor: what it finds, and that the values and hashes that it holds are true.

import re
import time

import tool_case
from tool_case import ToolCase, read_safetensors, true_sine_and_cosine

SOURCE = "apps/posenc/doctor/self_test.cc"


class Doctor(ToolCase):
    def source(self):
        return (tool_case.SOURCE / SOURCE).read_text()

    def test_it_tells_version_instructions_threads_and_libraries(self):
        began = time.monotonic()
        text = self.run_tool("doctor", "--threads", "2")
        if not tool_case.SANITIZED:
            self.assertLess(time.monotonic() - began, 5)
        found = dict(line.split(None, 1) for line in text.splitlines())
        self.assertEqual(f"posenc {found['posenc']}", self.run_tool("--version").strip())
        self.assertRegex(found["instructions"], r"\A\w+\Z")
        self.assertRegex(found["threads"], r"\A2 of \d+ CPUs\Z")
        self.assertRegex(found["Cairo"], r"libcairo\.so|linked in")
        self.assertRegex(found["self-test"], r"\A40 stored values, \d+ tables of [0-9.]+ [kMG] entries: all right\Z")
        told = self.json_of("doctor")
        self.assertEqual((told["self_test"]["wrong"], told["self_test"]["values"]), (0, 40))
        self.assertGreaterEqual(told["self_test"]["tables"], 5)
        self.assertEqual(told["instruction_set"], found["instructions"])

    def test_the_stored_values_are_true(self):
        rows = re.findall(r"\{(\w+|-?\d+), (\d+), (-?0x[0-9a-f.p+-]+), (-?0x[0-9a-f.p+-]+)f\},", self.source())
        self.assertEqual(len(rows), 20)
        for position, column, in_f64, in_f32 in rows:
            place, k = 2 ** 63 - 1 if position == "INT64_MAX" else int(position), int(column)
            true = true_sine_and_cosine(place, 10000, (k // 2 * 2, 512))[k % 2]
            self.assertEqual(float(true), float.fromhex(in_f64), (position, column))
            self.assertEqual(tool_case.f32(float(true)), float.fromhex(in_f32), (position, column))

    def test_the_stored_hashes_are_those_of_the_tables(self):
        rows = re.findall(r'\{"(\S+)", (\d+), (-?\d+), (\d+), DType::(\w+), 0x([0-9a-f]{16})\},', self.source())
        self.assertEqual(len(rows), 5)
        for preset, dim, first, count, dtype, stored in rows:
            done = self.start("table", "--preset", preset, "--dim", dim, "--dtype", dtype, "--positions",
                              f"{first}:{int(first) + int(count)}", "--out", "-", "--format", "raw")
            hash_ = 0xCBF29CE484222325
            for byte in done.stdout:
                hash_ = (hash_ ^ byte) * 0x100000001B3 % 2 ** 64
            self.assertEqual(f"{hash_:016x}", stored, preset)


if __name__ == "__main__":
    tool_case.main()
