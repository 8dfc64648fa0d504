# bash completion for svc (bash 3.2 and later); to use it: source <(svc completion bash)
_svc() {
  local IFS=$'\n' line=${COMP_LINE:0:COMP_POINT} part cur typed before value quote files i n
  local -a w
  w=() COMPREPLY=() before='' quote='' files=''
  # w has the words, and n is the index of the last one. readline cuts words at : and = (--profile=prod comes as three), so
  # this joins them again, if they were typed without spaces.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    part=${COMP_WORDS[i]} n=${#w[@]}
    if ((n)) && [[ $part == [:=]* || ${w[n-1]} == *[:=] ]] && [[ $line == *"${w[n-1]}$part"* ]]; then
      w[n-1]+=$part
    else
      w[n]=$part
    fi
  done
  n=$((${#w[@]} - 1)) cur=${w[n]}
  # cur is the last word without a quote that opens it, and quote tells of that. before is what cur has up to its last : or =,
  # which readline keeps on the line: for --profile=pr it is --profile=, and the reply is only prod.
  case $cur in
    [\"\']*) quote=1 cur=${cur#?} ;;
    *[:=]*) before=${cur%"${cur##*[:=]}"} ;;
  esac
  # typed is cur without backslashes, as svc sees it.
  typed=${cur//\\/} before=${before//\\/}
  w[n]=$typed
  while IFS=$'\t' read -r value _; do
    if [[ $value == :files ]]; then
      files=1
    elif [[ -n $value && $value == "$typed"* ]]; then
      if [[ -n $quote ]]; then
        # Inside an open quote, values cannot be quoted: only harmless ones are offered.
        [[ $value == *[!A-Za-z0-9\ _./,:=@%+-]* ]] && continue
      else
        printf -v value %q "${value#"$before"}"
      fi
      COMPREPLY+=("$value")
    fi
  done < <(command svc __complete -- "${w[@]}" 2>/dev/null)
  # readline completes files itself (-o default); elsewhere this switches that off (bash 3.2 cannot).
  [[ -n $files ]] || compopt +o default 2>/dev/null
}
complete -o default -F _svc svc
