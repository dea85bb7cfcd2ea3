# SPDX-License-Identifier: Apache-2.0
# Every public function is held to floating-point environments, or stands in a list that says why it computes nothing in
# floating point. A function of a header that is in neither fails.
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))

# Names that a header declares and that compute nothing in floating point, by what they do instead. check_NAME goes with
# NAME, NAME_checked and the members of a class with the calls that the class is for.
MOVES_BYTES = """
FileWriter commit commit_all read_descriptor read_file remove same_file write write_at write_descriptor write_file
Gguf find header map parse_gguf read read_rows tensor finish npy_bytes npy_header parse_npy read_npy view NpyStream
write_npy Npz member members parse_npz Safetensors SafetensorsStream parse_safetensors read_raw safetensors_bytes
write_safetensors parse_shard_index TensorFiles gguf only TensorMap executor give_back require_unchanged
reorder_head reorder_rows reorder_columns rope_of rotation_of sliding_rotation_of
"""
READS_TEXT = """
Bpe decode encode encode_prefix gpt2_piece merges piece_size plain size token unknown SentencePiece TokenReader
build_vocabulary bytes descriptor_source encode_first file_source name text_source parse_tokenizer_json
read_tokenizer_json Vocabulary id parse_vocabulary read_vocabulary save_vocabulary vocabulary_bytes
find_without_preset names_without_preset presets model_types find_role instruction_set message require finishes
end_without_memory to_string
"""
WHOLE_NUMBERS = """
window_places counts result_of unscored_line axes_of cell_axes family head_at head_count inverse axes width tensors
table_rows square_table positions_of_ends positions_of_ids positions_of_mask number_packed number_places
rows_of_features source_width longest_output fits keys values Slopes Waves Rotary Backward __attribute__ head
cell_places places_of presets_of run_in_order share release raise slice as strides
"""
# Layers that are other layers in a row: what they compute is held to environments where those are.
OF_LAYERS = """
DecoderCache memory_weights generate generate_from_memory encoder_weights features KeyValues append multi_head
multi_head_weights encode_source input_rows logits source_rows Model parse_model read_model_description reorder
"""
# Checks of what calls are given, which the calls of the rows ask.
CHECKS = """
weights conformance_values context changes convention use output overlap decoder dropout_probability encoder
feature_input projection role model npy npz positions direction safetensors shard_index convention_json tokenizer_json
transformer vocabulary
"""
# A function that another public name calls at once.
UNDER_ANOTHER_NAME = {
    "changed": "with_field",
    "with_fields": "with_field",
    "first_difference": "differences",
    "recipe": "find_recipe",
    "prove_head_order": "head_order",
    "write_place_coordinates": "place_coordinates",
    "write_masked_place_coordinates": "masked_place_coordinates",
    "conformance_cases": "conformance_case",
    "conformance_vectors": "conformance_case",
    "exact": "sinusoid",
    "write_phase_plan_of_rows": "phase_plan_of_rows",
    "write_phase_plan_of_rotation": "phase_plan_of_rotation",
    "buckets": "write_numbers",
    "window_buckets": "write_numbers",
    "log_coordinates": "write_numbers",
    "query_scale": "write_numbers",
    "learned_rows": "write_numbers",
}
NOT_FLOATING = set((MOVES_BYTES + READS_TEXT + WHOLE_NUMBERS + OF_LAYERS + CHECKS).split())

DECLARATION = re.compile(
    r"(?:POSENC_EXPORT|^inline|^template <[^>]*>\s*inline)\s+(?:static\s+)?(?:[\w:<>,&*\s\[\]]+?[\s&*])?(\w+)\(",
    re.MULTILINE,
)


def public_names(header):
    text = re.sub(r"//[^\n]*", "", header.read_text())
    names = set()
    for name in DECLARATION.findall(text):
        name = re.sub(r"^check_", "", re.sub(r"_checked$", "", name))
        if name != "check":
            names.add(name)
    return names


ARRAY = re.compile(r"^const Row \w+\[\] = \{\n(.*?)^\};", re.MULTILINE | re.DOTALL)
ROW = re.compile(r'^    \{"([^"]+)",(.*?)(?=^    \{"|\Z)', re.MULTILINE | re.DOTALL)


def rows_of(text):
    """Names of the rows of a test that runs under environments: words of their titles that their bodies use."""
    rows = [row for array in ARRAY.findall(text) for row in ROW.findall(array)]
    return {name for title, body in rows for name in title.split(", ") if re.search(rf"\b{name}\b", body)}


def held():
    """Rows of tests/surroundings, and the calls and objects of the proof of bits."""
    rows = "".join(path.read_text() for path in (ROOT / "tests/surroundings").glob("*.cc"))
    proof = "".join(path.read_text() for path in (ROOT / "tests/proof").glob("*.cc"))
    return rows_of(rows) | set(re.findall(r"\b(\w+)\(", proof)) | set(re.findall(r"\b([A-Z]\w+) \w+\(", proof))


class PublicNames(unittest.TestCase):
    def test_each_is_held_to_environments(self):
        known = held() | NOT_FLOATING
        for header in sorted((ROOT / "include/posenc").rglob("*.h")):
            for name in sorted(public_names(header)):
                with self.subTest(header=header.name, name=name):
                    self.assertIn(UNDER_ANOTHER_NAME.get(name, name), known, "no row in tests/surroundings")

    def test_lists_name_what_there_is(self):
        declared = set().union(*(public_names(header) for header in (ROOT / "include/posenc").rglob("*.h")))
        for name in sorted(NOT_FLOATING | set(UNDER_ANOTHER_NAME)):
            with self.subTest(name=name):
                self.assertIn(name, declared, "no header declares it")

    def test_a_name_without_a_row_is_found(self):
        self.assertNotIn("a_function_that_nobody_calls", held() | NOT_FLOATING)

    def test_a_call_that_another_row_needs_is_no_row(self):
        rows = 'const Row all[] = {\n    {"one, odd", [] { return one(other()); }},\n    {"two", [] { return one(); }},\n};\n'
        self.assertEqual(rows_of("other();\n" + rows), {"one"})


unittest.main()
