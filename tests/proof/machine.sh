#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The same bits and files on another machine: builds posenc_bits and io_exchange with Debian's cross compiler and runs
# them under qemu's user mode.
#
# Usage: machine.sh aarch64|s390x    s390x is big-endian
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

machine=$1
out=build/$machine
[[ -f $out/build.ninja ]] || cmake -S . -B "$out" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux \
  -DCMAKE_SYSTEM_PROCESSOR="$machine" -DCMAKE_CXX_COMPILER="$machine-linux-gnu-g++" \
  -DZLIB_LIBRARY="/usr/lib/$machine-linux-gnu/libz.so.1" -DZLIB_INCLUDE_DIR=/usr/include -DPOSENC_PROOF=ON -DPOSENC_TESTS=OFF \
  -DPOSENC_POOL=OFF -DPOSENC_TRANSFORMER=OFF -DPOSENC_SPEC=OFF -DPOSENC_REFEREE=OFF -DPOSENC_IO=OFF -DPOSENC_TEXT=OFF -DPOSENC_TOOL=OFF -DPOSENC_INSTALL=OFF
cmake --build "$out" --target posenc_bits io_exchange
python3 tests/proof/bits_test.py "$out/tests/proof/posenc_bits" --through "qemu-$machine"
python3 tests/proof/files_test.py "$out/tests/proof/io_exchange" --through "qemu-$machine"
