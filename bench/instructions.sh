#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How many instructions an output of a large table takes: what 8192 rows take more than 4096. valgrind, of Debian, knows
# no AVX-512, so kernels for AVX2 run where the machine has that.
#
# Usage: instructions.sh POSENC [DIM]    DIM is 1024
set -euo pipefail
shopt -s inherit_errexit

tool=$1 dim=${2:-1024}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

instructions() {  # instructions TYPE ROWS
  rm -f "$folder/counts"
  valgrind --tool=callgrind --callgrind-out-file="$folder/counts" "$tool" table --preset transformer --dim "$dim" \
    --positions "0:$2" --dtype "$1" --threads 1 --out "$folder/table.raw" --format raw --no-sync >"$folder/log" 2>&1 ||
    { cat "$folder/log" >&2 && exit 1; }
  awk '$1 == "summary:" { print $2 }' "$folder/counts"
}

for type in f32 bf16 f16 f64; do
  few=$(instructions $type 4096)
  many=$(instructions $type 8192)
  awk -v n=$((many - few)) -v outputs=$((4096 * dim)) -v type=$type 'BEGIN { printf "%-4s %5.2f\n", type, n / outputs }'
done
