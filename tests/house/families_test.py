# SPDX-License-Identifier: Apache-2.0
# Only src/conventions knows families: elsewhere no code compares a family's name, or asks which family or kind of ladder
# a convention has.
#
# Usage: families_test.py SOURCE_DIR

import pathlib
import re
import sys
import tempfile
import unittest

FAMILIES = ("Waves", "Rotary", "Slopes", "Sinusoid", "Grid", "Timestep", "Bias", "PlainRotary")
LADDERS = ("Geometric", "Listed", "LinearLadder", "RunawayLadder")
ASKS = re.compile(rf"\b(?:get|get_if|holds_alternative|short_form)<(?:posenc::)?({'|'.join(FAMILIES + LADDERS)})>")
# Names of families where they are text that is compared or looked up. An operation's own name in a message is none.
NAMES = r"\"(?:waves|rotary|slopes|sinusoid|grid|timestep|bias)\""
COMPARES = re.compile(rf"(?:[=!]=\s*{NAMES}|{NAMES}\s*[=!]=|require_family\(|case {NAMES}|family\([^()]*\)\s*[=!]=)")
KNOWS = pathlib.PurePath("src/conventions")


def faults(root):
    found = []
    for folder in ("src", "include", "apps"):
        for path in sorted((root / folder).glob("**/*")):
            relative = path.relative_to(root)
            if path.suffix not in (".h", ".cc") or relative.is_relative_to(KNOWS):
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                code = line.split("//")[0]
                if ASKS.search(code) or COMPARES.search(code):
                    found.append(f"{relative}:{number}: {line.strip()}")
    return found


class Families(unittest.TestCase):
    root = None
    longMessage = False

    def test_no_code_asks_which_family_or_ladder_it_has(self):
        found = faults(self.root)
        self.assertFalse(found, f"{len(found)}\n" + "\n".join(found))

    def test_every_family_and_ladder_is_forbidden(self):
        header = "\n".join((self.root / f"include/posenc/{word}.h").read_text() for word in ("convention", "ladders"))
        kinds = re.search(r"using Convention = std::variant<([^>]*)>", header)[1]
        kinds += ", " + re.search(r"using Ladder = std::variant<([^>]*)>", header)[1]
        self.assertLessEqual(set(re.split(r",\s*", kinds)), set(FAMILIES + LADDERS))


class Planted(unittest.TestCase):
    """The checker finds what it is there for."""

    def planted(self, path, text):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / path).parent.mkdir(parents=True)
            (root / path).write_text(text, encoding="utf-8")
            return len(faults(root))

    def test_a_question_is_found(self):
        for line in ("if (std::holds_alternative<Rotary>(convention)) {", "const auto& w = std::get<Waves>(convention);",
                     "if (auto* own = std::get_if<posenc::Listed>(&ladder)) {",
                     "if (const auto row = short_form<Sinusoid>(convention)) {", 'if (family(c) == "grid") {',
                     'if ("bias" != name) {', 'require_family(operation, choice, "grid", hint);'):
            self.assertEqual(self.planted("src/encodings/rows.cc", line + "\n"), 1, line)
            self.assertEqual(self.planted("src/conventions/lower.cc", line + "\n"), 0, line)

    def test_operations_and_other_variants_are_none(self):
        for line in ('return Problem{"grid", rule, value};', "std::get<Score>(weights.score)", "// std::get<Waves>(c)",
                     "SinusoidRows rows(convention, dim);"):
            self.assertEqual(self.planted("apps/posenc/table/table.cc", line + "\n"), 0, line)


if __name__ == "__main__":
    Families.root = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
