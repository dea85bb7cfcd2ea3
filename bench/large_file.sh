#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A table larger than the memory it may take: `posenc table --out` beside dd writing as many bytes, three times in turn,
# both synced to the disk, in a group of processes whose memory and page cache are 512 MiB.
#
# Usage: large_file.sh POSENC FOLDER [GIB]    FOLDER has room for one file of GIB (8); as root, for the group
set -euo pipefail

export LC_ALL=C
tool=$1 file=$2/posenc_bench.npy log=$2/posenc_bench.log gib=${3:-8}
limit=$((512 << 20))
group=/sys/fs/cgroup/memory/posenc_bench  # version 1 of cgroups, else version 2
maximum=memory.limit_in_bytes
[[ -d /sys/fs/cgroup/memory ]] || group=/sys/fs/cgroup/posenc_bench maximum=memory.max
trap 'rm -f "$file" "$log"; rmdir "$group" 2>/dev/null || true' EXIT
mkdir -p "$group"
echo $limit >"$group/$maximum"

# The seconds that a command takes in the group.
seconds() {
  rm -f "$file"
  sync
  local start=$EPOCHREALTIME
  bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@" >/dev/null 2>"$log" || { cat "$log" >&2 && exit 1; }
  awk -v start="$start" -v end="$EPOCHREALTIME" 'BEGIN { print end - start }'
}

rows=$((gib << 18))  # of 1024 f32 elements
printf '%d GiB in %d MiB of memory\n%10s %10s %10s\n' "$gib" $((limit >> 20)) dd posenc ratio
for _ in 1 2 3; do
  dd=$(seconds dd if=/dev/zero "of=$file" bs=1M count=$((gib << 10)) conv=fdatasync)
  ours=$(seconds "$tool" table --preset transformer --dim 1024 --positions "0:$rows" --out "$file")
  awk -v dd="$dd" -v ours="$ours" 'BEGIN { printf "%8.2f s %8.2f s %10.2f\n", dd, ours, dd / ours }'
done
