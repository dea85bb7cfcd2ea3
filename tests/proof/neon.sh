#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The same bits on AArch64: builds posenc_bits with Debian's cross compiler and runs it under qemu's user mode.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

out=build/neon
[[ -f $out/build.ninja ]] || cmake -S . -B "$out" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux \
  -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -DPOSENC_PROOF=ON -DPOSENC_TESTS=OFF \
  -DPOSENC_POOL=OFF -DPOSENC_TRANSFORMER=OFF -DPOSENC_SPEC=OFF -DPOSENC_IO=OFF -DPOSENC_TOOL=OFF -DPOSENC_INSTALL=OFF
cmake --build "$out" --target posenc_bits
exec python3 tests/proof/bits_test.py "$out/tests/proof/posenc_bits" --through qemu-aarch64
