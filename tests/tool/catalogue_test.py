# SPDX-License-Identifier: Apache-2.0
# Every id of the catalogue of bad input is refused somewhere, or has its reason; the tool's own rows are run here.

import os
import pathlib
import re

import catalogue
import tool_case
from tool_case import ToolCase, write_safetensors

TOKENIZER = ('{"version":"1.0","added_tokens":[%s],"normalizer":null,"pre_tokenizer":{"type":"ByteLevel",'
             '"add_prefix_space":false,"trim_offsets":true,"use_regex":true},"model":{"type":"BPE",%s"merges":[]}}')
ADDED = ('{"id":%d,"content":"%s","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}')


def npy(descr, shape, body=b""):
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (-(11 + len(text)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + body


def ids_of(text):
    """C45 or C45-C48 as a list."""
    first, _, last = text.partition("-")
    return [f"{first[0]}{i:02d}" for i in range(int(first[1:]), int(last[1:] or first[1:]) + 1)] if last else [first]


class Catalogue(ToolCase):
    def setUp(self):
        super().setUp()
        write = lambda name, data: (self.folder / name).write_bytes(data)
        write("x.npy", b"the old file")
        (self.folder / "folder").mkdir()
        os.mkfifo(self.folder / "pipe")
        for name, descr, shape, body in (
                ("f8", "'<f8'", "(1,)", b"\0" * 8), ("f4", "'<f4'", "(1,)", b"\0\0\x40\x40"), ("b1", "'|b1'", "(1,)", b"\1"),
                ("c8", "'<c8'", "(1,)", b"\0" * 8), ("c16", "'<c16'", "(1,)", b"\0" * 16), ("S5", "'|S5'", "(1,)", b"\0" * 5),
                ("U5", "'<U5'", "(1,)", b"\0" * 20), ("M8", "'<M8[ns]'", "(1,)", b"\0" * 8), ("O", "'|O'", "(1,)", b"\0" * 8),
                ("struct", "[('a', '<i4')]", "(1,)", b"\0" * 4), ("i1", "'|i1'", "(1, 1)", b"\xff"),
                ("scalar", "'<i8'", "()", b"\0" * 8), ("cube", "'<i8'", "(1, 1, 1)", b"\0" * 8), ("flat", "'<i8'", "(5, 0)", b""),
                ("hollow", "'<i8'", f"({2**40},)", b""), ("f2", "'<f2'", "(1,)", b"\0\0")):
            write(name + ".npy", npy(descr, shape, body))
        write("npy.txt", npy("'<i8'", "(1,)", b"\0" * 8))
        write("million.txt", b"0 " * 1000000 + b"4")
        for name, data in (("nul", b"1 \0 2"), ("ff", b"1 \xff"), ("cr", b"1\r2\r"), ("elf", b"\x7fELF\x02\x01\x01"),
                           ("latin", "caf\u00e9".encode("latin1")), ("cut", b"ok \xe7\x88"), ("v", b"b\nc\n"),
                           ("space", b"a b\n")):
            write(name + ".txt", data)
        for name, shape in (("w", [1, 4]), ("line", [4]), ("cube", [1, 1, 4]), ("none", [0, 4])):
            write_safetensors(self.folder / f"{name}.safetensors", {"w": ("F32", shape, [0.0] * (0 if 0 in shape else 4))})
        (self.folder / "st.npy").write_bytes((self.folder / "w.safetensors").read_bytes())
        for name, size in (("long", (16 << 20) + 1), ("huge", (1 << 30) + 1)):
            with open(self.folder / f"{name}.txt", "wb") as file:
                file.truncate(size)
        vocabulary = '"vocab":{"a":0,"b":1},'
        write("novocab.json", (TOKENIZER % ("", "")).encode())
        write("unigram.json", b'{"version":"1.0","model":{"type":"Unigram","vocab":[["a","x",0]]}}')
        write("clash.json", (TOKENIZER % (ADDED % (1, "c"), vocabulary)).encode())
        write("twice.json", (TOKENIZER % (ADDED % (2, "c") + "," + ADDED % (3, "c"), vocabulary)).encode())

    def files(self):  # the sparse files are not read again for each row
        return {path.name: path.stat().st_size if path.stat().st_size > 1 << 20 or not path.is_file() else path.read_bytes()
                for path in self.folder.iterdir()}

    def test_rows(self):
        for name, arguments, words in catalogue.ROWS:
            with self.subTest(name):
                self.assert_refused(arguments, words)

    def test_rows_ask_for_words_that_the_message_has_of_its_rule(self):
        for name, arguments, words in catalogue.ROWS:
            with self.subTest(name):
                message = self.start(*arguments).stderr.decode()
                operation = re.match(r"posenc: error: \[\w+\] ", message)
                self.assertIsNotNone(operation, message)
                self.assertNotIn(words, operation[0] + ", got ")
                self.assertFalse([given for given in arguments if words in os.fsdecode(given)])

    def test_no_id_is_missing_and_none_is_there_twice(self):
        places = {}
        for name, _, _ in catalogue.ROWS:
            places.setdefault(name, []).append("a row")
        for names, reason in catalogue.REASONS:
            for name in ids_of(names):
                places.setdefault(name, []).append(reason)
        for family, files in catalogue.ELSEWHERE.items():
            text = "".join((pathlib.Path(tool_case.SOURCE) / file).read_text() for file in files)
            for name in set(re.findall(rf'\{{"({family}\d\d+)[a-z]?"', text)):
                places.setdefault(name, []).append("elsewhere")
        wanted = [f"{family}{i:02d}" for family, count in catalogue.FAMILIES.items() for i in range(1, count + 1)]
        self.assertEqual(sorted(set(wanted) - set(places)), [])
        self.assertEqual(sorted(set(places) - set(wanted)), [])
        self.assertEqual({name: found for name, found in places.items() if len(found) > 1}, {})


if __name__ == "__main__":
    tool_case.main()
