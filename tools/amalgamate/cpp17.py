# SPDX-License-Identifier: Apache-2.0
"""The C++20 of this project's sources as C++17: a few forms rewritten, names of the library taken from parts/."""

from __future__ import annotations

import re

from items import Item, balanced, code_of

# Names of C++20's library that parts/standard.h and parts/ranges.h have in namespace cpp20.
NAMES = (
    "span ssize bit_cast countl_zero countr_zero endian make_unique_for_overwrite unsigned_integral floating_point "
    "atomic_ref ranges to_string not_fn"
).split()
NAME = re.compile(r"\bstd::(" + "|".join(NAMES) + r")\b")


def named(text: str) -> str:
    return NAME.sub(r"cpp20::\1", text)


def rewritten(text: str, structs: list[dict[str, str]]) -> str:
    text = re.sub(r"\bPOSENC_EXPORT ", "", text)
    # A class is no argument of a template there, but an object that has linkage is.
    text = re.sub(r"template <numerics::ErrorBound bound", "template <const numerics::ErrorBound& bound", text)
    return named(designated(comparisons(requirements(template_lambdas(text))), structs))


# ---- problems --------------------------------------------------------------------------------------


def problems(text: str) -> str:
    """`return Problem{..}` as a call of parts/messages.h: code of messages is most of what a compiler has to optimise."""
    begin = "return Problem{"
    while "optional<Problem>" in text and (at := text.find(begin)) >= 0:
        brace = at + len(begin) - 1
        end = closing(text, brace)
        stated = [re.sub(r"^std::string\(([\w>.-]+|to_string\([^()]*\))\)$", r"\1", each) for each in split_commas(text[brace + 1 : end])]
        text = f"{text[:at]}return problem_of({', '.join(stated)}){text[end + 1 :]}"
    return text


# ---- lambdas with template parameters --------------------------------------------------------------


def template_lambdas(text: str) -> str:
    """`[&]<class S>(const S& of) {` as `[&](const auto& of) { using S = ..;`."""
    while match := re.search(r"\]<class (\w+)>\((const )?\1(&?)(?: (\w+))?\)(\s*(?:->[^{]*)?\{)", text):
        type_name, const, reference, name, rest = match.groups()
        name = name or "posenc_value"
        plain = f" using {type_name} = std::remove_cv_t<std::remove_reference_t<decltype({name})>>;"
        text = f"{text[: match.start()]}]({const or ''}auto{reference} {name}){rest}{plain}{text[match.end() :]}"
    return text


def split_commas(text: str) -> list[str]:
    parts, depth, begin = [], 0, 0
    for i, c in enumerate(text):
        depth += {"(": 1, "<": 1, "{": 1, "[": 1, ")": -1, ">": -1, "}": -1, "]": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append(text[begin:i].strip())
            begin = i + 1
    last = text[begin:].strip()
    return [*parts, last] if last else parts


# ---- requirements ----------------------------------------------------------------------------------


def requirements(text: str) -> str:
    return re.sub(r"template <(class \w+)>\s*requires (.*)\n", r"template <\1, std::enable_if_t<\2, int> = 0>\n", text)


# ---- comparisons -----------------------------------------------------------------------------------

DEFAULTED = re.compile(
    r"( *)friend (constexpr )?bool operator==\((const )?([\w:<>]+)(&?)(?: \w+)?, "
    r"(?:const )?[\w:<>]+&?(?: \w+)?\) = default;[^\n]*\n"
)


def comparisons(text: str) -> str:
    """Defaulted ones member by member, and != beside ==."""
    while match := DEFAULTED.search(text):
        body_begin = opening(text, match.start())
        members = members_of(text[body_begin + 1 : closing(text, body_begin)])
        indent, constant, const, name, reference = match[1], match[2] or "", match[3] or "", match[4], match[5]
        of = f"{const}{name}{reference}"
        equal = f"\n{indent}         ".join(f"a.{member} == b.{member} &&" for member in members).removesuffix(" &&")
        made = (
            f"{indent}friend {constant}bool operator==({of} a, {of} b) {{\n{indent}  return {equal};\n{indent}}}\n"
            f"{indent}friend {constant}bool operator!=({of} a, {of} b) {{ return !(a == b); }}\n"
        )
        text = text[: match.start()] + made + text[match.end() :]
    return text


def opening(text: str, at: int) -> int:
    depth = 0
    code = code_of(text)
    for i in range(at - 1, -1, -1):
        depth += {"}": 1, "{": -1}.get(code[i], 0)
        if depth < 0:
            return i
    raise ValueError("no struct")


def closing(text: str, at: int) -> int:
    code = code_of(text)
    return at + len(balanced(code[at:], 0, "{}")) - 1


def members_of(body: str) -> dict[str, str]:
    """The data members in order, each with what it is where nothing is stated."""
    code = re.sub(r"^[ \t]*#.*$", lambda match: " " * len(match[0]), code_of(body), flags=re.M)
    statements, depth, begin = [], 0, 0
    for i, c in enumerate(code):
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(c, 0)
        if depth == 0 and (c == ";" or (c == "}" and not re.match(r"\s*[;,={]", code[i + 1 :]))):
            statements.append(code[begin:i])
            begin = i + 1
    members: dict[str, str] = {}
    for statement in statements:
        statement = re.sub(r"^\s*(public|private):", "", statement).strip()
        head = re.split(r"[={]", statement, maxsplit=1)[0]
        other = r"(static|using|friend|template|struct|class|enum|constexpr|typedef)\b"
        if not statement or "(" in head or re.search(r"\boperator\b", statement) or re.match(other, statement):
            continue
        for part in split_commas(statement):
            declared, _, default = part.partition("=")
            name = re.search(r"(\w+)\s*(?:\[[^\]]*\])*\s*$", re.sub(r"\{.*", "", declared))
            if not name:
                raise ValueError(f"no member: {part!r}")
            members[name[1]] = default.strip() or "{}"
    return members


# ---- designated initializers -----------------------------------------------------------------------


def structs(items: list[Item]) -> list[dict[str, str]]:
    """The members of every struct, in order, with what they are without being stated."""
    found = []
    for item in items:
        for match in re.finditer(r"\b(?:struct|class) \w+[^;{(=>]*\{", code_of(item.text)):
            found.append(members_of(item.text[match.end() : closing(item.text, match.end() - 1)]))
    return found


def designated(text: str, known: list[dict[str, str]]) -> str:
    while match := re.search(r"\{\s*\.(?=\w+ = )", text):
        end = closing(text, match.start())
        stated = {}
        for each in split_commas(text[match.start() + 1 : end]):
            name, value = each.split(" = ", 1)
            stated[name[1:]] = value
        members = next(members for members in known if set(stated) <= set(members))
        last = max(list(members).index(name) for name in stated)
        values = [stated.get(name, default) for name, default in list(members.items())[: last + 1]]
        text = text[: match.start()] + "{" + ", ".join(values) + "}" + text[end + 1 :]
    return text
