#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which library multiplies matrices fastest on one thread here: oneDNN, OpenBLAS, BLIS (docs/design.md, Decisions).
# Needs Debian's g++ libdnnl-dev libopenblas-serial-dev libblis-serial-dev.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p build/products
export OMP_NUM_THREADS=1

time_library() {  # time_library NAME FLAGS...
  g++ -std=c++20 -O2 bench/products.cc -o "build/products/$1" "${@:2}"
  echo "$1"
  "build/products/$1"
}

folder=/usr/lib/$(gcc -print-multiarch)
time_library oneDNN -DPOSENC_ONEDNN -ldnnl
time_library OpenBLAS "$folder/openblas-serial/libopenblas.so" "-Wl,-rpath,$folder/openblas-serial"
time_library BLIS "$folder/blis-serial/libblis.so" "-Wl,-rpath,$folder/blis-serial"
