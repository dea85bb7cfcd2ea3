#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How many instructions an output of a large table takes on AVX2, the most that valgrind runs: what 8192 rows take more than
# 4096. Needs Debian's valgrind.
#
# Usage: instructions.sh POSENC [DIM]    DIM is 1024
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
dim=${2:-1024}

instructions() {  # instructions POSENC TYPE ROWS
  valgrind --tool=callgrind --callgrind-out-file="$folder/counts" "$1" table --preset transformer --dim "$dim" --positions "0:$3" \
    --dtype "$2" --threads 1 --out "$folder/table.raw" --format raw --no-sync >/dev/null 2>&1
  awk '$1 == "summary:" { print $2 }' "$folder/counts"
}

for type in f32 bf16 f16 f64; do
  few=$(instructions "$1" $type 4096) many=$(instructions "$1" $type 8192)
  awk -v n=$((many - few)) -v outputs=$((4096 * dim)) -v type=$type 'BEGIN { printf "%-4s %5.2f\n", type, n / outputs }'
done
