# SPDX-License-Identifier: Apache-2.0
# One table and one file of numbers for each kind of machine.
#
# Usage: publish_test.py SOURCE_DIR

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(sys.argv.pop(1)).resolve() / "bench"))
import publish  # noqa: E402

CPU = "AMD EPYC, family 25 model 1"


class Publish(unittest.TestCase):
    def test_a_forced_target_has_files_of_its_own(self):
        own = {"cpu": CPU, "target": "AVX3", "best_target": "AVX3"}
        self.assertEqual(publish.results_of(own).name, "amd-epyc-family-25-model-1.csv")
        forced = own | {"target": "AVX2"}
        self.assertEqual(publish.results_of(forced).name, "amd-epyc-family-25-model-1-forced-avx2.csv")

    def test_a_run_that_does_not_say_what_else_the_machine_has_is_not_forced(self):
        self.assertFalse(publish.is_forced({"cpu": CPU, "target": "AVX3"}))

    def test_every_kind_has_a_table_under_its_name(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for name, target in (("a", "AVX3"), ("b", "AVX2, forced: this machine has AVX3")):
                (folder / f"{name}.txt").write_text(f"cpu       {CPU}, 2 CPUs, 8 GiB\ntarget    {target}\n\nrows of {name}\n")
            found = publish.all_tables(folder)
        self.assertEqual([line for line in found.splitlines() if line.startswith("###")],
                         [f"### {CPU}: AVX3", f"### {CPU}: AVX2, forced: this machine has AVX3"])
        self.assertLess(found.index("rows of a"), found.index("rows of b"))


if __name__ == "__main__":
    unittest.main()
