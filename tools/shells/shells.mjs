/**
 * The completion scripts in real shells, on a real terminal: a line is typed with tabs in it and run, and what the command
 * was then given must be exactly the value that was meant. Nothing that is typed, offered or described may be executed.
 * After that, `svc sandbox shell` in the same shells.
 *
 * Needs a build (npm run prepare) and the shells: bash, zsh and fish (Debian: apt-get install zsh fish).
 *
 *   node tools/shells/shells.mjs            those that are there; a missing one fails the run
 *   node tools/shells/shells.mjs bash       only these
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleep } from '../harness/processes.mjs'
import { bin as program, commandLine, isThere, ownFolder, run } from '../harness/tool.mjs'
import { checkSandboxShell, Terminal } from './sandbox-shell.mjs'

const all = ['bash', 'zsh', 'fish']
const { words } = commandLine({}, all)
const shells = words.length > 0 ? words : all

const tab = '\t'
const cancel = '\u0003'
const promptText = 'ready> '

/** Values that a shell would run, split or expand if it were let. */
const evil =
  'two words|it\'s|a"quote|$(touch pwned)|`touch pwned`|back\\slash|$HOME|~|~tilde|ns:colon|ns:two:colons|key=value|star*|semi;colon|and&and|hash#tag|bang!bang|{a,b}|[x]|<in>|über'.split(
    '|',
  )

function start(shell) {
  const home = ownFolder(`shell-${shell}`)
  const [bin, work, config] = ['bin', 'work', '.config/svc'].map((name) => join(home, name))
  for (const path of [bin, work, config]) mkdirSync(path, { recursive: true, mode: 0o700 })
  const profile = {
    baseUrl: 'https://api.example.com',
    apiKey: 'pk_12345678',
    secretEnv: 'NOT_SET',
  }
  const profiles = JSON.stringify({ profiles: { 'prod.eu-1': profile, staging: profile } })
  writeFileSync(join(config, 'config.json'), profiles, { mode: 0o600 })
  // Completion is answered by svc itself, or by the file "canned"; every other command line is only written down.
  writeFileSync(
    join(bin, 'svc'),
    `#!/bin/sh
if [ "$1" = __complete ]; then
  if [ -f "$HOME/canned" ]; then cat "$HOME/canned"; else "${process.execPath}" "${program}" "$@"; fi
  echo x >> "$HOME/asked"
else
  printf '%s\\0' "$@" > "$HOME/given.part"
  mv "$HOME/given.part" "$HOME/given"
fi
`,
    { mode: 0o755 },
  )
  const script = join(home, `svc.${shell}`)
  writeFileSync(script, run(process.execPath, [program, 'completion', shell]))
  // By itself zsh's tab expands a $(...) that was typed, for every command; what is tried here is the completion.
  const [words, setup] = {
    bash: [
      ['--norc', '--noprofile', '-i'],
      `bind 'set bell-style none'; PS1='${promptText}'; source '${script}'`,
    ],
    zsh: [
      ['-f', '-i'],
      `unsetopt beep; bindkey '^I' complete-word; PROMPT='${promptText}'; autoload -Uz compinit; compinit -u -D; source '${script}'`,
    ],
    fish: [
      ['--no-config', '-i'],
      `function fish_prompt; echo -n '${promptText}'; end; source '${script}'`,
    ],
  }[shell]
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home,
    TERM: 'xterm',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
  }
  return { home, work, setup, terminal: new Terminal(shell, words, { cols: 200, cwd: work, env }) }
}

const countOf = (path) => (existsSync(path) ? readFileSync(path, 'utf8').length : 0)

/** Types a line; a tab is waited for until svc was asked and the screen is quiet. Returns the words that svc got. */
async function type({ home, terminal }, line, { isRun = true } = {}) {
  rmSync(join(home, 'given'), { force: true })
  for (const part of line.split(/(\t)/)) {
    if (part === tab) {
      const before = countOf(join(home, 'asked'))
      terminal.pty.write(tab)
      await terminal.until(
        () => countOf(join(home, 'asked')) > before,
        `an answer to the tab of ${JSON.stringify(line)}`,
      )
      await quiet(terminal)
    } else if (part !== '') {
      terminal.pty.write(part)
      await sleep(60)
    }
  }
  if (!isRun) {
    terminal.pty.write(cancel)
    await quiet(terminal)
    return []
  }
  terminal.pty.write('\r')
  await terminal.until(() => existsSync(join(home, 'given')), `the run of ${JSON.stringify(line)}`)
  await quiet(terminal)
  return readFileSync(join(home, 'given'), 'utf8').split('\0').slice(0, -1)
}

async function quiet(terminal) {
  let last = -1
  while (terminal.screen.length !== last) {
    last = terminal.screen.length
    await sleep(150)
  }
}

const fileName = 'my ids $(touch pwned).txt'

/** What is typed, with `⇥` for a tab, and the words that svc is given; `FILE` is the file. */
const real = `
  a noun and a verb               | svc li⇥mem⇥VIP                           | lists members VIP
  an option                       | svc lists list --sear⇥VIP                | lists list --search VIP
  the value of an option          | svc lists list -o nd⇥                    | lists list -o ndjson
  the value of an option behind = | svc lists list --output=nd⇥              | lists list --output=ndjson
  a profile                       | svc profiles use prod⇥                   | profiles use prod.eu-1
  a profile behind -p             | svc -p prod⇥doctor                       | -p prod.eu-1 doctor
  a profile behind =              | svc --profile=prod⇥doctor                | --profile=prod.eu-1 doctor
  a file                          | svc lists add-contacts VIP --file my⇥    | lists add-contacts VIP --file FILE
  a file behind =                 | svc lists add-contacts VIP --file=my⇥    | lists add-contacts VIP --file=FILE`

/** What must not be executed when a tab stands behind it. */
const typed = `
  a typed $(...)        | svc lists get $(touch pwned)⇥
  a typed \`...\`         | svc -p \`touch pwned\`⇥
  a typed $(...) before | svc --config $(touch pwned) profiles use pr⇥
  a typed open quote    | svc profiles use "$(touch pwned)⇥`

/** Behind an open quote zsh and fish know how to go on; bash is offered harmless values only. */
const begun = `
  behind a colon              | svc x ns:co⇥   | ns:colon
  behind =                    | svc x key=va⇥  | key=value
  behind an open double quote | svc x "two wo⇥ | two words
  behind an open single quote | svc x 'two wo⇥ | two words`

const tableOf = (text) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split(' | ').map((cell) => cell.trim().replaceAll('⇥', tab)))

/** Each value is offered, alone and behind its first letter, where that is one. */
const offered = () =>
  evil.flatMap((value) => {
    const [start] = value
    const behind = [`offered behind its first letter: ${value}`, `svc x ${start}${tab}`, value]
    return [
      [`offered: ${value}`, `svc x ${tab}`, value],
      ...(/^[a-zü]/.test(start) ? [behind] : []),
    ]
  })

/** Tells what is wrong with completion in a shell. Returns how much. */
async function check(shell) {
  const session = start(shell)
  const { home, work, terminal, setup } = session
  const problems = []
  let count = 0
  const attempt = async (name, action) => {
    count += 1
    try {
      await action()
    } catch (error) {
      problems.push(`${name}: ${error.message}`)
      terminal.pty.write(cancel)
      await quiet(terminal)
    }
    if (readdirSync(work).includes('pwned') || existsSync(join(home, 'pwned'))) {
      problems.push(`${name}: something was executed`)
      rmSync(join(work, 'pwned'), { force: true })
    }
  }
  const expectWords = (got, wanted) => {
    if (JSON.stringify(got) !== JSON.stringify(wanted))
      throw new Error(`${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`)
  }
  try {
    writeFileSync(join(work, fileName), '')
    await quiet(terminal)
    terminal.pty.write(`${setup}\r`)
    await terminal.shows(promptText)
    await sleep(shell === 'zsh' ? 1500 : 500)
    await quiet(terminal)
    for (const [name, line, words] of tableOf(real)) {
      const wanted = words.split(' ').map((word) => word.replace('FILE', () => fileName))
      await attempt(name, async () => expectWords(await type(session, line), wanted))
    }
    for (const [name, line] of tableOf(typed))
      await attempt(name, () => type(session, line, { isRun: false }))
    for (const [name, line, value] of [...offered(), ...tableOf(begun)]) {
      await attempt(name, async () => {
        writeFileSync(
          join(home, 'canned'),
          `${value}\t$(touch pwned) \`touch pwned\` [x] it's: "described"\n`,
        )
        // fish would put in such a name unquoted, as a home folder: it is not offered there.
        const isLeftOut = shell === 'fish' && value.startsWith('~')
        expectWords(await type(session, line), isLeftOut ? ['x'] : ['x', value])
      })
    }
    writeFileSync(
      join(home, 'canned'),
      evil.map((value) => `${value}\tdescribed: ${value}\n`).join(''),
    )
    await attempt('many at once', () => type(session, `svc x ${tab}`, { isRun: false }))
    writeFileSync(join(home, 'canned'), 'one\t\ntwo\t\n')
    await attempt('many without a description', async () => {
      const before = terminal.screen.length
      await type(session, `svc x ${tab}`, { isRun: false })
      if (terminal.screen.slice(before).includes('--'))
        throw new Error('an empty description is listed')
    })
  } finally {
    terminal.pty.kill('SIGKILL')
    await terminal.exit()
  }
  const version = run(shell, ['--version']).split('\n')[0]
  console.log(`${version}: ${count - problems.length} of ${count} as they should be`)
  for (const problem of problems) console.log(`${shell}: ${problem}`)
  return problems.length
}

let wrong = 0
for (const shell of shells) {
  if (isThere(shell)) wrong += (await check(shell)) + (await checkSandboxShell(shell))
  else {
    console.log(`${shell} is not installed`)
    wrong += 1
  }
}
process.exitCode = wrong === 0 ? 0 : 1
