#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# golden.sh SOURCE VENV [SCRIPT ARGS...]: makes the venv with the pinned packages if it is not there, then runs the script in it.
set -euo pipefail
source=$1 venv=$2
shift 2
goldens=$source/tools/goldens
if [[ ! -e $venv/ready ]]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --requirement "$goldens/requirements.txt"
  touch "$venv/ready"
fi
(($# == 0)) || exec "$venv/bin/python" -B "$goldens/$1" "${@:2}"
