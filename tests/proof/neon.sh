#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The same bits on AArch64: builds posenc_bits with Debian's cross compiler and runs it under qemu's user mode.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

out=build/neon
mkdir -p "$out"
mapfile -t sources < <(sed -n '/add_library(posenc_objects OBJECT/,/)/s/^ *\([a-z0-9_]*\/[a-z0-9_]*\.cc\).*/src\/\1/p' src/CMakeLists.txt)
flags=(-std=c++20 -O2 -ffp-contract=off -fno-math-errno -Iinclude -I. "-DHWY_DISABLED_TARGETS='(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)'")
sources+=(tests/proof/*.cc)
for source in "${sources[@]}"; do
  printf '%s\0%s\0' "$source" "$out/$(tr / _ <<<"${source%.cc}").o"
done | xargs -0 -r -n 2 -P "$(nproc)" sh -c 'aarch64-linux-gnu-g++ '"${flags[*]}"' -c "$0" -o "$1"'
objects=()
for source in "${sources[@]}"; do
  objects+=("$out/$(tr / _ <<<"${source%.cc}").o")
done
aarch64-linux-gnu-g++ "${objects[@]}" -lhwy -lpthread -o "$out/posenc_bits"
exec python3 tests/proof/bits_test.py "$out/posenc_bits" tests/proof/bits.sha256 --through qemu-aarch64
