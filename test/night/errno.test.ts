/**
 * Every folder and file that can be named, in every state in which it cannot be used, for every verb that touches it: exit
 * code 10 (or 2, or 4), words, and never a defect. As a user without rights, since to root no mode means anything; the rows
 * run in one process, and one that never ends fails the test.
 */
import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getSystemErrorMap } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { failedFile, fileError, fileProblem } from '../../src/errno.ts'
import { buildBulk } from '../bulk/child.ts'
import { createWorld, nobody } from '../svc.ts'

interface Row {
  readonly words: readonly string[]
  /** Null: not set. */
  readonly env?: Readonly<Record<string, string | null>>
}

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const program = buildBulk('main.ts', 'host.ts')
afterAll(() => {
  program.remove()
  // The rows' own, which they cannot remove without their rights.
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith('svc-errno-rows-')))
    rmSync(join(tmpdir(), name), { recursive: true, force: true })
})

/** Runs ROWS, in which `{here}` is the folder that `prepare` filled, and prints how each ended. */
const script = `
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getSystemErrorMap } from 'node:util'
import { Readable, Writable } from 'node:stream'
import { main, nodeHost } from './bulk.mjs'

process.umask(0o022)
const here = fs.mkdtempSync(join(tmpdir(), 'svc-errno-rows-'))
const at = (name) => join(here, name)
fs.writeFileSync(at('file'), '')
fs.mkdirSync(at('home'), { mode: 0o700 })
fs.mkdirSync(at('folder'), { mode: 0o700 })
fs.mkdirSync(at('readonly'), { mode: 0o500 })
fs.mkdirSync(at('closed/inside'), { recursive: true, mode: 0o700 })
fs.writeFileSync(at('closed/file'), '')
fs.chmodSync(at('closed'), 0o000)
fs.mkdirSync(at('shared'))
fs.chmodSync(at('shared'), 0o777)
fs.symlinkSync(at('loop'), at('loop'))
fs.symlinkSync(at('nothing'), at('dangling'))
fs.mkdirSync(at('folder.csv'))
fs.symlinkSync(at('loop.csv'), at('loop.csv'))
fs.symlinkSync(at('nothing.csv'), at('dangling.csv'))
fs.mkdirSync(at('runs-is-a-file'), { mode: 0o700 })
fs.writeFileSync(at('runs-is-a-file/runs'), '')
fs.mkdirSync(at('runs-is-closed/runs'), { recursive: true, mode: 0o700 })
fs.chmodSync(at('runs-is-closed/runs'), 0o000)
fs.mkdirSync(at('run-is-a-file/runs'), { recursive: true, mode: 0o700 })
fs.writeFileSync(at('run-is-a-file/runs/20260301T101500Z-7f3a'), '')
fs.mkdirSync(at('run-is-closed/runs/20260301T101500Z-7f3a'), { recursive: true, mode: 0o700 })
fs.chmodSync(at('run-is-closed/runs/20260301T101500Z-7f3a'), 0o000)
fs.mkdirSync(at('run-is-of-folders/runs/20260301T101500Z-7f3a/header.json'), { recursive: true, mode: 0o700 })
for (const name of ['journal.ndjson', 'items', 'session.1', 'summary.json']) {
  fs.mkdirSync(at('run-is-of-folders/runs/20260301T101500Z-7f3a/' + name), { mode: 0o700 })
}
fs.writeFileSync(at('unreadable.json'), '{}', { mode: 0o000 })
fs.writeFileSync(at('pairs.csv'), 'source,target\\n' + 'a'.repeat(24) + ',' + 'b'.repeat(24) + '\\n')
fs.writeFileSync(at('tickets.txt'), 'c'.repeat(24) + '\\n')
execFileSync('mkfifo', [at('fifo'), at('fifo.csv')])

const rows = JSON.parse(JSON.stringify(ROWS).replaceAll('{here}', here))
const real = nodeHost(process)
/** Without what is null. */
const clean = (env) => Object.fromEntries(Object.entries(env).filter(([, value]) => value !== null))
const collector = () => {
  const sink = new Writable({ write: (chunk, _encoding, done) => { sink.text += chunk; done() } })
  sink.text = ''
  return sink
}
try {
  for (const { words, env } of rows) {
    const [stdout, stderr] = [collector(), collector()]
    const host = {
      ...real,
      argv: words,
      env: { ...clean({ HOME: at('home'), SVC_BASE_URL: 'http://127.0.0.1:9', SVC_API_KEY: 'pk_0123456789', SVC_API_SECRET: 'sk_0123456789', ...env }) },
      cwd: () => at('home'),
      stdin: Readable.from([]),
      stdout,
      stderr,
      isTerminal: { stdin: false, stdout: false, stderr: false },
      columns: () => undefined,
      terminal: () => undefined,
      onSignal: () => () => undefined,
    }
    const code = await main(host)
    console.log(JSON.stringify({ code, stdout: stdout.text.replaceAll(here, '{here}'), stderr: stderr.text.replaceAll(here, '{here}') }))
  }
} finally {
  for (const name of ['closed', 'readonly', 'runs-is-closed/runs', 'run-is-closed/runs/20260301T101500Z-7f3a']) fs.chmodSync(at(name), 0o700)
  fs.rmSync(here, { recursive: true })
}
`

async function runAll(rows: readonly Row[]): Promise<Ended[]> {
  const child = program.start(
    script.replace('ROWS', () => JSON.stringify(rows)),
    [],
    nobody,
  )
  const timer = setTimeout(() => child.kill('SIGKILL'), 120_000)
  const { stdout, stderr } = await child.finished
  clearTimeout(timer)
  const ended = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Ended)
  // What it was at when it did not end.
  if (ended.length < rows.length)
    throw new Error(`${JSON.stringify(rows[ended.length])}\n${stderr}`)
  return ended
}

const id = 'd'.repeat(24)
const run = '20260301T101500Z-7f3a'
const long = 'x'.repeat(10_000)

type Words = readonly string[]

/** Folders in which no run can be recorded, and whether there is anything to read; nothing: no runs, and no defect. */
const folders: readonly (readonly [
  string,
  string,
  'nothing there' | 'unusable' | 'no runs' | 'read only',
])[] = [
  ['a file', '{here}/file', 'unusable'],
  ['below a file', '{here}/file/x', 'unusable'],
  ['a link to itself', '{here}/loop', 'unusable'],
  ['below a link to itself', '{here}/loop/x', 'unusable'],
  ['a link to nothing', '{here}/dangling', 'nothing there'],
  ['below a link to nothing', '{here}/dangling/x', 'nothing there'],
  ['a long name', `{here}/${'x'.repeat(300)}`, 'unusable'],
  ['a very long path', `/${long}`, 'unusable'],
  ['a very long path below the current folder', long, 'unusable'],
  ['below a folder without rights', '{here}/closed/x', 'unusable'],
  ['a folder in one without rights', '{here}/closed/inside', 'unusable'],
  ['a folder without rights', '{here}/closed', 'unusable'],
  ['a folder that may only be read', '{here}/readonly', 'nothing there'],
  ['below a folder that may only be read', '{here}/readonly/x/y', 'nothing there'],
  ['a folder of somebody else', '/etc', 'read only'],
  ['below a folder of somebody else', '/etc/svc-runs', 'nothing there'],
  ['where no folders are made', '/proc/svc-runs', 'nothing there'],
  ['below where no folders are made', '/proc/svc-runs/x/y', 'nothing there'],
  ['a device', '/dev/null', 'unusable'],
  ['below a device', '/dev/null/x', 'unusable'],
  ['a FIFO', '{here}/fifo', 'unusable'],
  ['a folder that all may write', '{here}/shared', 'unusable'],
  ['below a folder that all may write', '{here}/shared/x', 'unusable'],
  ['a folder whose runs are a file', '{here}/runs-is-a-file', 'no runs'],
  ['a folder whose runs are closed', '{here}/runs-is-closed', 'no runs'],
]

const recording: readonly Words[] = [
  ['contacts', 'delete', id, '--yes'],
  ['contacts', 'delete', id, '--yes', '--once', 'cleanup'],
  ['lists', 'add-contacts', id, id],
  ['contacts', 'merge', '--file', '{here}/pairs.csv', '--yes'],
  ['tickets', 'assign', '--file', '{here}/tickets.txt', '--to', id],
]

const reading: readonly Words[] = [
  ['runs', 'list'],
  ['runs', 'show', run],
  ['runs', 'show', 'cleanup'],
  ['runs', 'show', '--last'],
  ['runs', 'export', run],
  ['runs', 'resume', run, '--yes'],
  ['runs', 'resume', '--last', '--yes'],
  ['runs', 'retry', run, '--outcome', 'error', '--yes'],
  ['runs', 'prune', '--older-than', '1d', '--yes'],
]

const one: readonly Words[] = [
  ['runs', 'show', run],
  ['runs', 'export', run],
  ['runs', 'resume', run, '--yes'],
  ['runs', 'retry', run, '--outcome', 'error', '--yes'],
]

/** Things that are no configuration, no list of ids, no secret. */
const files: readonly (readonly [string, string])[] = [
  ['a folder', '{here}/folder'],
  ['below a file', '{here}/file/x.json'],
  ['a link to itself', '{here}/loop'],
  ['a link to nothing', '{here}/dangling'],
  ['a long name', `{here}/${'x'.repeat(300)}.json`],
  ['a very long path', `/${long}.json`],
  ['a file without rights', '{here}/unreadable.json'],
  ['a file in a folder without rights', '{here}/closed/file'],
  ['a file that is not there', '{here}/missing.json'],
  ['where no files are', '/proc/svc.json'],
  ['a socket or a device', '/dev/tty'],
]

/** Where no receipts can be written. */
const places: readonly (readonly [string, string])[] = [
  ['a folder', '{here}/folder.csv'],
  ['below a file', '{here}/file/x.csv'],
  ['in a folder that is not there', '{here}/missing/x.csv'],
  ['a link to itself', '{here}/loop.csv'],
  ['below a link to itself', '{here}/loop/x.csv'],
  ['a link to nothing', '{here}/dangling.csv'],
  ['a long name', `{here}/${'x'.repeat(300)}.csv`],
  ['a very long path', `/${long}.csv`],
  ['in a folder without rights', '{here}/closed/x.csv'],
  ['in a folder that may only be read', '{here}/readonly/x.csv'],
  ['in a folder of somebody else', '/etc/x.csv'],
  ['where no files are', '/proc/x.csv'],
  ['below a device', '/dev/null/x.csv'],
  ['a FIFO', '{here}/fifo.csv'],
]

const configured: readonly Words[] = [
  ['lists', 'list', '--retries', '0'],
  ['whoami'],
  ['doctor'],
  ['contacts', 'delete', id, '--yes'],
  ['profiles', 'list'],
  ['profiles', 'show'],
  ['profiles', 'use', 'x'],
  ['profiles', 'remove', 'x', '--yes'],
  ['profiles', 'add', 'x', '--url', 'https://e.example', '--key', 'pk_1', '--secret-env', 'X'],
  ['runs', 'list'],
]

const homes: readonly (readonly [string, string | null])[] = [
  ['none', null],
  ['empty', ''],
  ['a relative path', 'home'],
  ['a file', '{here}/file'],
  ['a link to itself', '{here}/loop'],
  ['a folder without rights', '{here}/closed'],
  ['a folder that may only be read', '{here}/readonly'],
  ['a very long path', `/${long}`],
  ['nothing', '/nonexistent'],
]

interface Expected {
  readonly rows: readonly Row[]
  /** Exit codes that are right. */
  readonly codes: readonly number[]
}

const none = { SVC_BASE_URL: null, SVC_API_KEY: null, SVC_API_SECRET: null }

/** Each with a path as an option; the first with the variable, too. */
function named(verbs: readonly Words[], option: string, path: string, env: Row['env']): Row[] {
  const [first = []] = verbs
  const rows: Row[] = verbs.map((words) => ({ words: [option, path, ...words] }))
  return env === undefined ? rows : [...rows, { words: first, env }]
}

/** By the name of its test. */
const cases: Readonly<Record<string, Expected>> = Object.fromEntries<Expected>([
  ...folders.map(([name, path]): [string, Expected] => [
    `runs cannot be recorded: ${name}`,
    {
      rows: named(recording, '--state-dir', path, { SVC_STATE_DIR: path }),
      codes: [2],
    },
  ]),
  ...folders.map(([name, path, what]): [string, Expected] => [
    `runs cannot be read: ${name}`,
    {
      rows: named(reading, '--state-dir', path, { SVC_STATE_DIR: path }),
      // A name is not looked for among the runs.
      codes:
        what === 'unusable'
          ? [2, 10]
          : what === 'read only'
            ? [0, 2]
            : what === 'no runs'
              ? [2, 10]
              : [0, 2],
    },
  ]),
  ...['run-is-a-file', 'run-is-closed', 'run-is-of-folders'].map((name): [string, Expected] => [
    `one run cannot be read: ${name}`,
    {
      rows: one.map((words) => ({ words: ['--state-dir', `{here}/${name}`, ...words] })),
      // Rights that are missing come back with no repetition.
      codes: name === 'run-is-closed' ? [2] : [10],
    },
  ]),
  ...files.map(([name, path]): [string, Expected] => [
    `no configuration: ${name}`,
    {
      // What adding a profile makes is nothing that the other commands may meet.
      rows: configured.flatMap((words, at) => {
        const own = path.replace('missing', `missing-${at}`)
        return named([words], '--config', own, at < 2 ? { SVC_CONFIG: own, ...none } : undefined)
      }),
      // A file that is not there is made by `add`, and missed by whoever needs a profile.
      codes: /not there|where no files|below a file/.test(name) ? [0, 2, 4, 7, 10] : [2, 10],
    },
  ]),
  ...homes.map(([name, HOME]): [string, Expected] => [
    `home: ${name}`,
    {
      rows: [...recording, ['runs', 'list'], ['runs', 'show', run]].map((words) => ({
        words,
        env: { HOME },
      })),
      codes: /read|nothing/.test(name) ? [0, 2, 10] : [2, 10],
    },
  ]),
  ...homes.map(([name, HOME]): [string, Expected] => [
    `home, for the configuration: ${name}`,
    { rows: configured.map((words) => ({ words, env: { HOME } })), codes: [0, 2, 4, 7, 10] },
  ]),
  ...files.map(([name, path]): [string, Expected] => [
    `files of a command: ${name}`,
    {
      rows: [
        ['contacts', 'delete', '--file', path, '--yes'],
        ['ids', 'check', path],
        ['api', '/v1/lists', '--body-file', path],
      ].map((words) => ({ words })),
      codes: [2],
    },
  ]),
  ...files.map(([name, path]): [string, Expected] => [
    `the file of a secret: ${name}`,
    {
      rows: [['whoami'], ['doctor']].map((words) => ({
        words,
        env: { SVC_API_SECRET: null, SVC_API_SECRET_FILE: path },
      })),
      codes: [4],
    },
  ]),
  ...places.map(([name, path]): [string, Expected] => [
    `files that a run writes: ${name}`,
    {
      rows: [
        ['contacts', 'delete', id, '--yes', '--receipts', path],
        ['tickets', 'assign', '--file', '{here}/tickets.txt', '--to', id, '--receipts', path],
      ].map((words) => ({ words })),
      codes: [2],
    },
  ]),
])

const all = Object.values(cases).flatMap(({ rows }) => rows)
const ended = await runAll(all)
let next = 0

describe('what cannot be used', () => {
  test.each(Object.entries(cases))('%s', (_, { rows, codes }) => {
    const wrong = ended
      .slice(next, (next += rows.length))
      .flatMap(({ code, stdout, stderr }, at) => {
        const message = stderr.split('\n').find((line) => line.startsWith('error: ')) ?? stdout
        // No names of the system's errors, and nothing that is only for us.
        const isRight =
          codes.includes(code) && !/\bE[A-Z]{3,}\b|a defect in svc|undefined|NaN/.test(message)
        return isRight
          ? []
          : [
              `${code}: svc ${rows[at]?.words.join(' ').slice(-200) ?? ''}: ${message.slice(0, 300)}`,
            ]
      })
    expect(wrong).toEqual([])
  })
})

describe('an error of the system', () => {
  const all = [...getSystemErrorMap().values()].map(([code, words]) => ({
    code,
    error: Object.assign(new Error(`${code}: ${words}, open '/some/file'`), {
      code,
      syscall: 'open',
      path: '/some/file',
    }),
  }))

  test.each(all)('$code has words, and the exit code of what it is about', ({ error }) => {
    const words = fileProblem(error)
    expect(words).toMatch(/^[a-z][^:]{3,}$/)
    expect(words).not.toMatch(/\bE[A-Z]{2,}/)
    expect(fileError('local', 'the journal', error)).toMatchObject({
      exitCode: 10,
      message: `the journal: ${words}`,
    })
    expect(fileError('usage', 'the input', error)).toMatchObject({ exitCode: 2, category: 'usage' })
    expect(fileError('config', 'the file', error)).toMatchObject({
      exitCode: 2,
      category: 'config',
    })
    expect(failedFile(error)).toBe('/some/file cannot be used')
  })

  test('of a write names no file, and is one of a file all the same', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    })
    expect(failedFile(full)).toBe('a file could not be used')
    const reset = Object.assign(new Error('read ECONNRESET'), {
      code: 'ECONNRESET',
      syscall: 'read',
    })
    expect([reset, new Error('x'), 'x'].map(failedFile)).toEqual([undefined, undefined, undefined])
  })

  test('that nobody expected is no defect', async () => {
    const { svc } = createWorld({
      SVC_BASE_URL: 'http://127.0.0.1:9',
      SVC_API_KEY: 'k',
      SVC_API_SECRET: 'sk_0123456789',
    })
    const { code, stderr } = await svc(`contacts delete ${id}`, {
      terminal: () => {
        throw all.find(({ code }) => code === 'EIO')?.error ?? new Error('no such error')
      },
    })
    expect([code, stderr]).toEqual([
      10,
      expect.stringContaining('/some/file cannot be used: the disk reports an error'),
    ])
  })
})
