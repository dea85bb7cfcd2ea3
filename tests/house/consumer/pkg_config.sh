#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds and runs the consumer by pkg-config alone: pkg_config.sh COMPILER LIBDIR FOLDER [--static]
set -eu
compiler=$1 libdir=$2 folder=$3
shift 3
PKG_CONFIG_PATH=$libdir/pkgconfig
LD_LIBRARY_PATH=$libdir
export PKG_CONFIG_PATH LD_LIBRARY_PATH
mkdir -p "$folder"
# shellcheck disable=SC2046
"$compiler" -std=c++20 "$(dirname "$0")/main.cc" -o "$folder/consumer" $(pkg-config "$@" --cflags --libs posenc)
"$folder/consumer"
