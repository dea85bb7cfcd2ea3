# SPDX-License-Identifier: Apache-2.0
"""One golden of the work list, in the environment of its package: makes it, then writes it or compares it.

usage: write.py NAME [--check]      (./dev goldens makes the environment and calls this)
"""
import importlib
import sys

import worklist


def own_target(module):
    """What bits of this module depend on besides."""
    return [module.target()] if hasattr(module, "target") else []


def main(arguments):
    checks, (name,) = "--check" in arguments, [a for a in arguments if a != "--check"]
    work = worklist.of_name(name)
    module = importlib.import_module(work.module)  # chooses the CPU target, before NumPy and PyTorch
    import record
    metadata, tensors = module.make(work)
    metadata |= {"script": f"tools/goldens/{work.module}.py", "package": work.package,
                 "made_by": ", ".join([record.made_by(work.package), *own_target(module)])}
    if getattr(work, "preset", ""):
        metadata["preset"] = work.preset
    data = record.pack(metadata, tensors)
    if checks:
        return record.check(work.name, data, getattr(module, "certain", lambda name: False))
    record.write(work.name, data)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
