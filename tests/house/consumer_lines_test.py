# SPDX-License-Identifier: Apache-2.0
# Counts the preprocessed lines of a program that includes preset.h and rotary.h.
#
# consumer_lines_test.py SOURCE_DIR COMPILER    ends with 77 where the compiler is not GCC 12, whose library is counted

import pathlib
import subprocess
import sys

# Two thirds of the 61,792 lines of when <memory> was among what they include: most of them are the standard library's, so
# one of its larger headers in one of ours shows here.
MOST = 41_194


def main(source, compiler):
    version = subprocess.run([compiler, "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
    if not version.startswith("12."):
        print(f"skipped: {compiler} is {version or 'not GCC'}, not GCC 12")
        return 77
    text = "#include <posenc/preset.h>\n#include <posenc/rotary.h>\n"
    command = [compiler, "-std=c++20", "-E", "-I", pathlib.Path(source, "include"), "-x", "c++", "-"]
    lines = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout.count("\n")
    print(f"{lines} lines, {MOST} at most")
    return int(lines > MOST)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
