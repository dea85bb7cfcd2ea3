# SPDX-License-Identifier: Apache-2.0
"""How the tools of this folder say that something is wrong: one line, exit status 2."""
import sys


def stop(tool, problem):
    print(f"{tool}: error: {problem}", file=sys.stderr)
    sys.exit(2)
