# SPDX-License-Identifier: Apache-2.0
"""C++ sources of this project as lists of declarations: what stands in a namespace, one by one.

The sources are formatted by one tool and use no macros for logic, so a reader of brackets, strings and comments is all
that it takes; no parser of the language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
SKIPPED = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | R"\((?:.*?)\)" | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])+'""", re.S | re.X
)
COMMENT = re.compile(r"//[^\n]*")


@dataclass
class Item:
    """A declaration with the comment before it. `names` are those that it gives, `words` those that it mentions."""

    file: str
    namespace: tuple[str, ...]
    text: str
    comment: str = ""
    kind: str = "other"  # type, function, member, operator, specialization, guide, using, assertion, block, variable
    names: frozenset[str] = frozenset()
    owner: str = ""  # the class of a member
    params: frozenset[str] = frozenset()  # words of what chooses among overloads: parameters, arguments of a template
    words: frozenset[str] = field(default_factory=frozenset)


def code_of(text: str) -> str:
    """The text with comments and strings blanked, every character in its place."""

    def blank(match: re.Match[str]) -> str:
        found = match[0]
        if found.startswith(("//", "/*")):
            return re.sub(r"[^\n]", " ", found)
        return '"' + re.sub(r"[^\n]", "x", found[1:-1]) + '"'

    # A separator of digits is no character.
    return SKIPPED.sub(blank, re.sub(r"(?<=\d)'(?=\d)", "_", text))


def split(file: str, text: str) -> list[Item]:
    items: list[Item] = []
    namespaces: list[tuple[str, ...]] = []
    code = code_of(text)
    at = 0
    comment = ""
    while at < len(code):
        line_end = text.find("\n", at)
        line_end = len(text) if line_end < 0 else line_end
        raw = text[at:line_end]
        if not raw.strip():
            comment = ""
            at = line_end + 1
            continue
        stripped = raw.strip()
        if stripped.startswith("//"):
            comment += raw + "\n"
            at = line_end + 1
            continue
        if stripped.startswith("#"):
            if re.match(r"#\s*if", stripped):
                end = end_of_block(text, at)
                items.append(classified(Item(file, flat(namespaces), text[at:end], comment, "block")))
                at = end + 1
            else:
                at = line_end + 1
            comment = ""
            continue
        opened = re.compile(r"\s*(?:inline\s+)?namespace\s*([\w:]*)\s*\{").match(code, at)
        if opened:
            namespaces.append(tuple(opened[1].split("::")) if opened[1] else ("",))
            at = opened.end()
            comment = ""
            continue
        if stripped.startswith("}"):
            namespaces.pop()
            at = line_end + 1
            comment = ""
            continue
        end = end_of_item(code, at)
        tail = text.find("\n", end)
        tail = len(text) if tail < 0 else tail
        if text[end:tail].strip().startswith("//"):
            end = tail
        items.append(classified(Item(file, flat(namespaces), text[at:end].strip("\n"), comment)))
        at = end
        if at < len(text) and text[at] == "\n":
            at += 1
        comment = ""
    return items


def flat(namespaces: list[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(name for level in namespaces for name in level)


def end_of_block(text: str, at: int) -> int:
    depth = 0
    for match in re.compile(r"^[ \t]*#[ \t]*(if|endif)[^\n]*", re.M).finditer(text, at):
        depth += 1 if match[1] == "if" else -1
        if depth == 0:
            return match.end()
    raise ValueError("no #endif")


def end_of_item(code: str, at: int) -> int:
    """Behind the `;` or the `}` that ends the declaration."""
    braces = parentheses = 0
    head_end = None
    i = at
    while i < len(code):
        c = code[i]
        if c in "([":
            parentheses += 1
        elif c in ")]":
            parentheses -= 1
        elif c == "{":
            if braces == 0 and head_end is None:
                head_end = i
            braces += 1
        elif c == "}":
            braces -= 1
            if braces == 0 and parentheses == 0 and is_function(code[at:head_end]):
                rest = re.compile(r"\s*").match(code, i + 1)
                following = code[rest.end() : rest.end() + 1]
                if following not in (",", "{"):
                    return i + 1
        elif c == ";" and braces == 0 and parentheses == 0:
            return i + 1
        i += 1
    raise ValueError(f"no end: {code[at : at + 80]!r}")


def without_brackets(head: str) -> str:
    """The head without what stands in (), [] and <> of a template's parameters."""
    out, depth = [], 0
    for c in head:
        if c in "([":
            depth += 1
            out.append("(" if depth == 1 and c == "(" else "")
        elif c in ")]":
            depth -= 1
            out.append(")" if depth == 0 and c == ")" else "")
        elif depth == 0:
            out.append(c)
    return "".join(out)


def is_function(head: str) -> bool:
    plain = without_brackets(re.sub(r"operator\s*(?:\(\)|\[\]|[^\w\s(]+)", "operator_", head))
    plain = re.sub(r"\s+", " ", re.sub(r"\balignas\s*\(\)", "", plain))
    if re.match(r"\s*(?:template ?<.*?> ?)?(?:inline |constexpr |static |const )*(?:struct|class|enum|union)\b", plain):
        # A function may give a struct back; then parentheses follow its name.
        return "(" in plain and not re.match(r"\s*(?:template ?<.*> ?)?(?:enum|struct|class)\b[^(]*$", plain)
    return "(" in plain and "=" not in re.sub(r"[<>=!]=", "", plain.split("(", 1)[0])


def template_head(text: str) -> tuple[str, str]:
    """`template <..>` and what follows."""
    match = re.match(r"\s*template\s*<", text)
    if not match:
        return "", text
    depth, i = 1, match.end()
    while depth:
        depth += {"<": 1, ">": -1}.get(text[i], 0)
        i += 1
    head, rest = text[:i], text[i:]
    more, rest2 = template_head(rest)
    return head + more, rest2


DECLARED = re.compile(r"(?<![\w.])(\w+|[\w>]>|[\w>][&*])\s+(\w+)\s*(?=[=;,){\[(]|:(?!:))")
NO_TYPES = {"return", "case", "else", "new", "throw", "using", "struct", "class", "enum", "namespace", "goto", "sizeof"}


def own_names(code: str) -> frozenset[str]:
    """Names of parameters and of what is declared inside, which mean nothing outside."""
    inside = code[code.find("(") :] if "(" in code else ""
    inside = re.sub(r"^(\s*(?:template\s*<[^{]*?>\s*)?(?:struct|class)[^{]*\{.*)$", "", inside, flags=re.S)
    found = {name for of, name in DECLARED.findall(inside) if of not in NO_TYPES}
    # Called or made, it may be another's as well.
    return frozenset(name for name in found if not re.search(rf"::{name}\b|\b{name}<", code))


def words_of(code: str) -> frozenset[str]:
    return frozenset(IDENTIFIER.findall(code))


def classified(item: Item) -> Item:
    code = code_of(item.text)
    item.words = words_of(re.sub(r'"[^"\n]*"', '""', code)) - own_names(code)
    if item.kind == "block":
        item.names = frozenset(re.findall(r"\b(\w+)\s*\(", code)) | frozenset(re.findall(r"\b(\w+)\s*<", code))
        return item
    template, rest = template_head(code)
    rest = re.sub(r"\[\[[^\]]*(?:\([^)]*\))?[^\]]*\]\]", lambda m: " " * len(m[0]), rest)
    rest = re.sub(r"\bPOSENC_EXPORT\b", " " * 13, rest)
    start = rest.lstrip()
    if start.startswith("static_assert"):
        item.kind = "assertion"
        return item
    if match := re.match(r"using\s+(\w+)\s*=", start):
        item.kind, item.names = "type", frozenset([match[1]])
        return item
    if match := re.match(r"using\s+(?:enum\s+)?([\w:]+(?:\s*,\s*[\w:]+)*)\s*;", start):
        item.kind = "using"
        item.names = frozenset(each.strip().split("::")[-1] for each in match[1].split(","))
        return item
    if match := re.match(r"namespace\s+(\w+)\s*=", start):
        item.kind, item.names = "using", frozenset([match[1]])
        return item
    if template and "->" in without_brackets(start) and "{" not in start:
        item.kind, item.names = "guide", frozenset([IDENTIFIER.match(start)[0]])
        return item
    if match := re.match(r"(?:struct|class|enum(?:\s+class)?|union)\s+(?:alignas\s*\([^)]*\)\s*)?([\w:]+)\s*(<[^{;]*>)?\s*(?:final\s*)?[{;:]", start):
        names = match[1].split("::")
        item.kind, item.names = "type", frozenset([names[-1]])
        if start.startswith("enum"):
            item.words = frozenset()  # its enumerators are called by its own name
        if len(names) > 1:
            item.owner = names[-2]
        if match[2]:
            item.kind, item.params = "specialization", words_of(match[2])
        return item
    if start in (";", ""):
        return item
    head = start.split("{", 1)[0] if is_function(start.split("{", 1)[0]) else re.split(r"[;{=]", start, maxsplit=1)[0]
    named = re.sub(r"operator\s*(\(\)|\[\]|[^\w\s(]+|\w[\w: ]*)(?=\()", "operator_ ", head)
    if is_function(named + " "):
        before = call_name(named)
        parts = before.split("::")
        last = parts[-1].strip()
        item.kind, item.names = "function", frozenset([last])
        open_at = named.index("(", named.index(before) if before in named else 0)
        # A parameter that need not be stated chooses nothing.
        item.params = words_of(without_members(",".join(each for each in parameters(balanced(named, open_at)[1:-1]) if "=" not in each)))
        if last.startswith("operator_") or last == "":
            item.kind = "operator"
        if len(parts) > 1 and parts[-2][:1].isupper():
            item.kind, item.owner = "member", parts[-2]
        if template.replace(" ", "").endswith("template<>") or re.match(r"\s*template\s+[^<]", code):
            item.kind = "instantiation" if re.match(r"\s*template\s+[^<]", code) else "specialization"
            item.params = item.params | words_of(named)
        return item
    # A variable, or one argument list of a variable template.
    variable = re.match(r"(.*?)([\w:]+)\s*(<[^=;{]*>)?\s*((?:\[[^\]]*\])*)\s*$", re.sub(r"\s+", " ", head.strip()))
    if not variable:
        raise ValueError(f"{item.file}: {item.text[:120]!r}")
    parts = variable[2].split("::")
    item.kind, item.names = "variable", frozenset([parts[-1]])
    if len(parts) > 1 and parts[-2][:1].isupper():
        item.kind, item.owner = "member", parts[-2]
    if variable[3] and template:
        item.kind, item.params = "specialization", words_of(variable[3])
    else:
        item.names |= frozenset(re.findall(r",\s*[*&]?(\w+)\s*=", code))
    return item


def without_templates(text: str) -> str:
    while True:
        shorter = re.sub(r"<[^<>]*>", "", text)
        if shorter == text:
            return text
        text = shorter


def balanced(text: str, at: int, brackets: str = "()") -> str:
    """From the bracket there to the one that closes it."""
    depth = 0
    for i in range(at, len(text)):
        depth += {brackets[0]: 1, brackets[1]: -1}.get(text[i], 0)
        if depth == 0:
            return text[at : i + 1]
    return text[at:]


def without_members(text: str) -> str:
    """The text without names that stand in classes: what X::Y is follows from X."""
    return re.sub(r"(>|\b[A-Z]\w*)::\w+", r"\1", text)


def parameters(text: str) -> list[str]:
    parts, depth, begin = [], 0, 0
    for i, c in enumerate(text + ","):
        depth += {"(": 1, "<": 1, "{": 1, ")": -1, ">": -1, "}": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append(text[begin:i])
            begin = i + 1
    return parts


def call_name(head: str) -> str:
    """The qualified name before the parameters."""
    plain = without_templates(head)
    match = re.search(r"([\w~]+(?:\s*::\s*[\w~]+)*)\s*\(", plain)
    return match[1] if match else ""
