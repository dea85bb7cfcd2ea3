#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Wheels of posenc that carry what they need, made of the libraries of a release build and tried where no build package is.
#
# Usage: wheel.sh BUILD_FOLDER OUT_FOLDER
# One wheel for Python 3.11, one for the stable ABI from 3.12 on, by the interpreters that are found as python3.N or among
# those of pyenv. A wheel is tried on every interpreter that it is for; those that are not here are named.
set -euo pipefail
built=$(realpath "$1") out=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "$out"
out=$(realpath "$out")
cd "$root"

say() { printf 'wheel: %s\n' "$*"; }

interpreter() {  # interpreter 3.N: its path, if it is here
  local candidate
  for candidate in "$(command -v "python$1" || true)" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/"python$1"; do
    if [[ -x $candidate ]] && "$candidate" -c '' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
}

make_wheel() {  # make_wheel PYTHON VERSION: into $out
  local environment=build/python/wheel-$2
  tools/python/environment.sh "$1" "$environment" tests/python/requirements-wheel.txt
  rm -rf "$environment/raw"
  "$environment/bin/pip" wheel -q --disable-pip-version-check --no-build-isolation --no-deps -w "$environment/raw" \
    "-Ccmake.define.POSENC_BUILT=$built" .
  PATH=$PWD/$environment/bin:$PATH "$environment/bin/auditwheel" repair -z 9 -w "$out" "$environment"/raw/*.whl
}

fitting() {  # fitting VERSION: the wheel for it
  local tag=cp312-abi3
  [[ $1 != 3.11 ]] || tag=cp311-cp311
  echo "$out"/posenc-*-"$tag"-*.whl
}

try_wheel() {  # try_wheel PYTHON VERSION: in an environment that has no compiler and no build package
  local environment=build/python/try-$2 wheel found log=build/python/try-$2/tests.log status=0
  wheel=$(fitting "$2")
  tools/python/environment.sh "$1" "$environment" tests/python/requirements-try.txt || return
  "$environment/bin/pip" install -q --disable-pip-version-check --no-deps --force-reinstall "$wheel" || return
  found=$(cd / && PATH=$root/$environment/bin "$root/$environment/bin/python" -W error -c '
import posenc
print("posenc", posenc.__version__, posenc.table("transformer", 2, 1).tolist())') || return
  say "$2: $found"
  PATH=$PWD/$environment/bin:/usr/bin:/bin "$environment/bin/python" -B -m pytest -rfE --ignore tests/python/test_stubs.py \
    >"$log" 2>&1 || status=$?
  ((status == 0)) || say "$2, $root/$log: $(grep -E '^(FAILED|ERROR) ' "$log" || cat "$log")"
  say "$2: $(tail -n 1 "$log")"
  return "$status"
}

rm -f "$out"/*.whl
newest=
for version in 3.15 3.14 3.13 3.12; do
  python=$(interpreter "$version")
  [[ ! $python ]] || newest="$python $version"
done
python=$(interpreter 3.11)
[[ ! $python ]] || make_wheel "$python" 3.11
# The lowest there is: what it makes is for all later ones.
# shellcheck disable=SC2086
[[ ! $newest ]] || make_wheel $newest
say "$(du -bh "$out"/*.whl | tr '\t\n' '  ')"
for wheel in "$out"/*.whl; do
  (($(stat -c %s "$wheel") <= 4000000)) || { say "$wheel is larger than 4 MB"; exit 1; }
done
failed=
for version in 3.11 3.12 3.13 3.14 3.15; do
  python=$(interpreter "$version")
  if [[ ! $python ]]; then
    say "$version: not run, no such interpreter here"
  elif ! try_wheel "$python" "$version"; then
    failed+=" $version"
  fi
done
[[ ! $failed ]] || { say "tests failed on$failed"; exit 1; }
