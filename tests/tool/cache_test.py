# SPDX-License-Identifier: Apache-2.0
# posenc cache: cosines and sines of a rotation in the forms that other kernels read.
import tool_case
from tool_case import ToolCase, f32, read_safetensors, true_sine_and_cosine

SIZE = ("--dim", "8", "--positions", "5:8")
LLAMA = ("cache", "--preset", "llama", *SIZE)


def row(position):
    pairs = [true_sine_and_cosine(position, 10000, (k, 4)) for k in range(4)]
    return [f32(float(sine)) for sine, _ in pairs], [f32(float(cosine)) for _, cosine in pairs]


class Cache(ToolCase):
    def test_a_file_holds_all_tensors_of_the_form_and_the_frequencies(self):
        report = self.json_of(*LLAMA, "--set", "stored=halves_twice", "--out", "x.safetensors")
        self.assertEqual(report["tensors"], {"cos": [3, 8], "sin": [3, 8], "inv_freq": [4]})
        tensors = read_safetensors(self.folder / "x.safetensors")
        self.assertEqual(tensors["cos"][:2], ("F32", [3, 8]))
        for i, position in enumerate((5, 6, 7)):
            sines, cosines = row(position)
            self.assertEqual(tensors["cos"][2][8 * i : 8 * i + 8], tuple(cosines + cosines))
            self.assertEqual(tensors["sin"][2][8 * i : 8 * i + 8], tuple(sines + sines))
        self.assertEqual(tensors["inv_freq"], ("F64", [4], (1, 0.1, 0.01, 0.001)))

    def test_npy_holds_the_tensor_that_is_named(self):
        self.run_tool(*LLAMA, "--set", "stored=complex", "--tensor", "cos_sin", "--out", "x.npy")
        descr, shape, values = self.npy("x.npy")
        self.assertEqual((descr, shape), ("<f4", (3, 8)))
        sines, cosines = row(5)
        self.assertEqual(list(values[:8]), [x for pair in zip(cosines, sines) for x in pair])
        self.run_tool(*LLAMA, "--set", "stored=complex", "--tensor", "inv_freq", "--out", "w.npy")
        self.assertEqual(self.npy("w.npy")[:2], ("<f8", (4,)))

    def test_a_row_that_says_its_form_needs_no_other_word(self):
        for preset, names in (("gpt-j", {"sin_cos", "inv_freq"}), ("cohere", {"cos", "sin", "inv_freq"})):
            self.run_tool("cache", "--preset", preset, "--dim", "64", "--positions", "0:2", "--out", "x.safetensors")
            self.assertEqual(set(read_safetensors(self.folder / "x.safetensors")), names)

    def test_all_that_is_missing_is_said_at_once(self):
        out = ("--out", "x.safetensors")
        self.assert_refused(["cache", "--preset", "llama", *out],
                            "--set stored=FORM (halves_twice, pairs_twice, sine_cosine, complex or angles_twice), "
                            "--dim and --positions must be given, got none")
        self.assert_refused(["cache", "--preset", "cohere", "--dim", "64", *out], "--positions must be given, got none")

    def test_what_is_wrong(self):
        form, out = ("--set", "stored=halves_twice"), ("--out", "x.safetensors")
        forms = "halves_twice, pairs_twice, sine_cosine, complex or angles_twice"
        for words, rule in (((*LLAMA, *out), f"--set stored=FORM ({forms}) must be given, got none"),
                            ((*LLAMA, *form, "--out", "x.npy"),
                             "--tensor must be given for a format that holds one: cos, sin or inv_freq"),
                            ((*LLAMA, *form, *out, "--tensor", "tan"), "--tensor must be cos, sin or inv_freq"),
                            (("cache", "--preset", "whisper", *SIZE, *out), "the convention must be rotary")):
            self.assert_refused(words, rule)


if __name__ == "__main__":
    tool_case.main()
