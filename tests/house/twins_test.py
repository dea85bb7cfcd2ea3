# SPDX-License-Identifier: Apache-2.0
"""The public checks: check_WORD takes the arguments of WORD, in its order; an executor and what no rule asks may lack.

usage: twins_test.py SOURCE_DIR
"""
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
DECLARATION = re.compile(r"(?<![\w:])(\w+)\(((?:[^()]|\([^()]*\))*)\)\s*(?:const)?\s*(?:noexcept)?\s*[;{:]")
# check_WORD of a value or an argument that is no call: WORD makes a view, or finds a recipe by name.
OF_A_VALUE = {"view", "recipe"}


def parameters(text):
    """The names of a list of parameters, without defaults; None where it is no list of parameters but a call."""
    parts, depth = [""], 0
    for each in text:
        depth += (each in "<([{") - (each in ">)]}")
        if each == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += each
    names = [re.search(r"[\s&*](\w+)\s*$", part.split("=")[0]) for part in parts if part.strip()]
    return tuple(name[1] for name in names) if all(names) else None


def functions(text):
    """{name: the lists of its parameters} of a header, without namespace detail."""
    found = {}
    public = re.sub(r"^namespace detail \{.*?^\}", "", text, flags=re.M | re.S)
    for name, list_of in DECLARATION.findall(re.sub(r"//[^\n]*", "", public)):
        if (names := parameters(list_of)) is not None:
            found.setdefault(name, set()).add(names)
    return found


def is_within(few, all_of):
    """Are those names among these, in their order?"""
    rest = iter(all_of)
    return all(name in rest for name in few)


class Twins(unittest.TestCase):
    def test_a_check_takes_the_arguments_of_its_function_in_its_order(self):
        twins, faults = 0, []
        for path in sorted((SOURCE / "include/posenc").rglob("*.h")):
            declared = functions(path.read_text(encoding="utf-8"))
            for check, lists in declared.items():
                word = check.removeprefix("check_")
                if word == check or word not in declared or word in OF_A_VALUE:
                    continue
                twins += len(lists)
                for names in lists:  # a member's check takes the object first
                    if not any(is_within(names, of) or is_within(names[1:], of) for of in declared[word]):
                        faults.append(f"{path.name}: {check}{names}, {word}{sorted(declared[word])}")
                for of in declared[word]:
                    if not any(is_within(names, of) or is_within(names[1:], of) for names in lists):
                        faults.append(f"{path.name}: {word}{of}, {check}{sorted(lists)}")
        self.assertGreater(twins, 40)
        self.assertFalse(faults, "\n" + "\n".join(faults))

    def test_another_order_is_found(self):
        self.assertTrue(is_within(("a", "c"), ("a", "b", "c")))
        self.assertFalse(is_within(("c", "a"), ("a", "b", "c")))
        self.assertEqual(functions("int f(const A<B, C>& a, std::span<int> b = {});"), {"f": {("a", "b")}})


if __name__ == "__main__":
    unittest.main()
