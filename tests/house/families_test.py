# SPDX-License-Identifier: Apache-2.0
# Only src/conventions knows families: elsewhere no code compares a family's name, or asks which family or kind of ladder
# a convention has, be it by name, by index or by a visit.
#
# Usage: families_test.py SOURCE_DIR

import pathlib
import re
import sys
import unittest

from planted import planted

FAMILIES = ("Waves", "Rotary", "Slopes", "Buckets", "LogCoordinates", "QueryScale", "Learned", "Sinusoid", "Grid",
            "Timestep", "Bias", "PlainRotary")
LADDERS = ("Geometric", "Listed", "LinearLadder", "RunawayLadder")
ASKS = re.compile(rf"\b(?:get|get_if|holds_alternative|short_form)<(?:posenc::)?({'|'.join(FAMILIES + LADDERS)})>")
# Names of families where they are text that is compared or looked up. An operation's own name in a message is none.
NAMES = (r"\"(?:waves|rotary|slopes|buckets|log_coordinates|query_scale|learned|sinusoid|grid|timestep|"
         r"bias)\"")
COMPARES = re.compile(rf"(?:[=!]=\s*{NAMES}|{NAMES}\s*[=!]=|require_family\(|case {NAMES}|family\([^()]*\)\s*[=!]=)")
KNOWS = pathlib.PurePath("src/conventions")
# Its visits hand every family to the field tables alike.
READS_TABLES = pathlib.PurePath("src/spec")
# Names of other variants, the only ones whose kinds are told by a visit or an index elsewhere.
OTHERS = {"tokenizer", "form", "source", "values", "position", "factor", "json"}
INDEX = re.compile(r"(\w+)(?:\[[^\]]*\]|\([^()]*\))*\s*(?:\.|->)\s*index\(\)")
VISIT = re.compile(r"\b(?:std::visit(?:<[\w:]+>)?|visit_stated)\(")


def arguments(code):
    """Those of a call, from behind its bracket on."""
    found, depth = [""], 1
    for character in code:
        depth += (character in "([{") - (character in ")]}")
        if depth == 0:
            break
        if character == "," and depth == 1:
            found.append("")
        else:
            found[-1] += character
    return found


def name_of(variant):
    """The last word of an expression: ladders of row.ladders[0]."""
    words = re.findall(r"\w+", re.sub(r"\[[^\]]*\]|\(.*\)", "", variant))
    return words[-1] if words else ""


def asked_kinds(code):
    """Where a variant's kind is told, and the names of the variants."""
    for match in INDEX.finditer(code):
        yield match.start(), [match[1]]
    for match in VISIT.finditer(code):
        variants = arguments(code[match.end():])
        yield match.start(), [name_of(variant) for variant in (variants[:1] if "stated" in match[0] else variants[1:])]


def asked_lines(code):
    """Lines, counted from 1, that tell the kind of a variant that is none of the others."""
    return {code.count("\n", 0, start) + 1 for start, names in asked_kinds(code) if not OTHERS.issuperset(names)}


def faults(root):
    found = []
    for folder in ("src", "include", "apps", "bindings"):
        for path in sorted((root / folder).glob("**/*")):
            relative = path.relative_to(root)
            if path.suffix not in (".h", ".cc") or relative.is_relative_to(KNOWS):
                continue
            lines = path.read_text(encoding="utf-8").splitlines()
            code = [line.split("//")[0] for line in lines]
            asked = set() if relative.is_relative_to(READS_TABLES) else asked_lines("\n".join(code))
            for number, line in enumerate(lines, 1):
                if number in asked or ASKS.search(code[number - 1]) or COMPARES.search(code[number - 1]):
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
        with planted({path: text}) as root:
            return len(faults(root))

    def test_a_question_is_found(self):
        for line in ("if (std::holds_alternative<Rotary>(convention)) {", "const auto& w = std::get<Waves>(convention);",
                     "if (auto* own = std::get_if<posenc::Listed>(&ladder)) {",
                     "if (const auto row = short_form<Sinusoid>(convention)) {", 'if (family(c) == "grid") {',
                     'if ("bias" != name) {', 'require_family(operation, choice, "grid", hint);',
                     "switch (convention.index()) {", "if (a.convention->index() == 1) {", "const auto kind = ladders[0].index();",
                     "return std::visit([](const auto& each) { return work(each, 1); }, convention);",
                     "std::visit(\n[](const auto& each) { work(each); },\nrow.ladders[0]);",
                     "std::visit<bool>([](const auto& a, const auto& b) { return a == b; }, tokenizer, c);",
                     "visit_stated(convention, []<class S, int v>(const S&, Version<v>) {});"):
            self.assertEqual(self.planted("src/encodings/rows.cc", line + "\n"), 1, line)
            self.assertEqual(self.planted("src/conventions/lower.cc", line + "\n"), 0, line)

    def test_operations_and_other_variants_are_none(self):
        for line in ('return Problem{"grid", rule, value};', "std::get<Score>(weights.score)", "// std::get<Waves>(c)",
                     "Rows rows(convention, dim);", "return names[tokenizer.index()];",
                     "return std::visit([](const auto& one) { return one.size(); }, description.source);",
                     "const auto i = text.index(2);"):
            self.assertEqual(self.planted("apps/posenc/table/table.cc", line + "\n"), 0, line)


if __name__ == "__main__":
    Families.root = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
