#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every way in, in a Debian that holds nothing yet: the packages of ./dev package; and the line of the README, which builds.
#
# fresh_root.sh packages|install [FOLDER]    as root, where chroot is permitted; the root is made in FOLDER (build/root)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
way=${1:-} root=${2:-build/root}
[[ $way == packages || $way == install ]] || { sed -n 's/^# \(fresh_root.sh .*\)/\1/p' "$0" >&2; exit 2; }

# With a /proc of its own, which bash's <(..) needs, and which goes with the processes.
inside() {
  unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" env DEBIAN_FRONTEND=noninteractive HOME=/root LC_ALL=C.UTF-8 bash -euxc "$1"
}

make_root() {
  rm -rf "$root"
  mmdebstrap --variant=apt --include=ca-certificates bookworm "$root"
  cp /etc/resolv.conf "$root/etc/"
}

use() {  # what is installed serves a tool, a manual, and programs in both ways
  cp -r tests/house/consumer "$root/consumer"
  inside "
    posenc --version && posenc table --preset whisper --dim 384 --positions 0:1500 --out /tmp/pe.npy --plot /tmp/pe.png
    man posenc | grep -q 'posenc encode'
    for component in '' pool transformer io; do
      g++ -std=c++20 /consumer/\${component:-main}.cc -o /tmp/consumer \$(pkg-config --cflags --libs posenc\${component:+-\$component})
      /tmp/consumer
    done
    cmake -S /consumer -B /tmp/build -DPOSENC_COMPONENTS=pool,transformer,io,c && cmake --build /tmp/build
    ctest --test-dir /tmp/build --no-tests=error --output-on-failure"
}

make_root
case $way in
  packages)
    cp build/release/packages/*.deb "$root/tmp/"
    inside "apt-get -qq update && apt-get -qq install -y /tmp/posenc_*.deb && posenc --version
      apt-get -qq install -y --no-install-recommends /tmp/*.deb g++ make cmake man-db"
    use
    inside "apt-get -qq purge -y posenc 'libposenc*' && ! find /usr -name '*posenc*' | grep ."
    ;;
  install)
    mkdir "$root/posenc"
    git ls-files -z | xargs -0 tar -c | tar -x -C "$root/posenc"
    inside "apt-get -qq update && cd /posenc && ./dev install && apt-get -qq install -y --no-install-recommends make man-db"
    use
    inside "cd /posenc && ./dev uninstall && ! find /usr/local -name '*posenc*' | grep ."
    ;;
esac
echo "fresh_root.sh $way: done in $root"
