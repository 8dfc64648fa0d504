#compdef svc
# zsh completion for svc; to use it: source <(svc completion zsh), below compinit
_svc() {
  local line value description
  local -a lines values
  lines=("${(@f)$(command svc __complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $lines[1] == :files ]]; then
    compset -P '--*='
    _files
    return
  fi
  for line in $lines; do
    [[ -z $line ]] && continue
    # Every line is value<TAB>description. _describe takes value:description, with a backslash before a backslash or a colon
    # of the value.
    value=${${line%%$'\t'*}//\\/\\\\}
    description=${line#*$'\t'}
    # For a colon without a description, zsh would list an empty one.
    values+=("${value//:/\\:}${description:+:$description}")
  done
  _describe -t values svc values
}
if [[ $funcstack[1] == _svc ]]; then
  _svc "$@"
else
  compdef _svc svc
fi
