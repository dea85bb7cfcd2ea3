#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# prepare.sh SOURCE FOLDER: into FOLDER the pinned Python packages, the checkpoints, the models made of them, and the
# references by the original implementations. What is there and made by the same scripts stays. Fails when anything cannot
# be had. It needs Python 3.11 with venv, pip and its index, apt-get and dpkg-deb; 2 GiB of disk.
set -euo pipefail
source=$1 folder=$2
tools=$source/tools/convert tests=$source/tests/checkpoints python=$folder/venv/bin/python
mkdir -p "$folder"

requirements=$(cat "$tools/requirements.txt" "$tests/requirements.txt")
if [[ ! -f $folder/requirements || $(<"$folder/requirements") != "$requirements" ]]; then
  rm -rf "$folder/venv"
  python3 -m venv "$folder/venv"
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check -r "$tools/requirements.txt" -r "$tests/requirements.txt"
  printf '%s\n' "$requirements" >"$folder/requirements"
fi

# Converted anew every time, which takes seconds: the hashes of what was downloaded are checked on the way.
"$python" -B "$tools/fetch.py" "$folder"

made_by=$(cat "$tools"/*.py "$tools"/*.json "$tests"/*.py "$tests"/*.txt | sha256sum)
if [[ ! -f $folder/made_by || $(<"$folder/made_by") != "$made_by" ]]; then
  "$python" -B "$tests/references.py" "$folder"
  printf '%s\n' "$made_by" >"$folder/made_by"
fi
