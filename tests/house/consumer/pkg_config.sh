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

consume() {  # consume SOURCE MODULE: compiled once, linked both ways
  compile="$compiler -std=c++20 $here/$1.cc"
  [ "$1" != c ] || compile="cc -std=c99 $here/c.c"
  # shellcheck disable=SC2046,SC2086
  $compile -c -o "$folder/$1.o" $(pkg-config --cflags "$2")
  for static in "" --static; do
    # shellcheck disable=SC2046,SC2086
    $compiler -o "$folder/$1" "$folder/$1.o" $(pkg-config $static --libs "$2")
    "$folder/$1"
  done
}

consume main posenc
for component; do consume "$component" "posenc-$component"; done
