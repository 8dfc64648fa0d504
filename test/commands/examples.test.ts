/**
 * Every example of every help text, typed into a real shell as it stands. Each has a sandbox, a home and a folder of its
 * own; the files that examples name lie in the folder, and the run that they name is recorded in the state folder.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Command } from '@commander-js/extra-typings'
import { afterAll, describe, expect, test } from 'vitest'
import { describe as described, type Described } from '../../src/cli/help/tree.ts'
import { topics } from '../../src/cli/help/topics.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { rowsOf, workbook } from '../ids/workbooks.ts'
import { startSandbox, type Sandbox } from '../sandbox/watched.ts'
import { createWorld, root } from '../svc.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-examples-'))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const { svc } = createWorld()

function wholeTree(): Promise<Command> {
  const nothing = () => () => Promise.resolve()
  return buildProgram({ columns: () => 80 }, nothing)
}

function pages(page: Described): Described[] {
  return [page, ...page.commands.flatMap(pages)]
}

const tree = await wholeTree()

const ofHelp = pages(described(tree)).flatMap(({ path, examples }) => examples.map((line) => [path, line] as const))
/** Whole lines of the topics; those with a word in <brackets> cannot be typed as they stand. */
const ofTopics = topics.flatMap(({ name, text }) =>
  text
    .split('\n')
    .filter((line) => /^ {2}svc (?!.*<\w+>)/.test(line))
    .map((line) => [`svc help ${name}`, line.trim()] as const),
)
const examples = [...ofHelp, ...ofTopics]

/** The run that examples name began then, and its last four digits come from the random number. */
const recorded = {
  name: '20260301T101500Z-7f3a',
  startedAt: Date.parse('2026-03-01T10:15:00.100Z'),
  random: 0x7f3a / 0x10000,
}

interface Place {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

async function place(sandbox: Sandbox): Promise<Place> {
  const home = mkdtempSync(join(folder, 'home-'))
  const [cwd, bin, config] = ['work', 'bin', '.config/svc'].map((name) => join(home, name)) as [string, string, string]
  for (const path of [cwd, bin, config]) mkdirSync(path, { recursive: true, mode: 0o700 })
  script(join(bin, 'svc'), `exec "${process.execPath}" "${join(root, 'bin/svc.js')}" "$@"`)
  // Not every machine has man.
  if (!existsSync('/usr/bin/man')) script(join(bin, 'man'), 'test -s "$1"')
  const [key] = sandbox.keys
  const profile = { baseUrl: sandbox.baseUrl, apiKey: key?.apiKey, apiSecret: key?.apiSecret }
  const content = { current: 'staging', profiles: { staging: profile, prod: profile } }
  writeFileSync(join(config, 'config.json'), JSON.stringify(content), { mode: 0o600 })
  for (const [name, text] of Object.entries(files(sandbox))) writeFileSync(join(cwd, name), text)
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    SHELL: '/bin/bash',
    EDITOR: 'true',
    MANPAGER: 'cat',
    TZ: 'UTC',
    SVC_BASE_URL: sandbox.baseUrl,
    SVC_API_KEY: key?.apiKey,
    SVC_API_SECRET: key?.apiSecret,
    SVC_STATE_DIR: join(home, 'state'),
  }
  return { cwd, env }
}

function script(path: string, text: string): void {
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o755)
}

function files({
  keys,
  examples: { contactsWithoutChats, assignableTickets },
}: Sandbox): Record<string, string | Buffer> {
  const ids = contactsWithoutChats.slice(0, 12)
  const lines = (values: readonly string[]): string => values.map((value) => `${value}\n`).join('')
  return {
    'ids.txt': lines(ids),
    'keep.txt': lines(ids.slice(0, 2)),
    'export.csv': lines(['contact_id,name', ...ids.slice(3, 9).map((id, n) => `${id},"Name, ${n}"`)]),
    'customers.xlsx': workbook({
      sheets: [
        { name: 'All', rows: rowsOf(['id'], ...ids.map((id) => [id])) },
        { name: 'To delete', rows: rowsOf(['id'], ...ids.slice(3, 6).map((id) => [id])) },
      ],
    }),
    'pairs.csv': lines(['source,target', `${ids[0]},${ids[1]}`, `${ids[2]},${ids[3]}`]),
    'tickets.txt': lines(assignableTickets.slice(0, 3)),
    'changes.csv': lines(['ticket,employee', ...assignableTickets.slice(0, 3).map((id) => `${id},Robin Berg`)]),
    'people.csv': lines(['Name,Phone,Email', 'João Souza,+55 11 91234-5678,', 'Noor,,noor.haddad@example.org']),
    'decided.csv': lines(['source,target,DECISION', `${ids[0]},${ids[1]},merge`, `${ids[2]},${ids[3]},`]),
    'body.json': '{"name":"Spring"}',
    'secret.txt': `${keys[0]?.apiSecret ?? ''}\n`,
    'nightly.sh': 'svc lists get VIP --json\n',
  }
}

/** Records the run, which one lost answer stopped: one id is unknown, the others were not attempted. To undo: one of assigns. */
async function recordRun({ cwd, env }: Place, clock: { now?: number }, isAssign: boolean): Promise<void> {
  // A run is named by the second it begins in, and only its first request fails: the clock stands still for it.
  clock.now = recorded.startedAt
  const add = `lists add-contacts VIP --file ${join(cwd, 'ids.txt')} --batch-size 1 --concurrency 1 --max-failures 1 --retries 0`
  const words = isAssign ? `tickets assign --file ${join(cwd, 'changes.csv')}` : add
  const { code, stderr } = await svc(words, { env, now: clock.now, random: () => recorded.random })
  delete clock.now
  expect([code > 0, stderr.includes(recorded.name)]).toEqual([!isAssign, !isAssign])
}

async function run(line: string, { cwd, env }: Place): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    const running = promisify(execFile)('/bin/sh', ['-c', line], { cwd, env, maxBuffer: 64 << 20 })
    // A shell ends when there is nothing more to type.
    running.child.stdin?.end()
    const { stdout, stderr } = await running
    return { code: 0, stdout, stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, stdout, stderr }
  }
}

/** What does not end by itself: it is ended once it has said that it listens. */
async function runUntilListening(line: string, { cwd, env }: Place): Promise<void> {
  const child: ChildProcess = spawn('/bin/sh', ['-c', `exec ${line}`], { cwd, env })
  const ended = new Promise<number | string>((resolve) => {
    child.once('exit', (code, signal) => {
      resolve(signal ?? code ?? -1)
    })
  })
  let said = ''
  await new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        said += chunk.toString()
        if (/listens on|"baseUrl"/.test(said)) resolve()
      })
    }
    void ended.then(() => {
      resolve()
    })
  })
  child.kill('SIGTERM')
  const how = await ended
  // The usual port may be taken on a machine where somebody works.
  if (/in use/.test(said) && !line.includes('--port')) return
  expect([how, said]).toEqual(['SIGTERM', expect.stringMatching(/listens on|"baseUrl"/)])
}

// The limit is for what hangs: each example starts several processes, five at a time.
describe.concurrent('every example runs as it stands', { timeout: 120_000 }, () => {
  test.each(examples)('%s: %s', async (_path, line) => {
    const clock: { now?: number } = {}
    const faults = line.includes('svc runs') ? { faults: 'lists.add-contacts:1=500' } : {}
    const sandbox = await startSandbox({ now: () => clock.now ?? Date.now(), ...faults })
    try {
      const here = await place(sandbox)
      if (line.includes('svc runs')) await recordRun(here, clock, line.includes('runs undo'))
      if (line.includes('sandbox start')) return await runUntilListening(line, here)
      const snapshot = join(here.cwd, 'people.ndjson')
      if (line.includes('--from ')) await svc(['contacts', 'list', '--snapshot', snapshot], { env: here.env })
      const { code, stdout, stderr } = await run(line, here)
      // Lists that differ end with 3, as two files do with diff.
      const expected = line.includes('lists diff') ? 3 : 0
      expect({ code, stderr: code === expected ? '' : stderr + stdout }).toEqual({ code: expected, stderr: '' })
      expect(stderr).not.toMatch(/^error/m)
    } finally {
      await sandbox.close()
    }
  })
})

test('every verb has two examples or three, and each noun has one at least', async () => {
  const all = pages(described(tree))
  const wrong = all.filter(
    ({ commands, examples: lines }) => lines.length < (commands.length > 0 ? 1 : 2) || lines.length > 3,
  )
  expect(wrong.map(({ path }) => path)).toEqual([])
})
