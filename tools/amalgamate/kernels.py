# SPDX-License-Identifier: Apache-2.0
"""Sources that Highway compiles for each instruction set, as text of one set: its conditions decided, its macros gone."""

from __future__ import annotations

import re

# Highway's macros under the lanes of parts/lanes.h, which are none of its targets, on any architecture.
KNOWN = {
    "HWY_TARGET": "2",
    "HWY_SCALAR": "1",
    "HWY_AVX2": "0",
    "HWY_AVX3": "0",
    "HWY_ARCH_X86": "0",
    "HWY_NATIVE_FMA": "0",
    "HWY_ONCE": "1",
}
CONDITION = re.compile(r"#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)")


def is_kernel(text: str) -> bool:
    return "<hwy/highway.h>" in text


def plain(text: str) -> str:
    """Without include guards, without branches of other sets."""
    out: list[str] = []
    levels: list[tuple[bool, bool]] = []  # is it ours, and is the branch taken?
    for line in text.splitlines():
        # The CPU converts f16 if the lanes are AVX2's.
        line = re.sub(r"^#if HWY_TARGET <= HWY_AVX2$", "#if POSENC_LANES_AVX2", line)
        match = CONDITION.match(line)
        if match and match[1].startswith("if"):
            ours = "HWY_" in line or "_INL_H" in line
            levels.append((ours, not ours or decided(match[2])))
            if ours:
                continue
        elif match and match[1] == "else" and levels[-1][0]:
            levels[-1] = (True, not levels[-1][1])
            continue
        elif match and match[1] == "endif":
            if levels.pop()[0]:
                continue
        if all(taken for _, taken in levels) and not re.match(r"#\s*(define|undef)\s+(POSENC_\w+_INL_H|HWY_)", line):
            out.append(line)
    text = "\n".join(out) + "\n"
    text = re.sub(r"HWY_(BEFORE|AFTER)_NAMESPACE\(\);\n", "", text)
    text = re.sub(r"namespace hn = hwy::HWY_NAMESPACE;\n", "", text)
    text = re.sub(r"HWY_TARGET == HWY_SCALAR \? \S+ : (\S+);", r"\1;", text)
    text = re.sub(r"HWY_EXPORT\(\w+\);\n", "", text)
    text = re.sub(r"HWY_DYNAMIC_DISPATCH\((\w+)\)\(\)", r"POSENC_BEST(\1)()", text)
    text = re.sub(r"HWY_(UN)?LIKELY\(", "(", text)
    text = text.replace("hwy::float16_t", "hn::float16_t")
    text = text.replace("HWY_NAMESPACE", "POSENC_LANES").replace("HWY_TARGET}", "0}")
    text = text.replace("HWY_NOINLINE", "[[gnu::noinline]]")
    return text.replace("HWY_INLINE", "POSENC_LANES_INLINE").replace("HWY_ATTR", "POSENC_LANES_ATTRIBUTE")


def decided(condition: str) -> bool:
    condition = condition.split("//")[0]
    if "_INL_H" in condition:
        return True
    condition = re.sub(r"HWY_\w+", lambda match: KNOWN[match[0]], condition)
    return bool(eval(condition.replace("&&", " and ").replace("||", " or ").replace("!=", "<>").replace("!", " not ").replace("<>", "!=")))
