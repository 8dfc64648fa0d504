/**
 * The one runner of examples: commands as a person would type them, and their results. The clock is
 * on 2026-03-02, and a minute on for each command. Lines of a transcript, which `--update` writes:
 *
 * - `## TITLE` begins a section.
 * - `$ COMMAND` is a command of svc, with variables and `< file`, or else a script for the shell.
 * - `@ NAME VALUE` is a circumstance of the next command, `@@` one of the section: `faults SPEC` of
 *   the service, `key NAME` of the sandbox or `none`, `terminal COLUMNS`, `type ANSWER, …` on a
 *   terminal, and `reads`: requests that only read are shown, too.
 * - All others are the result: stdout as it is, `?` questions, `!` stderr, whose first `!` has the
 *   exit code unless it is 0, and `>` requests. With code 2 there must not be any, so all are shown.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { typing } from '../streams.ts'
import { noCredentials, type Options, type SandboxWorld } from '../svc.ts'
import { openDesk, type Desk } from './desk.ts'

const circumstances = ['faults', 'key', 'terminal', 'type', 'reads'] as const
type Circumstances = Partial<Record<(typeof circumstances)[number], string>>

/** The transcript of a string as it is today; `program` stands in for the sources of svc. */
export async function play(text: string, program?: Options['program']): Promise<string> {
  for (const section of text.split(/^(?=## )/m))
    if (!/^\$ /m.test(section)) throw new Error(`no command in "${section.trim()}"`)
  const desk = await openDesk([], program)
  const lines: string[] = []
  let ofSection: Circumstances = {}
  let next: Circumstances = {}
  for (const line of text.split('\n')) {
    if (line.startsWith('## ')) ofSection = {}
    if (line.startsWith('## ') && lines.length > 0) lines.push('')
    if (/^(?:##|@@?|\$) /.test(line)) lines.push(line)
    if (line.startsWith('@ ')) Object.assign(next, circumstanceOf(line))
    if (line.startsWith('@@ ')) Object.assign(ofSection, circumstanceOf(line))
    if (!line.startsWith('$ ')) continue
    lines.push(...(await outcomeOf(line.slice(2), { ...ofSection, ...next }, desk)))
    next = {}
  }
  return `${lines.join('\n').trim()}\n`
}

function circumstanceOf(line: string): Circumstances {
  const [, name, ...words] = line.split(' ')
  const known = circumstances.find((each) => each === name)
  if (known === undefined) throw new Error(`${line}: the names are ${circumstances.join(', ')}`)
  return { [known]: words.join(' ') }
}

async function outcomeOf(command: string, given: Circumstances, desk: Desk): Promise<string[]> {
  const { sandbox, folder } = desk.world
  const isScript = /[|>;]|\$\(/.test(command.replaceAll(/"[^"]*"|'[^']*'/g, ''))
  const [, variables, line, input] =
    /^((?:\w+=(?:'[^']*'|\S*) )*)svc ?(.*?)(?: < (\S+))?$/.exec(
      command.replaceAll('127.0.0.1:4010', new URL(sandbox.baseUrl).host),
    ) ?? []
  if (given.faults !== undefined) sandbox.setFaults(given.faults)
  if (line === undefined || isScript) {
    const { code, stdout, stderr } = await desk.sh(`set -e\n${command}`)
    sandbox.setFaults()
    if (code !== 0) throw new Error(`${command}\n${stderr}`)
    return linesOf(desk.clean(stdout))
  }
  const { terminal, shown } = terminalOf(given)
  const { result, requests } = await desk.svc(`${variables}${line}`, {
    ...terminal,
    env: { ...terminal.env, ...keyOf(given, desk.world) },
    ...(input === undefined ? {} : { stdin: readFileSync(join(folder, input)) }),
  })
  sandbox.setFaults()
  const sent = requests.filter(
    ({ method }) => method !== 'GET' || 'reads' in given || result.code === 2,
  )
  const clean = (each: string): string =>
    desk
      .clean(each)
      .replaceAll('\u001b', '\\e')
      .replaceAll(/sandbox-\d+/g, 'sandbox-1')
  return [
    ...linesOf(clean(shown())).map((each) => `? ${each}`),
    ...linesOf(clean(result.stdout)),
    ...failureOf(result.code, linesOf(clean(result.stderr))),
    // Those in flight together arrive in any order.
    ...sent
      .map(({ method, url, body }) =>
        clean(`> ${method} ${url} ${body.replaceAll('\n', '\\n')}`).trimEnd(),
      )
      .toSorted(),
  ]
}

const keyOf = ({ key }: Circumstances, world: SandboxWorld): Options['env'] =>
  key === 'none' ? noCredentials : key === undefined ? {} : world.as(key)

function terminalOf({ terminal, type }: Circumstances): { terminal: Options; shown: () => string } {
  const env = { TERM: 'xterm' }
  if (type !== undefined) {
    const typed = typing(...type.split(', '))
    return { terminal: { ...typed, env }, shown: () => questionsOf(typed.shown()) }
  }
  const isTerminal = { stdout: true, stderr: true }
  return {
    terminal: terminal === undefined ? {} : { isTerminal, columns: Number(terminal), env },
    shown: () => '',
  }
}

/** Lines of stderr; the first one begins with the exit code unless that is 0. */
function failureOf(code: number, lines: readonly string[]): string[] {
  if (code === 0) return lines.map((line) => `! ${line}`)
  const [first = '', ...more] = lines
  return [`!${code} ${first}`.trimEnd(), ...more.map((line) => `! ${line}`)]
}

/** Each question once, however often it was drawn, with the lines above it. */
function questionsOf(drawn: string): string {
  const asked = stripVTControlCharacters(drawn).matchAll(
    /^((?:(?!\? ).+\n)*)\? ([^]*?(?:\(y\/N\)|Type \w+, or n:))/gm,
  )
  const lines = [...asked].flatMap(([, above = '', question = '']) => [
    ...linesOf(above),
    question.replaceAll(/\s+/g, ' '),
  ])
  return [...new Set(lines)].join('\n')
}

function linesOf(text: string): string[] {
  const whole = text.replace(/\n$/, '')
  return whole === '' ? [] : whole.split('\n')
}
