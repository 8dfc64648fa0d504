/**
 * `svc completion`. Each script passes the words so far to `svc __complete -- words...` (program/completion.ts), which
 * answers lines `value<TAB>description`, or the line `:files` where a file is meant. Nothing that was typed or answered is
 * ever evaluated by the shell.
 */
import { defineVerb } from '../cli/verb.ts'
import { text } from '../output/result.ts'

/** A shell's `${` is written `@{` here, because JavaScript would expand it in a template. */
function script(text: string) {
  return text.replaceAll('@{', '${').trimStart()
}

/**
 * `w`: the words, each whole again; its last index is `n`. `cur`: the last word, without a quote that opens it. `typed`: the
 * same without backslashes. `before`: its beginning, up to the last : or =. `quote`: set inside an open quote.
 */
const bash = script(String.raw`
# bash completion for svc (bash 3.2 and later); to use it: source <(svc completion bash)
_svc() {
  local IFS=$'\n' line=@{COMP_LINE:0:COMP_POINT} part cur typed before value quote files i n
  local -a w
  w=() COMPREPLY=() before='' quote='' files=''
  # Join again what readline cut at : and = (--profile=prod comes as three words), if it was typed without spaces.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    part=@{COMP_WORDS[i]} n=@{#w[@]}
    if ((n)) && [[ $part == [:=]* || @{w[n-1]} == *[:=] ]] && [[ $line == *"@{w[n-1]}$part"* ]]; then
      w[n-1]+=$part
    else
      w[n]=$part
    fi
  done
  n=$((@{#w[@]} - 1)) cur=@{w[n]}
  # An open quote stays on the line, and so does what stands before the last : or =: for --profile=pr, cur and typed are
  # --profile=pr, before is --profile=, and the reply is prod.
  case $cur in
    [\"\']*) quote=1 cur=@{cur#?} ;;
    *[:=]*) before=@{cur%"@{cur##*[:=]}"} ;;
  esac
  typed=@{cur//\\/} before=@{before//\\/}
  w[n]=$typed
  while IFS=$'\t' read -r value _; do
    if [[ $value == :files ]]; then
      files=1
    elif [[ -n $value && $value == "$typed"* ]]; then
      if [[ -n $quote ]]; then
        # Inside an open quote, values cannot be quoted: only harmless ones are offered.
        [[ $value == *[!A-Za-z0-9\ _./,:=@%+-]* ]] && continue
      else
        printf -v value %q "@{value#"$before"}"
      fi
      COMPREPLY+=("$value")
    fi
  done < <(command svc __complete -- "@{w[@]}" 2>/dev/null)
  # Where a file is meant, readline completes it (-o default); elsewhere that is switched off (bash 3.2 cannot).
  [[ -n $files ]] || compopt +o default 2>/dev/null
}
complete -o default -F _svc svc
`)

/** Without a description, the line still has its tab, on which `what` depends. */
const zsh = script(String.raw`
#compdef svc
# zsh completion for svc; to use it: source <(svc completion zsh), below compinit
_svc() {
  local line value what
  local -a lines values
  lines=("@{(@f)$(command svc __complete -- "@{(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $lines[1] == :files ]]; then
    compset -P '--*='
    _files
    return
  fi
  for line in $lines; do
    [[ -z $line ]] && continue
    # In name:description a backslash or a colon of the name needs a backslash.
    value=@{@{line%%$'\t'*}//\\/\\\\}
    # With a colon and nothing behind it, zsh would list an empty description.
    what=@{line#*$'\t'}
    values+=("@{value//:/\\:}@{what:+:$what}")
  done
  _describe -t values svc values
}
if [[ $funcstack[1] == _svc ]]; then
  _svc "$@"
else
  compdef _svc svc
fi
`)

const fish = script(String.raw`
# fish completion for svc; to have it: svc completion fish > ~/.config/fish/completions/svc.fish
function __svc_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (command svc __complete -- $words[2..] $current 2>/dev/null)
    if test "$lines[1]" != :files
        # fish would insert a name that begins with a tilde unquoted, as a home folder.
        string match -v -- '~*' $lines
    else if string match -qr -- '^--[a-z-]+=' $current
        set -l option (string replace -r -- '=.*' = $current)
        string replace -r -- '^' $option (__fish_complete_path (string replace -r -- '^[^=]*=' '' $current))
    else
        __fish_complete_path $current
    end
end
complete -c svc -e
complete -c svc -f -a '(__svc_complete)'
`)

const scripts = { bash, zsh, fish } as const

const shells = Object.keys(scripts) as (keyof typeof scripts)[]

export const verb = defineVerb({
  description:
    'Print a script that completes commands, options, their values, names of profiles and runs, and files in a shell.\n' +
    'The script asks svc, which reads the configuration file and the state folder and sends no request.',
  notes: `To use it in every new shell:
  bash   echo 'source <(svc completion bash)' >> ~/.bashrc
         (macOS's bash 3.2: svc completion bash > ~/.svc-completion.bash, and
         source that file)
  zsh    echo 'source <(svc completion zsh)' >> ~/.zshrc, below compinit
  fish   svc completion fish > ~/.config/fish/completions/svc.fish`,
  examples: [
    'svc completion bash > svc.bash',
    'svc completion zsh > _svc',
    'svc completion fish > svc.fish',
  ],
  arguments: [
    {
      name: 'shell',
      summary: shells.join(', '),
      isRequired: true,
      choices: shells,
    },
  ],
  effect: 'reads',
  printsOwnText: true,
  run: (_tools, [shell]) => text(scripts[shell]),
})
