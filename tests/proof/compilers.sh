#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The same bits by other compilers and at other levels: builds posenc_bits by each row and compares its hashes. A build
# has one instruction set, which the compiler may use everywhere, fused multiply-adds included.
#
# Usage: compilers.sh [PATTERN]: those rows alone that match it
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

rows=(
  'g++-12 -O0 -march=x86-64-v3'
  'g++-12 -O3 -march=x86-64-v3 -maes -mpclmul'
  'g++-12 -O2 -march=x86-64-v3 -maes -mpclmul -flto'
  'clang++-19 -O0'
  'clang++-19 -O2 -march=x86-64-v3 -maes -mpclmul'
  'clang++-19 -O3 -march=x86-64-v3 -maes -mpclmul'
  'clang++-19 -O2 -march=x86-64-v3 -maes -mpclmul -flto'
)

failed=0
for row in "${rows[@]}"; do
  [[ $row =~ ${1:-.} ]] || continue
  read -r compiler flags <<<"$row"
  out=build/compilers/$(tr -cs '[:alnum:]\n' '-' <<<"$row")
  [[ -f $out/build.ninja ]] || cmake -S . -B "$out" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)" -DCMAKE_CXX_FLAGS="$flags -DHWY_COMPILE_ONLY_STATIC" \
    -DPOSENC_UNITS=ON -DPOSENC_PROOF=ON -DPOSENC_TESTS=OFF -DPOSENC_POOL=OFF -DPOSENC_TRANSFORMER=OFF -DPOSENC_SPEC=OFF \
    -DPOSENC_REFEREE=OFF -DPOSENC_IO=OFF -DPOSENC_TEXT=OFF -DPOSENC_TOOL=OFF -DPOSENC_INSTALL=OFF >/dev/null
  cmake --build "$out" --target posenc_bits >"$out/build.log" || { tail -n 40 "$out/build.log" >&2; exit 1; }
  outcome=equal
  python3 -B tests/proof/bits_test.py "$out/tests/proof/posenc_bits" --plain 2>"$out/bits.log" ||
    { outcome=different failed=1; tail -n 40 "$out/bits.log" >&2; }
  printf '%s: %s, %s\n' "$row" "$("$out/tests/proof/posenc_bits" --list-targets | tr '\n' ' ')" "$outcome"
done
exit "$failed"
