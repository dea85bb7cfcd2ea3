#compdef posenc
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
if [[ ${funcstack[1]} == _posenc ]]; then # a file of fpath is the body of its function, and this its first call
  _posenc "$@"
else
  compdef _posenc posenc
fi
