/**
 * Runs a transcript: commands as a person would type them, in one folder, against a sandbox of its own, in this process.
 *
 * A line that begins with `$` is a command of svc, with variables before it and `< file` behind it, or else one for the shell. Lines with `@`
 * say how things are for the next command, or for all of a section right below its title (`##`): `faults SPEC`, `key NAME`, `terminal COLUMNS`, `type ANSWER, …`, `reads`. All other lines are what came of the command: stdout as it is, `!` stderr, `?` questions, `>` requests to the service, `=` the exit code unless it is 0.
 * Reads are shown with `@ reads`, and where the code is 2, which makes none. The clock is on 2026-03-02, and a minute on for each command.
 * `npm test -- --update` writes them.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { createSandboxWorld, typing, wordsOf, type Options, type SandboxWorld } from '../svc.ts'

/** What is said of the next command. */
type Circumstances = Record<string, string>
type TimedWorld = SandboxWorld & { readonly now: number }

/** The transcript of a text as it is today. */
export async function play(text: string): Promise<string> {
  let now = Date.UTC(2026, 2, 2, 12)
  const world = await createSandboxWorld({ now: () => now })
  const before = process.cwd()
  process.chdir(world.folder)
  try {
    return await written(text, world, () => (now += 60_000))
  } finally {
    process.chdir(before)
  }
}

async function written(text: string, world: SandboxWorld, tick: () => number): Promise<string> {
  const lines: string[] = []
  let ofSection: Circumstances = {}
  let next: Circumstances = {}
  for (const line of text.split('\n')) {
    if (line.startsWith('## ')) ofSection = {}
    if (line.startsWith('## ') && lines.length > 0) lines.push('')
    if (/^(?:##|[@$]) /.test(line)) lines.push(line)
    const [mark, name = '', ...words] = line.split(' ')
    if (mark === '@')
      Object.assign(lines.at(-2)?.startsWith('## ') === true ? ofSection : next, { [name]: words.join(' ') })
    if (mark !== '$') continue
    lines.push(...(await outcomeOf(line.slice(2), { ...ofSection, ...next }, { ...world, now: tick() })))
    next = {}
  }
  return `${lines.join('\n').trim()}\n`
}

async function outcomeOf(command: string, given: Circumstances, world: TimedWorld): Promise<string[]> {
  const { sandbox } = world
  const [, variables = '', line, input] =
    /^((?:env -u \w+ |\w+=(?:'[^']*'|\S*) )*)svc ?(.*?)(?: < (\S+))?$/.exec(command) ?? []
  if (line === undefined)
    return linesOf(execFileSync('sh', ['-ec', command], { env: { ...world.env }, encoding: 'utf8' }))
  if (given['faults'] !== undefined) sandbox.setFaults(given['faults'])
  const { terminal, shown } = terminalOf(given)
  const { result, requests } = await world.requestsOf(line, {
    now: world.now,
    fast: true,
    env: { ...keyOf(given, world), ...environmentOf(variables) },
    ...(input === undefined ? {} : { stdin: readFileSync(input) }),
    ...terminal,
  })
  sandbox.setFaults()
  const sent = requests.filter(({ method }) => method !== 'GET' || 'reads' in given || result.code === 2)
  const clean = (each: string): string => withoutChance(each, world)
  return [
    ...linesOf(clean(shown())).map((each) => `? ${each}`),
    ...linesOf(clean(result.stdout)),
    ...failureOf(result.code, linesOf(clean(result.stderr))),
    // Those in flight together arrive in any order.
    ...sent
      .map(({ method, url, body }) => clean(`> ${method} ${url} ${body.replaceAll('\n', '\\n')}`).trimEnd())
      .toSorted(),
  ]
}

const credentials = ['SVC_BASE_URL', 'SVC_API_KEY', 'SVC_API_SECRET']

function keyOf({ key }: Circumstances, world: SandboxWorld): Record<string, string | undefined> {
  if (key === 'none') return Object.fromEntries(credentials.map((name) => [name, undefined]))
  return key === undefined ? {} : world.as(key)
}

function environmentOf(variables: string): Record<string, string | undefined> {
  const set = wordsOf(variables.replaceAll(/env -u (\w+)/g, '$1')).map((word) => word.split(/=(.*)/s))
  return Object.fromEntries(set.map(([name = '', value]) => [name, value]))
}

function terminalOf({ terminal, type }: Circumstances): { terminal: Options; shown: () => string } {
  if (type === undefined) {
    const isTerminal = { stdout: true, stderr: true }
    return { terminal: terminal === undefined ? {} : { isTerminal, columns: Number(terminal) }, shown: () => '' }
  }
  const typed = typing(...type.split(', '))
  return { terminal: typed, shown: () => questionsOf(typed.shown()) }
}

/** What stands on stderr, with the exit code in front of its first line unless that is 0. */
function failureOf(code: number, lines: readonly string[]): string[] {
  const [first, ...more] = code === 0 ? ['', ...lines] : [`!${code} ${lines[0] ?? ''}`.trimEnd(), ...lines.slice(1)]
  return [...(first === undefined || first === '' ? [] : [first]), ...more.map((line) => `! ${line}`)]
}

/** Each question once, however often it was drawn. */
function questionsOf(drawn: string): string {
  const asked = stripVTControlCharacters(drawn).matchAll(/^\? ([^]*?(?:\(y\/N\)|Type [\d,]+:))/gm)
  return [...new Set([...asked].map(([, words = '']) => words.replaceAll(/\s+/g, ' ')))].join('\n')
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .slice(0, text.endsWith('\n') ? -1 : undefined)
    .filter((_, at, all) => all.length > 1 || all[at] !== '')

/** Without what is another on each machine and at each time. */
function withoutChance(text: string, { folder, sandbox }: SandboxWorld): string {
  return text
    .replaceAll(folder, '$HOME')
    .replaceAll(new URL(sandbox.baseUrl).host, '127.0.0.1:4010')
    .replaceAll(/(\d{8}T\d{6}Z)-\w+/g, '$1-run')
    .replaceAll(/ by( +)[\w.-]+@[\w.-]+/g, ' by$1me@host')
    .replaceAll(/(Signed by .*\n *SHA-256 +)[0-9a-f]{64}/g, '$1<sha256>')
    .replaceAll('\u001b', '\\e')
    .replaceAll(/sandbox-\d+/g, 'sandbox-1')
    .replaceAll(/("durationMs": ?|DURATION +)[\w.]+/g, '$1<time>')
}
