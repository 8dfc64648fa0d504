/**
 * How each shell is started so that its own start-up files come first and the sandbox after them. What those
 * files have set, aliased, defined or put in front of the search path is then undone for svc, and where that
 * fails the shell ends.
 */
import { join } from 'node:path'
import type { Host } from '../../host.ts'
import { shellWord } from '../../words.ts'
import { unsetVariables, type ChildProgram, type SandboxPlace } from './verbs/place.ts'

export const shellNames = ['bash', 'zsh', 'fish', 'PowerShell'] as const
export type Shell = (typeof shellNames)[number]

type ShellStart = Pick<ChildProgram, 'words' | 'files' | 'env'>

/** The shell that a program is, by the last part of its path. */
export function shellOf(program: string): Shell | undefined {
  const match = /^(?:.*[/\\])?(?<name>.+?)(?:\.exe)?$/i.exec(program.toLowerCase())
  const name = match?.groups?.['name']
  if (name === 'pwsh') return 'PowerShell'
  return shellNames.find((shell) => shell.toLowerCase() === name)
}

const starts = { bash, zsh, fish, PowerShell: powerShell } as const

/** The arguments, files and variables with which a shell is started in the sandbox at this place. */
export function startOf(shell: Shell, host: Host, place: SandboxPlace): ShellStart {
  return starts[shell](place, host)
}

/** A line for each variable of the sandbox. */
function lineEach(
  variables: SandboxPlace['variables'],
  line: (name: string, value: string) => string,
) {
  const lines = Object.entries(variables).map(([name, value]) => line(name, value))
  return lines.join('\n')
}

const complaint = 'svc: your start-up files override the sandbox, so this shell was closed'
const pinned = ['SVC_SANDBOX', 'SVC_CONFIG', 'SVC_STATE_DIR'] as const

function bash({ folder, bin, baseUrl, variables }: SandboxPlace): ShellStart {
  const file = join(folder, 'bashrc')
  const text = `# Read in place of ~/.bashrc, which comes first.
if [ -f ~/.bashrc ]; then . ~/.bashrc; fi
builtin unalias svc 2>/dev/null || :
builtin unset -f svc 2>/dev/null || :
builtin unset ${unsetVariables.join(' ')}
${lineEach(variables, (name, value) => `builtin export ${name}=${shellWord(value)}`)}
builtin export PATH=${shellWord(bin)}:"$PATH"
builtin readonly ${pinned.join(' ')}
if [ "$SVC_SANDBOX" != ${shellWord(baseUrl)} ] || [ "$(type -t svc)" != file ] ||
  [ "$(type -P svc)" != ${shellWord(join(bin, 'svc'))} ]; then
  echo ${shellWord(complaint)} >&2
  exit 4
fi
_svc_sandbox_prompt() {
  case $PS1 in *'(sandbox)'*) ;; *) PS1="(sandbox) $PS1" ;; esac
}
_svc_sandbox_prompt
# What sets the prompt anew each time comes before it.
case $(builtin declare -p PROMPT_COMMAND 2>/dev/null) in
  'declare -a'*) PROMPT_COMMAND+=(_svc_sandbox_prompt) ;;
  *) PROMPT_COMMAND="\${PROMPT_COMMAND:+$PROMPT_COMMAND
}_svc_sandbox_prompt" ;;
esac
`
  return { words: ['--rcfile', file, '-i'], files: { bashrc: text } }
}

function zsh({ folder, bin, baseUrl, variables }: SandboxPlace, host: Host): ShellStart {
  const ourFolder = join(folder, 'zsh')
  const theirs = host.env['ZDOTDIR'] ?? ''
  const restoreFolder =
    theirs === '' ? 'builtin unset ZDOTDIR' : `ZDOTDIR=${shellWord(theirs)}`
  const zshenv = `# Read first, then .zshrc beside it. Each lets the person's own come first, in the folder where those are.
${restoreFolder}
[[ -f \${ZDOTDIR:-$HOME}/.zshenv ]] && . \${ZDOTDIR:-$HOME}/.zshenv
_svc_zdotdir=\${ZDOTDIR-}
ZDOTDIR=${shellWord(ourFolder)}
`
  const zshrc = `if [[ -n $_svc_zdotdir ]]; then ZDOTDIR=$_svc_zdotdir; else builtin unset ZDOTDIR; fi
builtin unset _svc_zdotdir
[[ \${HISTFILE-} == ${shellWord(ourFolder)}/* ]] && HISTFILE=\${ZDOTDIR:-$HOME}/.zsh_history
[[ -f \${ZDOTDIR:-$HOME}/.zshrc ]] && . \${ZDOTDIR:-$HOME}/.zshrc
() {
  builtin emulate -L zsh
  builtin unalias svc 2>/dev/null
  builtin unfunction svc 2>/dev/null
  builtin typeset -g +r ${pinned.join(' ')} 2>/dev/null
  builtin unset ${unsetVariables.join(' ')}
${lineEach(variables, (name, value) => `  builtin typeset -gx ${name}=${shellWord(value)}`)}
  builtin typeset -gx PATH=${shellWord(bin)}:$PATH
  builtin typeset -gr ${pinned.join(' ')}
  builtin rehash
  _svc_sandbox_prompt() { [[ $PROMPT == *'(sandbox)'* ]] || PROMPT="(sandbox) $PROMPT" }
  builtin typeset -ga precmd_functions
  precmd_functions+=(_svc_sandbox_prompt)
}
if [[ $SVC_SANDBOX != ${shellWord(baseUrl)} || "$(builtin whence -w svc)" != 'svc: command' ||
  "$(builtin whence -p svc)" != ${shellWord(join(bin, 'svc'))} ]]; then
  builtin print -u2 -- ${shellWord(complaint)}
  exit 4
fi
`
  const files = { 'zsh/.zshenv': zshenv, 'zsh/.zshrc': zshrc }
  return { words: ['-i'], files, env: { ZDOTDIR: ourFolder } }
}

function fish({ folder, bin, baseUrl, variables }: SandboxPlace): ShellStart {
  const inFish = (word: string) => {
    const escaped = word.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
    return `'${escaped}'`
  }
  const text = `# Read after the person's own config.fish.
functions --erase svc
abbr --erase svc 2>/dev/null
# Global and not exported, so that a universal variable of that name is hidden and not lost.
${unsetVariables.map((name) => `set --global --unexport ${name}`).join('\n')}
${lineEach(variables, (name, value) => `set --global --export ${name} ${inFish(value)}`)}
set --global --export PATH ${inFish(bin)} $PATH
set --local kind (type --type svc)
set --local place (command --search svc)
if test "$SVC_SANDBOX" != ${inFish(baseUrl)}; or test "$kind" != file; or test "$place" != ${inFish(join(bin, 'svc'))}
    echo ${inFish(complaint)} >&2
    exit 4
end
functions --copy fish_prompt _svc_sandbox_own_prompt
function _svc_sandbox_status
    return $argv[1]
end
function fish_prompt
    set --local last $status
    echo -n '(sandbox) '
    _svc_sandbox_status $last
    _svc_sandbox_own_prompt
end
`
  const file = join(folder, 'sandbox.fish')
  return { words: ['-i', '-C', `source ${inFish(file)}`], files: { 'sandbox.fish': text } }
}

function powerShell({ bin, variables }: SandboxPlace): ShellStart {
  const inPowerShell = (text: string) => `'${text.replaceAll("'", "''")}'`
  const unset = unsetVariables.map((name) => `Env:${name}`).join(',')
  const assignments = Object.entries(variables).map(([name, value]) => {
    return `$env:${name} = ${inPowerShell(value)}`
  })
  const command = [
    `Remove-Item ${unset},Alias:svc,Function:svc -ErrorAction Ignore`,
    ...assignments,
    `$env:PATH = ${inPowerShell(bin)} + [IO.Path]::PathSeparator + $env:PATH`,
    '$global:svcSandboxPrompt = $function:prompt',
    "function global:prompt { '(sandbox) ' + (& $global:svcSandboxPrompt) }",
  ].join('; ')
  return { words: ['-NoLogo', '-NoExit', '-Command', command] }
}
