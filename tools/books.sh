#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes FOLDER/books.txt: texts of Debian packages in English, Chinese, German and Russian, to measure with.
set -eu

folder=${1:?usage: tools/books.sh FOLDER}
packages="bible-kjv-text doc-debian fortunes fortunes-zh fortunes-de fortunes-ru miscfiles"
mkdir -p "$folder/packages" "$folder/files"
folder=$(cd "$folder" && pwd)
cd "$folder/packages"
# shellcheck disable=SC2086
apt-get download $packages
for package in *.deb; do
  dpkg-deb -x "$package" "$folder/files"
done
# What is UTF-8 without NUL is text. Compressed documents are unpacked.
find "$folder/files" -type f -print | LC_ALL=C sort | while read -r file; do
  case $file in
    *.gz) gzip -cd "$file" ;;
    *) cat "$file" ;;
  esac > "$folder/one"
  if iconv -f UTF-8 -t UTF-8 "$folder/one" > /dev/null 2>&1 && [ "$(tr -d '\000' < "$folder/one" | wc -c)" = "$(wc -c < "$folder/one")" ]; then
    cat "$folder/one"
    echo
  fi
done > "$folder/books.txt"
rm "$folder/one"
wc -c "$folder/books.txt"
