/**
 * Every read, cut at every page and by every signal that can be caught: what it printed is nothing, an open document, or ends with its error. Each
 * is given to every reader of svc, as it is and sorted. None may be taken for whole. A sample here, all of it for
 * `npm run figures -- incomplete`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Signal } from '../../src/host.ts'
import { bin } from '../runs/spawned.ts'
import { createSandboxWorld, type Options, type Result } from '../svc.ts'
import { figure, howMany } from './figure.ts'

/** Cuts of each page, and readers and ways of each output, that are tried. */
const tried = howMany('INCOMPLETE', 1)
const isWhole = tried > 1
const timeout = isWhole ? 3_600_000 : 300_000

let onRequest: () => void = () => undefined
const { svc, sandbox, folder, as } = await createSandboxWorld({
  contacts: 400,
  onRequest: () => onRequest(),
})
const { tickets, list, contactsWithoutChats } = sandbox.examples
const members = [...(sandbox.store.memberIds(list) ?? [])]

function place(name: string, lines: readonly string[]): string {
  const path = join(folder, name)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

const some = contactsWithoutChats.slice(0, 20)
const all = place('all.ids', [...members, ...some])
const others = place('others.ids', some)
const people = place('people.csv', [
  'Name,Email',
  'Anna,contact25@example.com',
  'Nobody,nobody@example.com',
])

const cells = ['table', 'csv']
const json = ['json', 'ndjson']
/** Reads with the formats that they have; what they read is more than one page where the service has pages. */
const reads: readonly (readonly [line: string, formats: readonly string[]])[] = [
  ['lists list', [...cells, ...json, 'ids']],
  [`lists members ${list}`, [...cells, ...json, 'ids']],
  [`contacts list --in ${list} --in "Trade fair"`, [...cells, ...json, 'ids']],
  [`contacts get --file ${others} --in "Trade fair"`, [...cells, ...json, 'ids']],
  [`contacts find --name a --in ${list}`, [...cells, ...json, 'ids']],
  [`contacts match --file ${people} --in ${list}`, [...cells, ...json, 'ids']],
  [`contacts duplicates --in ${list}`, [...cells, ...json]],
  ['employees list', [...cells, ...json, 'ids']],
  [`tickets history ${tickets.fourChunks}`, [...cells, ...json, 'ids', 'transcript']],
]
/** Formats that are written by programs, with the file of --out. */
const wholeOnly: readonly (readonly [line: string, format: string])[] = [
  [`lists members ${list}`, 'xlsx'],
  [`tickets history ${tickets.fourChunks}`, 'html'],
]

type Cut = 'page' | 'timeout' | Signal

/** Runs a read of which the n-th request fails; a signal comes when it is under way. */
async function cut(line: string, n: number, how: Cut): Promise<Result> {
  let asked = 0
  let deliver: (signal: Signal) => void = () => undefined
  sandbox.setFaults(how === 'page' ? `*:${n}+=500` : `*:${n}+=hang-before`)
  if (how !== 'page' && how !== 'timeout') {
    onRequest = () => {
      asked += 1
      if (asked === n) setTimeout(() => deliver(how), 5)
    }
  }
  try {
    const options: Options = { signals: (give) => (deliver = give) }
    return await svc(`${line} --wait 0s ${how === 'timeout' ? '--timeout 150ms' : ''}`, options)
  } finally {
    onRequest = () => undefined
    sandbox.setFaults()
  }
}

const codes: Readonly<Record<Cut, number>> = {
  page: 7,
  timeout: 7,
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
}

async function requestsOfRead(line: string): Promise<number> {
  const before = sandbox.requests.length
  await svc(line)
  return sandbox.requests.length - before
}

/** Whether an output cannot be taken for whole, in the way of its format. */
function isNotWhole(format: string, stdout: string): boolean {
  const last = stdout.trimEnd().split('\n').at(-1) ?? ''
  if (format === 'ndjson') return (JSON.parse(last) as { type: string }).type === 'error'
  if (format !== 'json') return stdout === ''
  expect(() => JSON.parse(stdout) as unknown).toThrow('JSON')
  return /^[[{]/.test(stdout)
}

const sorted = (text: string): string =>
  /^(?:\[|\{\n)/.test(text) ? text : text.split('\n').sort().join('\n')
/** Changes of an output on its way to a reader. A document has no lines to sort. */
const ways: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  sorted,
  'with Windows line ends': (text) => text.replaceAll('\n', '\r\n'),
  'as UTF-16': (text) => `\ufeff${text}`,
}

/** Every reader of svc, from standard input and from a file. */
const readers: readonly string[] = [
  'contacts delete --file @ --yes --allow-empty --skip-invalid',
  `lists add-contacts ${list} --file @ --yes --allow-empty`,
  'contacts delete --file @ --column 1 --skip-invalid --allow-empty --dry-run',
  'contacts merge --file @ --yes --allow-empty --skip-invalid',
  'tickets assign --file @ --to "Robin Berg" --yes --allow-empty --skip-invalid',
  'tickets assign --file @ --yes --allow-empty --skip-invalid',
  'contacts get --file @ --skip-invalid -o ids',
  'contacts match --file @ -o ids',
  `contacts delete --file ${others} --except @ --dry-run`,
  `contacts delete --file ${all} --except @ --dry-run --allow-empty`,
]

/** Gives an input to a reader; returns what is wrong with what it did. An empty one is what `--allow-empty` is for. */
async function problemOf(
  reader: string,
  input: Buffer,
  { isFile, isEmpty }: { readonly isFile: boolean; readonly isEmpty: boolean },
): Promise<string | undefined> {
  const path = join(folder, 'given')
  if (isFile) writeFileSync(path, input)
  const before = sandbox.requests.length
  const strict = isEmpty ? reader.replace(' --allow-empty', '') : reader
  const line = strict.replace('@', isFile ? path : '-')
  const { code, stdout, stderr } = await svc(line, isFile ? {} : { stdin: input })
  figure('incomplete inputs', 1)
  if (code !== 2) return `${line} ended with ${code}: ${stdout.slice(0, 200)} ${stderr}`
  // A read that was cut may still arrive.
  const sent = sandbox.requests.slice(before).filter(({ method }) => method !== 'GET')
  if (sent.length > 0) return `${line} sent requests`
  // Whatever JSON says: people are not read from it.
  if (reader.startsWith('contacts match') && stderr.includes(' is JSON: people are read from '))
    return undefined
  const why = isEmpty
    ? /has no ids|is empty/
    : /this input is incomplete: the command that wrote it failed/
  if (!why.test(stderr)) return `${line} says: ${stderr}`
  // The next command has an empty input too.
  return stdout === '' ? undefined : `${line} wrote ${stdout}`
}

let turn = 0
/** All of them, or, in a sample, the next ones of them. */
function chosen<T>(items: readonly T[]): readonly T[] {
  turn += 1
  const from = (turn * 7) % items.length
  return items.length <= tried ? items : [...items, ...items].slice(from, from + tried)
}

async function expectRefused(text: string): Promise<void> {
  for (const reader of chosen(readers)) {
    for (const [name, way] of chosen(Object.entries(ways))) {
      const changed = way(text)
      const input = Buffer.from(changed, name === 'as UTF-16' ? 'utf16le' : 'utf8')
      const problem = await problemOf(reader, input, {
        isFile: turn % 2 === 0,
        isEmpty: text === '',
      })
      if (problem !== undefined) figure('incomplete inputs taken for whole', 1)
      expect(problem, `${name}: ${changed.slice(0, 400)}`).toBeUndefined()
    }
  }
}

describe.each(reads)('%s', (line, formats) => {
  test.each(formats)('-o %s', { timeout }, async (format) => {
    const limit = /^(?:contacts (?!list)|api)/.test(line) ? '' : '--limit all'
    const read = `${line} ${limit} -o ${format} --error-format text`
    const pages = isWhole ? await requestsOfRead(read) : 1
    expect(pages).toBeGreaterThan(0)
    const seen = new Set<string>()
    for (let n = 1; n <= pages; n += 1) {
      for (const how of chosen<Cut>(['page', 'timeout', 'SIGINT', 'SIGTERM', 'SIGHUP'])) {
        const { code, stdout, stderr } = await cut(read, n, how)
        figure('reads cut', 1)
        // Names of employees only help.
        if (code === 0 && /employees are shown by id/.test(stderr)) continue
        expect([n, how, code, stderr.includes('defect')]).toEqual([n, how, codes[how], false])
        expect(isNotWhole(format, stdout), `${how} ${n}: ${stdout}`).toBe(true)
        const shape = stdout.replaceAll(/\d\d:\d\d:[\d.]+Z|sandbox-\d+/g, '')
        if (seen.has(shape)) continue
        seen.add(shape)
        await expectRefused(stdout)
      }
    }
  })
})

test.each(wholeOnly)(
  '%s -o %s leaves nothing, nor does --out',
  { timeout },
  async (line, format) => {
    for (const how of ['page', 'SIGTERM'] as const) {
      const { code, stdout } = await cut(`${line} -o ${format}`, 2, how)
      expect([code, stdout]).toEqual([codes[how], ''])
    }
    for (const ending of ['csv', 'json', 'ndjson', 'txt']) {
      const out = join(folder, `never.${ending}`)
      const { code, stdout } = await cut(`${line} --out ${out}`, 2, 'page')
      expect([code, stdout]).toEqual([7, ''])
      expect(existsSync(out)).toBe(false)
    }
  },
)

/** A history that is longer than a pipe holds, to a reader that does not read until long after the signal. */
test.each<Signal>(isWhole ? ['SIGINT', 'SIGTERM', 'SIGHUP'] : ['SIGTERM'])(
  'a reader that was slow has the last line after %s',
  { timeout },
  async (signal) => {
    const reader = spawn('sh', ['-c', 'kill -STOP $$; cat'], { stdio: ['pipe', 'pipe', 'inherit'] })
    let text = ''
    reader.stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    const child = spawn(
      process.execPath,
      [bin, 'tickets', 'history', tickets.long, '-o', 'ndjson'],
      {
        env: { PATH: process.env['PATH'], HOME: folder, ...as('read') },
        stdio: ['ignore', reader.stdin, 'ignore'],
      },
    )
    const [ended, closed] = [once(child, 'exit'), once(reader, 'close')]
    reader.stdin.destroy()
    const before = sandbox.requests.length
    let asked = before
    // Once the pipe is full nothing more is asked for.
    do {
      asked = sandbox.requests.length
      await new Promise((resolve) => setTimeout(resolve, 1000))
    } while (asked === before || sandbox.requests.length > asked)
    child.kill(signal)
    setTimeout(() => reader.kill('SIGCONT'), 1000)
    expect(await ended).toEqual([null, signal])
    await closed
    expect(text.length).toBeGreaterThan(64_000)
    expect(isNotWhole('ndjson', text)).toBe(true)
  },
)

test('a key that is refused midway ends ndjson as any failure', async () => {
  sandbox.setFaults('lists.get:2+=401')
  const { code, stdout } = await svc(`contacts list --in ${list} -o ndjson`)
  sandbox.setFaults()
  expect([code, isNotWhole('ndjson', stdout)]).toEqual([4, true])
})
