#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lays a build down in a prefix, or takes away what was laid down there and nothing else.
#
# prefix.sh install BUILD PREFIX     in place of what an earlier call laid down
# prefix.sh uninstall PREFIX         its files, and those folders that it made and that are empty now
#
# PREFIX is an absolute path. PREFIX/share/posenc/installed names them, a path a line, a / behind each folder; it is written
# before the first file, so that an installation that was interrupted can be taken away too.
set -euo pipefail
export LC_ALL=C  # a folder sorts before what is in it

die() { printf '[%s] %s\n' "$command" "$*" >&2; exit 1; }

files_of() {  # the paths that cmake would lay down
  local stage
  stage=$(mktemp -d)
  DESTDIR=$stage cmake --install "$1" --prefix "${prefix:-/}" >/dev/null || die "cmake must install $1"
  (cd "$stage" && find . ! -type d) | cut -c 2-
  rm -rf "$stage"
}

missing_folders() {  # those that must be made for the files on standard input
  local path
  while IFS= read -r path; do
    while path=${path%/*} && [[ $path && ! -d $path ]]; do printf '%s/\n' "$path"; done
  done
}

recorded() { [[ ! -f $record ]] || grep "$1" "$record" || true; }  # files by [^/]$, folders by /$

take_away() {
  local path
  while IFS= read -r path; do
    # A record that is not ours must not reach out of its prefix.
    [[ ($path == "$prefix"/* || $prefix/ == "$path"*) && $path != */../* ]] ||
      die "$record must name paths in $prefix, got $path"
    if [[ $path == */ ]]; then rmdir "$path" 2>/dev/null || true; else rm -f "$path"; fi
  done
}

install_build() {
  local files folders
  local folder=$prefix
  while [[ $folder && ! -d $folder ]]; do folder=${folder%/*}; done
  [[ -w ${folder:-/} ]] || die "PREFIX must be writable to $(id -un), got $prefix"
  files=$(files_of "$1")$'\n'$record
  folders=$( (recorded '/$' && missing_folders <<<"$files") | sort -u)
  take_away < <(comm -23 <(recorded '[^/]$' | sort) <(sort <<<"$files"))
  mkdir -p "${record%/*}"
  sort <<<"$files"$'\n'"$folders" | sed '/^$/d' >"$record.new"
  mv "$record.new" "$record"
  cmake --install "$1" --prefix "${prefix:-/}" >/dev/null
  if ((EUID == 0)) && grep -q '\.so\.' "$record"; then ldconfig; fi  # the loader's list
}

uninstall() {
  [[ -f $record ]] || die "PREFIX must hold share/posenc/installed, got $prefix"
  local folders
  folders=$(recorded '/$' | sort -r)
  take_away < <(recorded '[^/]$' | grep -vxF "$record")
  rm "$record"
  [[ -z $folders ]] || take_away <<<"$folders"
}

command=${1:-}
case $command:$# in
  install:3) prefix=${3%/} ;;
  uninstall:2) prefix=${2%/} ;;
  *) sed -n 's/^# \(prefix.sh .*\)/\1/p' "$0" >&2; exit 2 ;;
esac
record=$prefix/share/posenc/installed
[[ $prefix/ == /* ]] || die "PREFIX must be an absolute path, got $prefix"
[[ -z ${DESTDIR:-} ]] || die "DESTDIR must not be set, got $DESTDIR; cmake --install follows it"
case $command in
  install) install_build "$2" ;;
  uninstall) uninstall ;;
esac
