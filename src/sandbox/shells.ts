/**
 * How each shell is started: with its own start-up files first, and then the sandbox. Whatever those files set, alias,
 * define or put first in the search path is undone for svc. If that fails, bash, zsh and fish end. PowerShell does not
 * check it.
 */
import { join } from 'node:path'
import type { Host } from '../host.ts'
import { shellWord } from '../words.ts'
import type { ChildProgram, SandboxPlace } from './verbs/place.ts'

export const shellNames = ['bash', 'zsh', 'fish', 'PowerShell'] as const
export type Shell = (typeof shellNames)[number]

type ShellStart = Pick<ChildProgram, 'args' | 'files' | 'env'>

/** The shell that a program is, by the last part of its path. */
export function shellOf(program: string): Shell | undefined {
  const match = /^(?:.*[/\\])?(?<name>.+?)(?:\.exe)?$/i.exec(program.toLowerCase())
  const name = match?.groups?.['name']
  if (name === 'pwsh') return 'PowerShell'
  return shellNames.find((shell) => shell.toLowerCase() === name)
}

const starts = { bash, zsh, fish, PowerShell: powerShell } as const

/** The arguments, files and variables with which a shell is started in a sandbox. */
export function startOf(shell: Shell, place: SandboxPlace, host: Host): ShellStart {
  return starts[shell](place, host)
}

/** Variables that would lead svc elsewhere. Start-up files could have set them again. */
const unsetVariables = ['SVC_PROFILE', 'SVC_API_SECRET_FILE'] as const

/** Writes a line for each variable. */
function linesFor(
  variables: SandboxPlace['variables'],
  line: (name: string, value: string) => string,
) {
  const lines = Object.entries(variables).map(([name, value]) => line(name, value))
  return lines.join('\n')
}

const complaint = 'svc: your start-up files override the sandbox, so this shell was closed'

function bash({ folder, bin, baseUrl, pinned, variables }: SandboxPlace): ShellStart {
  const file = join(folder, 'bashrc')
  const text = `# Read in place of ~/.bashrc, which comes first.
if [ -f ~/.bashrc ]; then . ~/.bashrc; fi
builtin unalias svc 2>/dev/null || :
builtin unset -f svc 2>/dev/null || :
builtin unset ${unsetVariables.join(' ')}
${linesFor(variables, (name, value) => `builtin export ${name}=${shellWord(value)}`)}
builtin export PATH=${shellWord(bin)}:"$PATH"
builtin readonly ${Object.keys(pinned).join(' ')}
if [ "$SVC_SANDBOX" != ${shellWord(baseUrl)} ] || [ "$(type -t svc)" != file ] ||
  [ "$(type -P svc)" != ${shellWord(join(bin, 'svc'))} ]; then
  echo ${shellWord(complaint)} >&2
  exit 4
fi
_svc_sandbox_prompt() {
  case $PS1 in *'(sandbox)'*) ;; *) PS1="(sandbox) $PS1" ;; esac
}
_svc_sandbox_prompt
# After everything that sets the prompt each time.
case $(builtin declare -p PROMPT_COMMAND 2>/dev/null) in
  'declare -a'*) PROMPT_COMMAND+=(_svc_sandbox_prompt) ;;
  *) PROMPT_COMMAND="\${PROMPT_COMMAND:+$PROMPT_COMMAND
}_svc_sandbox_prompt" ;;
esac
`
  return { args: ['--rcfile', file, '-i'], files: { bashrc: text } }
}

function zsh(place: SandboxPlace, host: Host): ShellStart {
  const { folder, bin, baseUrl, variables } = place
  const pinned = Object.keys(place.pinned).join(' ')
  const ourFolder = join(folder, 'zsh')
  const theirs = host.env['ZDOTDIR'] ?? ''
  const restoreFolder =
    theirs === '' ? 'builtin unset ZDOTDIR' : `ZDOTDIR=${shellWord(theirs)}`
  const zshenv = `# Read first, then the .zshrc in this folder. Each reads the person's own file first, with the ZDOTDIR of that file.
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
  builtin typeset -g +r ${pinned} 2>/dev/null
  builtin unset ${unsetVariables.join(' ')}
${linesFor(variables, (name, value) => `  builtin typeset -gx ${name}=${shellWord(value)}`)}
  builtin typeset -gx PATH=${shellWord(bin)}:$PATH
  builtin typeset -gr ${pinned}
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
  return { args: ['-i'], files, env: { ZDOTDIR: ourFolder } }
}

function fish({ folder, bin, baseUrl, variables }: SandboxPlace): ShellStart {
  const inFish = (word: string) => {
    const escaped = word.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
    return `'${escaped}'`
  }
  const text = `# Read after the person's own config.fish.
functions --erase svc
abbr --erase svc 2>/dev/null
# A global variable that is not exported hides a universal one, which stays.
${unsetVariables.map((name) => `set --global --unexport ${name}`).join('\n')}
${linesFor(variables, (name, value) => `set --global --export ${name} ${inFish(value)}`)}
set --global --export PATH ${inFish(bin)} $PATH
set --local kind (type --type svc)
set --local path (command --search svc)
if test "$SVC_SANDBOX" != ${inFish(baseUrl)}; or test "$kind" != file; or test "$path" != ${inFish(join(bin, 'svc'))}
    echo ${inFish(complaint)} >&2
    exit 4
end
functions --copy fish_prompt _svc_sandbox_own_prompt
function _svc_sandbox_set_status
    return $argv[1]
end
function fish_prompt
    # The person's own prompt may show $status, which echo changes.
    set --local last $status
    echo -n '(sandbox) '
    _svc_sandbox_set_status $last
    _svc_sandbox_own_prompt
end
`
  const file = join(folder, 'sandbox.fish')
  return { args: ['-i', '-C', `source ${inFish(file)}`], files: { 'sandbox.fish': text } }
}

function powerShell({ bin, variables }: SandboxPlace): ShellStart {
  const inPowerShell = (text: string) => `'${text.replaceAll("'", "''")}'`
  const unset = unsetVariables.map((name) => `Env:${name}`).join(',')
  const command = [
    `Remove-Item ${unset},Alias:svc,Function:svc -ErrorAction Ignore`,
    ...Object.entries(variables).map(
      ([name, value]) => `$env:${name} = ${inPowerShell(value)}`,
    ),
    `$env:PATH = ${inPowerShell(bin)} + [IO.Path]::PathSeparator + $env:PATH`,
    '$global:svcSandboxPrompt = $function:prompt',
    "function global:prompt { '(sandbox) ' + (& $global:svcSandboxPrompt) }",
  ].join('; ')
  return { args: ['-NoLogo', '-NoExit', '-Command', command] }
}
