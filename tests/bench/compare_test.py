# SPDX-License-Identifier: Apache-2.0
# The factors over the peers and what is asked of them, on results that are made up.
#
# Usage: compare_test.py SOURCE_DIR

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(sys.argv.pop(1)).resolve() / "bench/peers"))
import beside_torch  # noqa: E402
import compare  # noqa: E402
import sizes  # noqa: E402

STEP = sizes.STEP_ROW  # 60 times the best peer


def cell(label, ns, row=STEP, threads=1, form="plain", tuned=False, recipe="f32", peer="numpy", **error):
    return {"row": row, "label": label, "peer": peer, "threads": threads, "form": form, "tuned": tuned, "recipe": recipe,
            "ns": {"low": ns, "median": ns, "high": ns}, **error}


def result(cells, *own, row=STEP):
    """posenc takes `own` nanoseconds, a number for each of its turns."""
    operation, size = row.split("  ")
    entries = [[{"operation": operation, "size": size, "threads": 1, "ns": {"median": ns}}] for ns in own]
    return {"posenc": entries, "cells": cells, "errors": {}}


def columns(found):
    return [column.strip() for column in found.strip("| ").split(" | ")]


class Compare(unittest.TestCase):
    def test_every_row_says_what_is_asked_of_one_thread_and_of_two(self):
        for row, floors in compare.FLOORS.items():
            self.assertEqual(row.count("  "), 1, row)
            self.assertEqual(len(floors), 2, row)
            self.assertTrue(all(floor is None or floor >= 1 for floor in floors), row)
        self.assertLessEqual(set(compare.APART), set(compare.FLOORS))

    def test_the_best_peer_may_be_plain_preallocated_or_tuned(self):
        forms = [cell("a", 9000), cell("b", 8000, form="preallocated"), cell("c", 7000, tuned=True)]
        for fastest in range(3):
            cells = [dict(entry) for entry in forms]
            cells[fastest]["ns"] = {"median": 5900}
            self.assertEqual(columns(compare.line(result(cells, 100), STEP, 1))[-1], "60x short")
            cells[fastest]["ns"] = {"median": 6100}
            self.assertEqual(columns(compare.line(result(cells, 100), STEP, 1))[-1], "60x ok")

    def test_a_form_has_its_column(self):
        cells = [cell("a", 9000), cell("b", 8000, form="preallocated"), cell("c", 7000, tuned=True)]
        found = columns(compare.line(result(cells, 100), STEP, 1))
        self.assertEqual(found[2:6], ["100 ns", "9 us, 90x, a", "8 us, 80x, b", "7 us, 70x, c"])

    def test_our_time_is_that_of_the_best_turn_as_a_peers_is(self):
        found = columns(compare.line(result([cell("a", 9500), cell("b", 9000)], 200, 150, 300), STEP, 1))
        self.assertEqual(found[2:4], ["150 ns", "9 us, 60x, b"])

    def test_rows_that_memory_bounds_are_rows(self):
        self.assertLessEqual(set(sizes.MEMORY_ROWS), set(compare.ROWS))

    def test_a_recipe_in_f64_counts_apart(self):
        row = sizes.table_row(*sizes.LARGE)
        cells = [cell("quick", 1100, row), cell("careful", 4100, row, recipe="f64")]
        self.assertEqual(columns(compare.line(result(cells, 100, row=row), row, 1))[-1], "12x short; f64 40x ok")

    def test_an_engine_for_serving_may_be_somewhat_faster(self):
        row = sizes.ENCODER_ROW
        for served, said in ((80, "1x ok; served 0.769x ok"), (70, "1x ok; served 0.769x short")):
            cells = [cell("eager", 110, row), cell("served", served, row, recipe="served")]
            self.assertEqual(columns(compare.line(result(cells, 100, row=row), row, 1))[-1], said)

    def test_the_usual_call_is_shown_as_people_write_it(self):
        cells = [cell("PyTorch", 9000), cell("PyTorch", 5000, tuned=True)]
        self.assertEqual(columns(compare.line(result(cells, 100), STEP, 1))[-2], "9 us, 90x, PyTorch")

    def test_a_row_without_peers_or_without_us_is_not_judged(self):
        self.assertIsNone(compare.line(result([], 100), STEP, 1))
        found = columns(compare.line(result([cell("a", 9000)]), STEP, 1))
        self.assertEqual((found[2], found[-1]), ("-", "-"))

    def test_errors_are_sorted_and_ours_stands_among_them(self):
        made = result([cell("a", 1, error=0.5, wrong=0.25), cell("b", 1, error=0.125)], 100)
        made["errors"] = {STEP: {"error": 0.25, "wrong": 0.0}}
        self.assertEqual([columns(found)[1:] for found in compare.errors(made)],
                         [["b", "1.25e-01", "-"], ["posenc", "2.50e-01", "0.0000%"], ["a", "5.00e-01", "25.0000%"]])

    def test_posenc_through_python_is_no_peer_of_itself(self):
        cells = [cell("a", 9000), cell("posenc.torch", 1000, peer="posenc_torch")]
        self.assertEqual(columns(compare.line(result(cells, 100), STEP, 1))[3], "9 us, 90x, a")


class BesideTorch(unittest.TestCase):
    def test_each_has_a_column_with_its_time_over_that_of_posenc_torch(self):
        cells = [cell(peer, ns, peer=peer) for peer, ns in
                 (("posenc_torch", 2000), ("torch_plain", 8000), ("torch_compiled", 3000), ("diffusers", 1000))]
        self.assertEqual(columns(beside_torch.line(result(cells), STEP, 1))[1:],
                         ["1", "2 us", "8 us, 4x, torch_plain", "3 us, 1.5x, torch_compiled", "-", "1 us, 0.5x, diffusers"])

    def test_the_fastest_call_of_new_tensors_in_f32_is_shown(self):
        cells = [cell("posenc.torch", 1000, peer="posenc_torch"), cell("slow", 9000, peer="torch_plain"),
                 cell("quick", 5000, peer="torch_plain"), cell("in place", 10, peer="torch_plain", form="preallocated"),
                 cell("tuned", 10, peer="torch_plain", tuned=True), cell("f64", 10, peer="torch_plain", recipe="f64"),
                 cell("two threads", 10, peer="torch_plain", threads=2)]
        self.assertEqual(columns(beside_torch.line(result(cells), STEP, 1))[3], "5 us, 5x, quick")

    def test_there_is_no_line_without_posenc_torch_or_without_others(self):
        self.assertIsNone(beside_torch.line(result([cell("posenc.torch", 1, peer="posenc_torch")]), STEP, 1))
        self.assertIsNone(beside_torch.line(result([cell("a", 1, peer="torch_plain")]), STEP, 1))
        self.assertEqual(beside_torch.lines(result([cell("a", 1, peer="torch_plain")])), [])


if __name__ == "__main__":
    unittest.main()
