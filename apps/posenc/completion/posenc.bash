# SPDX-License-Identifier: Apache-2.0
_posenc() {
  local line=${COMP_LINE:0:COMP_POINT} words=() word cut
  for word in "${COMP_WORDS[@]:0:COMP_CWORD + 1}"; do # bash ends words at = and : too, posenc at blanks
    if ((${#words[@]} == 0)) || [[ $line == [[:blank:]]* ]]; then
      words+=("") line=${line#"${line%%[![:blank:]]*}"}
    fi
    cut=${words[-1]} words[-1]+=${line:0:${#word}} line=${line:${#word}}
  done
  [[ $word == [=:] ]] && cut+=$word
  COMPREPLY=()
  while read -r word; do
    if [[ $word == / ]]; then compopt -o default; else COMPREPLY+=("${word#"$cut"}"); fi
    if [[ $word == *[=:] ]]; then compopt -o nospace; fi
  done < <("${1/#\~\//$HOME/}" complete "${words[@]:1}" 2>/dev/null)
}
complete -F _posenc posenc
