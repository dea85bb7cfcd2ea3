# SPDX-License-Identifier: Apache-2.0
# posenc presets --schema describes what posenc writes; docs/conventions.md is what posenc presets --markdown prints;
# --set changes a field.

import json

try:
    import jsonschema  # what others will read the schema with, where it is installed
except ImportError:
    jsonschema = None

import tool_case
from tool_case import ToolCase, read_npy


def faults(value, schema, at="document"):
    """Where a value breaks a schema: the words of JSON Schema that posenc uses."""
    known = {"$schema", "title", "description", "type", "properties", "required", "additionalProperties", "items", "enum",
             "const", "oneOf", "anyOf", "not", "minimum", "maximum", "exclusiveMinimum", "multipleOf", "pattern"}
    found = [f"{at}: the schema says {word}" for word in set(schema) - known]
    for choice in ("oneOf", "anyOf"):
        if choice in schema:
            fitting = [kind for kind in schema[choice] if not faults(value, kind, at)]
            if not fitting or (choice == "oneOf" and len(fitting) > 1):
                found.append(f"{at}: {len(fitting)} of {choice} fit {value}")
    types = {"object": dict, "array": list, "string": str, "number": (int, float), "integer": int}
    if "type" in schema and not isinstance(value, types[schema["type"]]):
        return found + [f"{at}: {value} is no {schema['type']}"]
    if "const" in schema and value != schema["const"]:
        found.append(f"{at}: {value} is not {schema['const']}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{at}: {value} is none of {schema['enum']}")
    if "not" in schema and not faults(value, schema["not"], at):
        found.append(f"{at}: {value} fits {schema['not']}")
    if isinstance(value, (int, float)) and not (schema.get("minimum", value) <= value <= schema.get("maximum", value) and
                                                value > schema.get("exclusiveMinimum", value - 1)):
        found.append(f"{at}: {value} is out of range")
    if schema.get("type") == "object":
        found += [f"{at}: no {key}" for key in schema["required"] if key not in value]
        found += [f"{at}: {key} is unknown" for key in value if key not in schema["properties"]]
        assert schema["additionalProperties"] is False and set(schema["required"]) == set(schema["properties"])
        for key in set(value) & set(schema["properties"]):
            found += faults(value[key], schema["properties"][key], f"{at}/{key}")
    if schema.get("type") == "array":
        for i, item in enumerate(value):
            found += faults(item, schema["items"], f"{at}/{i}")
    return found


class Schema(ToolCase):
    # Every kind of field once.
    CHANGES = [("rope-half", ["ladder.scaling=linear", "ladder.scaling.factor=8"]),
               ("rope-half", ["part=64", "magnitude=1.25", "decay=xpos", "decay.floor=0.4", "decay.period=512"]),
               ("transformer", ["ladder=linear", "ladder.from=1", "ladder.to=112", "ladder.unit=half_turns"]),
               ("transformer", ["phases=0.5,1", "lead=coordinates", "scale=one_over_sqrt_d"]),
               ("mae-2d", ["axes=t,h,w", "sections=16,24,24", "rest=zero_columns"]),
               ("alibi", ["value=key", "over=present", "slope_rounding=bf16", "scale=one_over_sqrt_head"])]

    def documents(self):
        for name, changes in self.CHANGES:
            words = [word for change in changes for word in ("--set", change)]
            yield self.json_of("presets", name, *words)["presets"][0]["convention"]

    def test_the_schema_fits_what_is_written(self):
        schema = json.loads(self.run_tool("presets", "--schema"))
        self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
        if jsonschema is not None:
            jsonschema.Draft202012Validator.check_schema(schema)
        for document in self.documents():
            self.assertEqual(document["posenc_convention"], 2)
            self.assertEqual(faults(document, schema), [])
            if jsonschema is not None:
                jsonschema.Draft202012Validator(schema).validate(document)

    def test_the_schema_refuses_what_is_refused(self):
        schema = json.loads(self.run_tool("presets", "--schema"))
        for document in self.documents():
            for key in document:
                self.assertNotEqual(faults({k: v for k, v in document.items() if k != key}, schema), [], key)
                self.assertNotEqual(faults({**document, key: "nothing of the kind"}, schema), [], key)
            self.assertNotEqual(faults({**document, "unknown": 1}, schema), [])

    def test_what_is_written_is_read(self):
        document = next(self.documents())
        (self.folder / "c.json").write_text(json.dumps(document))
        self.assert_refused(["table", "--spec", "c.json", "--dim", "4", "--positions", "0:2", "--out", "x.npy"],
                            "of family rotary")


class Page(ToolCase):
    def test_the_page_is_what_the_tool_prints(self):
        page = (tool_case.SOURCE / "docs/conventions.md").read_text(encoding="utf-8")
        mark = "<!-- generated by: posenc presets --markdown -->\n\n"
        self.assertEqual(page[page.index(mark) + len(mark):], self.run_tool("presets", "--markdown"))

    def test_every_row_and_recipe_is_on_the_page(self):
        text = self.run_tool("presets", "--markdown")
        for preset in self.json_of("presets")["presets"]:
            self.assertIn(f"\n### {preset['name']}\n", text)
            self.assertIn(f"\n| `{preset['original']['name']}` |", text)


class Set(ToolCase):
    COMMON = ("--dim", "8", "--positions", "0:5", "--recipe", "f64", "--dtype", "f64", "--out")

    def test_a_field_of_a_row_is_changed(self):
        spec = self.json_of("presets", "transformer")["presets"][0]["convention"]
        spec["ladders"][0]["base"] = 500000
        spec["layout"] = "sine_first"
        (self.folder / "c.json").write_text(json.dumps(spec))
        self.run_tool("table", "--spec", "c.json", *self.COMMON, "spec.npy")
        self.run_tool("table", "--preset", "transformer", "--set", "ladder.base=500000", "--set", "layout=sine_first",
                      *self.COMMON, "set.npy")
        self.assertEqual(read_npy(self.folder / "set.npy"), read_npy(self.folder / "spec.npy"))

    def test_the_changed_convention_is_reported(self):
        report = self.json_of("table", "--preset", "pytorch", "--set", "ladder.base=100", *self.COMMON, "x.npy")
        self.assertEqual(report["convention"]["ladders"][0]["base"], 100)

    def test_what_is_no_field_or_no_value_is_refused(self):
        for setting, words in (("ladder.bass=1", "unit, base, first, slope, spacing, scaling after ladder, got 'bass'"),
                               ("ladder.base=-1", "ladder.base must be finite and > 0, got -1"),
                               ("layout=halves", "layout must be one of interleaved, sine_first, cosine_first, got 'halves'"),
                               ("ladder.base", "--set must be PATH=VALUE, got 'ladder.base'"),
                               ("=1", "--set must be PATH=VALUE, got '=1'"), ("=", "--set must be PATH=VALUE, got '='"),
                               ("ladder.base.=5", "the path must end with a field, not with a dot, got 'ladder.base.'"),
                               ("ladder.base=", "ladder.base must be a number, got ''"),
                               ("phases=1,", "phases must be one of none, a list of numbers, got '1,'"),
                               ("phases=1,,2", "phases must be one of none, a list of numbers, got '1,,2'"),
                               ("axes=y,", "axes must be 1 to 32 of a-z, 0-9 and _, got '' at [1]"),
                               ("ladder.spacing.width=9007199254740993.0",
                                "ladder.spacing.width must be an integer in plain digits, got '9007199254740993.0'")):
            self.assert_refused(["table", "--preset", "transformer", "--set", setting, *self.COMMON, "x.npy"], words)

    def test_a_kind_by_its_name_waits_for_its_fields(self):
        for preset, settings, path in (("transformer", ["scale=learned"], "scale.initial"),
                                       ("rope-half", ["magnitude=yarn", "magnitude.factor=4"], "magnitude.gain"),
                                       ("rope-half", ["ladder.scaling=linear"], "ladders.0.scaling.factor"),
                                       ("transformer", ["ladder=listed", "ladder.frequencies=1,2"], "ladders.0.unit")):
            words = [word for setting in settings for word in ("--set", setting)]
            self.assert_refused(["presets", preset, *words], f"{path} must be stated, got none")

    def test_a_width_beyond_the_range_of_frequencies_is_refused_at_once(self):
        rising = ["--set", "ladder.slope=rising", "--set", "ladder.spacing.over=one"]
        runaway = ["ladder=runaway", "ladder.unit=radians", "ladder.base=10000", "ladder.spacing=over_width"]
        for changes, dim in ((rising, "2400"), ([w for s in runaway for w in ("--set", s)], "23000")):
            self.assert_refused(["table", "--preset", "transformer", *changes, "--dim", dim, "--positions", "1", "--out",
                                 "x.npy"], f"width must give frequencies of at most 2^1024, got {dim}")

    def test_a_changed_preset_is_named_by_its_changes(self):
        changes = ["--set", "ladder.base=500000", "--set", "pairing=adjacent"]
        name = "rope-half with ladder.base=500000 and pairing=adjacent"
        self.assertEqual(self.run_tool("presets", "rope-half", *changes).splitlines()[0], f"preset      {name}")
        self.assertEqual(self.json_of("presets", "rope-half", *changes)["presets"][0]["name"], name)

    def test_two_presets_are_compared(self):
        self.assertEqual(self.run_tool("presets", "mae-1d", "whisper"),
                         "ladders.0.spacing.over: width, not pairs\nladders.0.spacing.shift: 0, not 1\n\n"
                         "entries: at most 0.7124 apart, at position 511, column 283; first at position 1, column 1\n")
        self.assertEqual(self.json_of("presets", "ddpm", "diffusers-timestep")["differences"], [])


if __name__ == "__main__":
    tool_case.main()
