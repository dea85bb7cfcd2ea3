#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A virtual environment that has what requirement files ask for, made anew when they change.
#
# Usage: environment.sh PYTHON FOLDER REQUIREMENTS.txt...
set -euo pipefail
python=$1 folder=$2
shift 2
wanted=$("$python" -V && cat "$@")
[[ ! -f $folder/wanted || $(<"$folder/wanted") != "$wanted" ]] || exit 0
printf 'dev: installing %s into %s\n' "$*" "$folder" >&2
rm -rf "$folder"
"$python" -m venv "$folder"
options=()
for file in "$@"; do options+=(-r "$file"); done
"$folder/bin/pip" install -q --disable-pip-version-check "${options[@]}"
printf '%s\n' "$wanted" >"$folder/wanted"
