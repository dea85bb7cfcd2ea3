#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds and runs the consumers by pkg-config alone, with --static and without: pkg_config.sh COMPILER LIBDIR FOLDER
# [COMPONENT]..., the module posenc by main.cc and posenc-COMPONENT by COMPONENT.cc; that of C by cc.
set -eu
here=$(dirname "$0") compiler=$1 libdir=$2 folder=$3
shift 3
PKG_CONFIG_PATH=$libdir/pkgconfig
LD_LIBRARY_PATH=$libdir
export PKG_CONFIG_PATH LD_LIBRARY_PATH
mkdir -p "$folder"

consume() {  # consume SOURCE MODULE [--static]
  compile="$compiler -std=c++20 $here/$1.cc"
  [ "$1" != c ] || compile="cc -std=c99 $here/c.c"
  # shellcheck disable=SC2046,SC2086
  $compile -o "$folder/$1" $(pkg-config ${3:-} --cflags --libs "$2")
  "$folder/$1"
}

for static in "" --static; do
  consume main posenc $static
  for component; do consume "$component" "posenc-$component" $static; done
done
