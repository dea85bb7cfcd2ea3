# SPDX-License-Identifier: Apache-2.0
"""A header as Doxygen reads it: each part of a contract (Formula, Shapes, Errors, ..) begins a paragraph, rows of a table
are a table, and nothing is taken for a command or a tag.

usage: contracts.py HEADER, which prints it
"""
import pathlib
import re
import sys

PARTS = ("Formula", "Shapes?", "Types", "Units?", "Positions", "Zeros", "Order", "Rounding", "Accuracy", "Memory", "Time", "Errors",
         "Sources?", "Thread safety", "Jobs", "Lifetime", "Work", "Alignment", "Aliasing", "Tensors", "Bits")
BEGIN = re.compile(rf"(?<=[.:)]) (?=(?:{'|'.join(PARTS)})(?:, \w+)?: )")
COMMENT = re.compile(r"^(\s*///)(?!<)( ?)(.*)$")


def plain(text):
    """Text in which a backslash and a < are themselves; what stands in backticks is so already."""
    parts = re.sub(r"^\.", r"\\.", text).split("`")
    return "`".join(part if i % 2 else re.sub(r"\\(?!\.)|<", r"\\\g<0>", part) for i, part in enumerate(parts))


def is_row(text):
    return text.startswith("|") and text.rstrip().endswith("|")


def paragraphs(lines):
    """The lines of one comment, a blank one before each part of the contract and a rule below the head of a table."""
    for i, line in enumerate(lines):
        if is_row(line):
            yield line
            if not (i and is_row(lines[i - 1])):
                yield "|" + " --- |" * (line.count("|") - 1)
        else:
            if i and re.match(rf"(?:{'|'.join(PARTS)}): ", line):
                yield ""
            yield from "\n\n".join(BEGIN.split(line)).split("\n")


def header(text):
    text = re.sub(r" = \{\[\]\(.*?nullptr\};", ";", text, flags=re.DOTALL)  # a lambda, which Breathe does not read
    out, block, indent = [], [], ""
    for line in [*text.splitlines(), ""]:
        found = COMMENT.match(line)
        if found:
            indent = found[1]
            block.append(plain(found[3]))
            continue
        out += [f"{indent} {part}".rstrip() for part in paragraphs(block)]
        block = []
        code, mark, comment = line.partition("///<")
        out.append(code + mark + plain(comment))
    return "\n".join(out)


if __name__ == "__main__":
    print(header(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")))
