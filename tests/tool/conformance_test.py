# SPDX-License-Identifier: Apache-2.0
# posenc conformance: the vectors that it writes, and the card of commands and files, bad ones among them.

import json
import sys
import time

import tool_case
from tool_case import ToolCase

# Answers each request as `answer` says, which sees the request and saves what it makes.
CHILD = """import json, struct, sys, time
def npy(path, values, shape, descr="<f4"):
    text = repr({"descr": descr, "fortran_order": False, "shape": tuple(shape)})
    text += " " * (-(11 + len(text)) % 64) + "\\n"
    code = {"<f4": "f", "<f2": "e", "<f8": "d"}[descr]
    body = struct.pack(f"<{len(values)}{code}", *values)
    open(path, "wb").write(b"\\x93NUMPY\\x01\\x00" + struct.pack("<H", len(text)) + text.encode() + body)
    return path
for line in sys.stdin:
    request = json.loads(line)
    count = 1
    for size in request["shape"]:
        count *= size
    ANSWER
"""
ONE = ["--only", "transformer"]
SAY = 'print(json.dumps({"id": request["id"], %s}), flush=True)'


class Conformance(ToolCase):
    def child(self, answer):
        (self.folder / "their.py").write_text(CHILD.replace("ANSWER", answer))
        return f"{sys.executable} -S their.py"

    def scored(self, *arguments):
        """The card; the exit is 1 where an answer is wrong or failed, or none is scored."""
        done = self.start("conformance", "score", *arguments, "--json")
        card = json.loads(done.stdout)
        good = {"exact", "recipe", "faithful", "drifting"} & set(card["counts"])
        self.assertEqual(done.returncode, 0 if good and not {"wrong", "failed"} & set(card["counts"]) else 1, done.stderr)
        return card

    def card(self, answer, *options):
        return self.scored("--command", self.child(answer), *options)

    def result(self, answer, *options):
        return self.card(answer, *ONE, *options)["cases"][0]

    # ---- vectors ----------------------------------------------------------------------------------

    def vectors(self, folder):
        self.run_tool("conformance", "write", folder, "--no-sync")
        index = json.loads((self.folder / folder / "index.json").read_text())
        return index, tool_case.read_safetensors(self.folder / folder / index["vectors"])

    def test_the_vectors_are_the_same_twice_and_small(self):
        self.vectors("a")
        self.vectors("b")
        for name in ("index.json", "vectors.safetensors"):
            a, b = ((self.folder / folder / name).read_bytes() for folder in "ab")
            self.assertEqual(a, b)
            self.assertLess(len(a), 4 << 20)

    def test_every_tensor_has_the_shape_of_its_case_and_belongs_to_one(self):
        index, tensors = self.vectors("v")
        named = set()
        for case in index["cases"]:
            for key, name in case["tensors"].items():
                self.assertEqual(tensors[name][:2], (key.split("_")[1].upper(), case["shape"]))
                named.add(name)
        self.assertEqual(named, set(tensors))
        self.assertEqual(index["posenc_conformance"], 1)

    def test_the_values_are_true(self):
        index, tensors = self.vectors("v")
        case = next(case for case in index["cases"] if case["case"] == "transformer")
        width = case["shape"][1]
        values = tensors["transformer/exact_f32"][2]
        for i, position in enumerate(case["positions"][0]):
            for k in (0, 3):
                sine, cosine = tool_case.true_sine_and_cosine(position, 10000, (2 * k, width))
                self.assertEqual(values[i * width + 2 * k], tool_case.f32(float(sine)))
                self.assertEqual(values[i * width + 2 * k + 1], tool_case.f32(float(cosine)))

    def test_a_case_is_read_by_the_other_verbs(self):
        index, tensors = self.vectors("v")
        case = next(case for case in index["cases"] if case["case"] == "whisper")
        (self.folder / "spec.json").write_text(json.dumps(case["convention"]))
        positions = ",".join(f"{p:.17g}" for p in case["positions"][0])
        self.run_tool("table", "--spec", "spec.json", "--dim", str(case["dim"]), "--positions", positions, "--out", "t.npy")
        self.assertEqual(self.npy("t.npy")[2], tensors["whisper/exact_f32"][2])

    # ---- scores -----------------------------------------------------------------------------------

    def test_the_vectors_themselves_are_exact_and_the_recipe(self):
        index, tensors = self.vectors("v")
        (self.folder / "theirs").mkdir()
        for case in index["cases"]:
            key = "recipe_f32" if case["case"] == "whisper" else "exact_i64" if case["dtype"] == "i64" else "exact_f32"
            dtype, shape, values = tensors[case["tensors"][key]]
            tool_case.write_npy(self.folder / "theirs" / f"{case['case']}.npy", {"F32": "<f4", "I64": "<i8"}[dtype], shape, values)
        counts = self.json_of("conformance", "score", "--files", "theirs")["counts"]
        self.assertEqual(counts, {"exact": len(index["cases"]) - 1, "recipe": 1})

    def test_files_that_are_missing_are_not_offered(self):
        (self.folder / "theirs").mkdir()
        card = self.scored("--files", "theirs", *ONE)
        self.assertEqual(card["counts"], {"not offered": 1})
        (self.folder / "theirs" / "transformer.npy").write_bytes(b"no array")
        card = self.scored("--files", "theirs", *ONE)
        self.assertEqual(card["counts"], {"failed": 1})

    def test_a_wrong_answer_is_wrong_and_one_by_one(self):
        zeros = SAY % '"npy": npy("z.npy", [0.0] * count, request["shape"])'
        card = self.card(zeros, "--only", "transformer", "--only", "whisper")
        self.assertEqual([line["result"] for line in card["cases"]], ["wrong", "wrong"])
        self.assertGreater(card["cases"][0]["distance"], 0.9)

    def test_what_is_no_number_is_wrong(self):
        line = self.result(SAY % '"npy": npy("z.npy", [float("nan")] * count, request["shape"])')
        self.assertEqual((line["result"], line["distance"]), ("wrong", None))

    def test_bad_answers_are_told(self):
        for answer, words in ((SAY % '"npy": "none.npy"', "No such file"),
                              (SAY % '"npy": npy("z.npy", [0.0] * 6, [2, 3])', "must have shape"),
                              (SAY % '"npy": npy("z.npy", [0.0] * count, request["shape"], "<f2")', "must be f32 or f64"),
                              (SAY % '"error": "no\\nsuch thing"', "no"),
                              (SAY % '"other": 1', "none of npy, skip and error"),
                              ('print("hello", flush=True)', "no JSON object"),
                              ('print("[1]", flush=True)', "no JSON object"),
                              ('print("{}", flush=True)', "not the id 0"),
                              ('print("x" * 3000000, flush=True)', "2^20 bytes"),
                              ("sys.exit(1)", "ended without an answer")):
            line = self.result(answer)
            self.assertEqual(line["result"], "failed", answer)
            self.assertIn(words, line["reason"])

    def test_what_a_command_does_not_offer_is_no_failure(self):
        line = self.result(SAY % '"skip": "not here"')
        self.assertEqual((line["result"], line["reason"]), ("not offered", "not here"))

    def test_a_command_that_hangs_is_ended(self):
        begun = time.monotonic()
        line = self.result("time.sleep(1000)", "--timeout", "1")
        self.assertEqual((line["result"], line["reason"]), ("failed", "no answer within 1 s"))
        self.assertLess(time.monotonic() - begun, 30)

    def test_after_three_failures_one_after_another_it_is_not_asked_again(self):
        names = ["transformer", "whisper", "opennmt", "mae-1d", "ddpm"]
        card = self.card("sys.exit(0)", *[word for name in names for word in ("--only", name)])
        reasons = [line["reason"] for line in card["cases"]]
        self.assertEqual(reasons[:3], ["the command ended without an answer"] * 3)
        self.assertEqual(reasons[3:], ["the command failed 3 times one after another"] * 2)

    def test_a_command_that_failed_once_is_started_again(self):
        answer = ('open("count", "a").write("x"); n = len(open("count").read())\n'
                  "    if n == 1: sys.exit(1)\n    " + SAY % '"skip": str(n)')
        card = self.card(answer, "--only", "transformer", "--only", "whisper")
        self.assertEqual([line["result"] for line in card["cases"]], ["failed", "not offered"])

    def test_a_command_that_is_none_fails_every_case(self):
        card = self.scored("--command", "no_such_program_here", *ONE)
        self.assertEqual(card["counts"], {"failed": 1})

    def test_the_text_says_what_the_json_says(self):
        zeros = SAY % '"npy": npy("z.npy", [0.0] * count, request["shape"])'
        done = self.start("conformance", "score", "--command", self.child(zeros), *ONE)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout.decode(), r"\Atransformer +rows +wrong, at most .* ulp and 1 away at \[.*\], from position 0 on; zeros\n1 wrong\n\Z")

    # ---- what is refused --------------------------------------------------------------------------

    def test_what_it_refuses(self):
        (self.folder / "file").write_text("")
        for words, rule in ((["conformance"], "write DIR, or score"), (["conformance", "write"], "write DIR, or score"),
                            (["conformance", "score"], "one of --command and --files"),
                            (["conformance", "score", "--files", ".", "--command", "x"], "one of --command and --files"),
                            (["conformance", "score", "--files", "none"], "--files must be a folder"),
                            (["conformance", "score", "--command", " "], "--command must be a command"),
                            (["conformance", "score", "--command", "x", "--timeout", "0"], "--timeout must be"),
                            (["conformance", "score", "--files", ".", "--timeout", "1"], "--timeout must come with --command"),
                            (["conformance", "score", "--command", "x", "--only", "nobody"], "--only must be a case"),
                            (["conformance", "write", "file"], "DIR must be a folder"),
                            (["conformance", "write", "none/none"], "DIR must be a folder"),
                            (["conformance", "write", "v", "--only", "whisper"], "--only must come with score"),
                            (["conformance", "check", "v"], "write DIR, or score")):
            self.assert_refused(words, rule)


if __name__ == "__main__":
    tool_case.main()
