# SPDX-License-Identifier: Apache-2.0
_posenc() {
  local -a found
  found=(${(f)"$("${words[1]/#\~\//$HOME/}" complete "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)"})
  compadd -S '' -- ${(M)found:#*[=:]}
  compadd -- ${${found:#/}:#*[=:]}
  if (( ${found[(I)/]} )); then
    compset -P '*[=:]'
    _files
  fi
}
compdef _posenc posenc
