# SPDX-License-Identifier: Apache-2.0
# Names of presets and their aliases, each judged in names/*.json: a model's name is held to the numbers of released files,
# which may differ from its row only in what the row says that a model states itself.
#
#   {"files": [..]}      a model. Of each file `from` is its source, `at` its place there, `keys` are the keys that positions
#                        need. The preset is compared with the `role` that posenc inspect reads (vision/rotary: of a part),
#                        or, where it reads no such file, each path of `numbers` with an expression over the keys.
#   {"code": at}         a model whose numbers stand in its code and in no file, held in one of three ways: `golden` is the file
#                        of tests/goldens that this code made; computed.json holds what it computes (tools/goldens/names.py);
#                        `keys` are what it says, and `numbers` as above. `states` are the fields of which it has no number,
#                        a learned table or drawn frequencies: its row says that a model states them
#   {"function": true}   a function, a class or a scheme, whose source is that of the row
#   {"unfound": what}    a model without a file on record: its row says that a model states its own

import json
import re

import tool_case
from tool_case import ToolCase

KINDS = {"files", "code", "function", "unfound"}
FUNCTIONS = {"len": len, "max": max, "set": set, "sum": sum}


def records():
    """Sources and names of every file of the folder; no name stands twice."""
    sources, names = {}, {}
    for path in sorted((tool_case.SOURCE / "tests/tool/names").glob("*.json")):
        document = json.loads(path.read_text())
        for name, record in document.get("names", {}).items():
            if name in names:
                raise ValueError(f"{name} stands twice, the second time in {path.name}")
            names[name] = record
        sources.update(document.get("sources", {}))
    return sources, names


def fields(value, path=""):
    """Every leaf by its path: ladders.0.base."""
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        items = enumerate(value)
    else:
        return {path: value}
    return {name: leaf for key, item in items for name, leaf in fields(item, f"{path}.{key}" if path else str(key)).items()}


def leaves(row):
    """The fields of a preset or of a role, but for the tables that the original stores; and its places."""
    places = {"places": row["places"]} if row["places"] else {}
    return {path: leaf for path, leaf in fields({**row["convention"], **places}).items() if path != "stored"}


def canonical(path):
    """The numbered path of a field as --set names it: ladder.base is ladders.0.base."""
    return re.sub(r"^ladder(?=$|\.)", "ladders.0", path)


def stands_under(path, upper):
    return path == upper or path.startswith(upper + ".")


def differences(ours, theirs):
    """Paths whose leaves differ. A word against an object, "none" against scaling.factor, is one path: that of the word."""
    paths = {path for path in {*ours, *theirs} if ours.get(path) != theirs.get(path) or (path in ours) != (path in theirs)}
    return {path for path in paths if not any(path != other and stands_under(path, other) for other in paths)}


class Names(ToolCase):
    TIMES_A_THOUSAND = {"aura-flow-timestep", "omni-dit-timestep", "qwenimage-timestep"}

    @classmethod
    def setUpClass(cls):
        cls.sources, cls.records = records()

    def rows(self):
        """Each name with its preset."""
        presets = self.json_of("presets")["presets"]
        return {name: preset for preset in presets for name in [preset["name"], *preset["aliases"]]}

    def role_of(self, file):
        """What inspect makes of a file: the role that is meant."""
        path = tool_case.SOURCE / "tests/inspect/configs" / file["at"] if file["from"] == "tree" else self.folder / "config.json"
        if file["from"] != "tree":
            path.write_text(json.dumps(file["keys"]))
        found, (*part, role) = self.json_of("inspect", path, "--partial"), file["role"].split("/")
        return (found["parts"][part[0]] if part else found)["roles"][role]

    def computed(self):
        return json.loads((tool_case.SOURCE / "tests/tool/names/computed.json").read_text())["computed"]

    def of_code(self, field):
        """The names of code whose records have a field."""
        return {name: record for name, record in self.records.items() if "code" in record and field in record}

    def differs(self, preset, file):
        """Paths in which a file differs from a preset."""
        ours = {**leaves(preset), "max_len": preset["max_len"]} if "numbers" in file else leaves(preset)
        if "numbers" not in file:
            return differences(ours, leaves(self.role_of(file)))
        scope = {**file["keys"], "keys": file["keys"]}
        says = {path: eval(text, {"__builtins__": {}, **FUNCTIONS}, scope) for path, text in file["numbers"].items()}
        return differences({path: ours[path] for path in says if path in ours}, says)

    def test_every_name_is_judged_once_and_no_other(self):
        self.assertEqual(sorted(self.records), sorted(self.rows()))
        for name, record in self.records.items():
            self.assertEqual(len(KINDS & set(record)), 1, name)

    def test_a_file_has_a_source_and_a_place_there(self):
        used = set()
        for name, record in self.records.items():
            for entry in record.get("files", [record] if "code" in record else []):
                source = entry.get("from")
                self.assertIn(source, self.sources, name)
                self.assertTrue(entry["at"] if "files" in record else record["code"], name)
                used.add(source)
            self.assertTrue(record.get("files", True), f"{name} has no file")
        self.assertEqual(used, set(self.sources))

    def test_what_a_model_states_is_a_field_of_its_row(self):
        for preset in {row["name"]: row for row in self.rows().values()}.values():
            ours = leaves(preset)
            for path in preset["stated"]:
                self.assertTrue(any(stands_under(leaf, canonical(path)) for leaf in ours), f"{preset['name']}: {path}")

    def test_a_file_differs_from_its_row_only_in_what_the_row_says_that_a_model_states(self):
        for name, preset in self.rows().items():
            for file in self.records[name].get("files", []):
                with self.subTest(name=name, at=file["at"]):
                    unsaid = {path for path in self.differs(preset, file)
                              if not any(stands_under(path, canonical(stated)) for stated in preset["stated"])}
                    self.assertEqual(unsaid, set())

    def test_every_name_of_code_is_held_to_what_its_code_made_computes_or_says(self):
        ways = [set(self.of_code("golden")), set(self.computed()), set(self.of_code("numbers"))]
        for name in self.of_code("code"):
            self.assertEqual(sum(name in way for way in ways), 1, name)
        self.assertLessEqual(set.union(*ways), set(self.of_code("code")))

    def test_a_preset_has_the_numbers_that_the_code_of_a_name_says(self):
        rows = self.rows()
        for name, record in self.of_code("numbers").items():
            with self.subTest(name=name):
                self.assertEqual(self.differs(rows[name], record), set())
                for text in record["numbers"].values():
                    self.assertTrue(set(record["keys"]) & set(compile(text, name, "eval").co_names), f"{text} is of no key")

    def test_what_the_code_of_a_name_has_no_number_of_a_model_states_itself(self):
        rows = self.rows()
        for name, record in self.of_code("states").items():
            self.assertLessEqual(set(record["states"]), set(rows[name]["stated"]), name)
            self.assertFalse(set(record["states"]) & set(record.get("numbers", {})), name)

    def test_a_preset_has_the_numbers_that_the_code_of_a_name_computes(self):
        for name, made in self.computed().items():
            with self.subTest(name=name):
                verb, *words = made["words"]
                if "table" in made:
                    table = made["table"]
                    shape, values = (len(table), len(table[0])), [value for row in table for value in row]
                    tool_case.write_npy(self.folder / "table.npy", "<f4", shape, values)
                self.run_tool(verb, "--preset", name, *words, "--out", "rows.npy")
                ours, theirs = self.npy("rows.npy")[2], [value for row in made["rows"] for value in row]
                self.assertEqual(len(ours), len(theirs))
                # Their angle, 7000 at most where the scale is 1000, and the wave of it are rounded to f32.
                bound = 2e-3 if name in self.TIMES_A_THOUSAND else 4e-6
                self.assertLess(max(abs(a - b) for a, b in zip(ours, theirs)), bound)

    def test_a_golden_that_the_code_of_a_name_made_is_of_its_row(self):
        rows = self.rows()
        for name, record in self.records.items():
            if "golden" in record:
                with self.subTest(name=name):
                    self.assertEqual(record["golden"], rows[name]["name"])
                    self.assertTrue((tool_case.SOURCE / f"tests/goldens/{record['golden']}.safetensors").is_file())

    def test_a_model_without_a_file_has_a_row_that_says_so(self):
        for name, preset in self.rows().items():
            if "unfound" in self.records[name]:
                self.assertTrue(preset["stated"], f"{name} has no file, and {preset['name']} states every number")

    def test_a_name_whose_model_states_its_own_says_so_wherever_it_is_asked_for(self):
        said = b"a model states its own rows, combine.columns, places.gain"
        self.assertIn(said.decode(), self.run_tool("presets", "smolvlm"))
        words = ("--preset", "smolvlm", "--height", "2", "--width", "3")
        self.assertIn(said, self.start("bias", *words).stderr)
        own = ("--set", "combine.columns=27", "--set", "rows=729", "--set", "places.gain=27")
        self.assertNotIn(said, self.start("bias", *words, *own).stderr)
        explained = self.start("explain", "--preset", "mistral", "--dim", "8", "--column", "2", "--position", "3")
        self.assertIn(b"a model states its own ladder.base", explained.stderr)

    def test_the_numbers_of_a_name_are_those_of_its_model(self):
        # Three that stood on the numbers of another model: Ettin, Phi-4 multimodal, DINO's detector.
        self.run_tool("cache", "--preset", "ettin-sliding", "--set", "stored=complex", "--dim", "64", "--positions", "0:1",
                      "--tensor", "inv_freq", "--out", "w.npy")
        self.assertAlmostEqual(self.npy("w.npy")[2][1], 160000 ** (-1 / 32), delta=1e-7)
        rows = self.run_tool("bias", "--preset", "phi-4-multimodal-vision", "--height", "2", "--width", "3")
        self.assertEqual(rows.split(), ["0", "10", "21", "512", "522", "533"])
        self.assertEqual(self.json_of("presets", "dino-detr")["presets"][0]["convention"]["ladders"][0]["base"], 20)


if __name__ == "__main__":
    tool_case.main()
