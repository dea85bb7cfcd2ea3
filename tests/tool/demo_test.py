# SPDX-License-Identifier: Apache-2.0
# posenc demo, the main job: what it says is what it wrote, and what it claims is so.

import math

import tool_case
from tool_case import ToolCase
from whisper_rows import Rows


class Demo(ToolCase):
    def test_it_states_the_facts(self):
        text = self.run_tool("demo")
        for words in ("我爱你", "你爱我", "[1502, 2577, 1882]", "[1882, 2577, 1502]", "0 = 2, 1 = 1, 2 = 0", "√512",
                      "22.6274", "16.00", "0.56", "Whisper base (MIT licence)", "scales nothing and learns the positions",
                      "out/sentences.npy", "out/english.npy", "out/chinese.npy", "out/demo.png"):
            self.assertIn(words, text)
        self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir()),
                         ["chinese.npy", "demo.png", "english.npy", "sentences.npy"])

    def test_its_claims_hold_in_what_it_wrote(self):
        report = self.json_of("demo", "--out", "here")
        shape, values = self.npy("here/sentences.npy")[1:]
        self.assertEqual(shape, (2, 3, 512))
        rows = [values[at : at + 512] for at in range(0, len(values), 512)]
        with_positions = [[i, j] for i in range(3) for j in range(3) if rows[i] == rows[3 + j]]
        self.assertEqual(report["equal_rows_with_positions"], with_positions)
        self.assertEqual(with_positions, [[1, 1]])
        # Without positions a row is its token's: equal where the ids are.
        ids = report["pair"]["ids"]
        self.assertEqual(report["equal_rows_without_positions"],
                         [[i, j] for i in range(3) for j in range(3) if ids[i] == ids[3 + j]])
        self.assertEqual(ids[:3], ids[:2:-1])

    def test_the_pages_are_the_sample_texts(self):
        report = self.json_of("demo")
        tokens = Rows().tokens
        for name in ("english", "chinese"):
            sample = (tool_case.SOURCE / f"apps/posenc/samples/{name}.txt").read_bytes()
            self.assertEqual(b"".join(tokens[i] for i in report[name]["ids"]), sample)
            self.assertEqual(list(self.npy(f"out/{name}.npy")[1]), report[name]["shape"])
            self.assertEqual(report[name]["shape"], [1, len(report[name]["ids"]), 512])

    def test_the_norms_tell_why_the_scale_exists(self):
        rows = Rows()
        norms = [math.sqrt(math.fsum(v * v for v in rows.row(token))) for token in range(len(rows.tokens))]
        self.assertAlmostEqual(sum(norms) / len(norms), 0.56, places=2)
        report = self.json_of("demo")
        for name in ("pair", "english", "chinese"):
            norms = report[name]["norms"]
            self.assertAlmostEqual(norms["scaled"] / norms["token"], math.sqrt(512), places=4)
            self.assertAlmostEqual(norms["signal"], 16, places=5)

    def test_a_second_run_writes_the_same_bytes(self):
        self.run_tool("demo", "--out", "a")
        self.run_tool("demo", "--out", "b")
        for path in (self.folder / "a").iterdir():
            self.assertEqual(path.read_bytes(), (self.folder / "b" / path.name).read_bytes(), path.name)

    def test_the_folder_must_be_one(self):
        (self.folder / "file").write_text("")
        self.assert_refused(["demo", "--out", "file"], "the folder must be there or be made")
        self.assert_refused(["demo", "--out", ""], "--out must name a folder")


if __name__ == "__main__":
    tool_case.main()
