/** Every read, cut at a page and by every signal that can be caught: stdout is empty, and the file of --out is not there. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Signal } from '../../src/host.ts'
import { createSandboxWorld, type Options, type Result } from '../svc.ts'
import { amount } from '../amount.ts'

/** Whether each page is cut in each way, or a sample of them. */
const isWhole = amount(1) > 1
const timeout = isWhole ? 3_600_000 : 300_000

let onRequest: () => void = () => undefined
const { svc, sandbox, folder } = await createSandboxWorld({
  onRequest: () => onRequest(),
})
const { tickets, list, contactsWithoutChats } = sandbox.examples

function place(name: string, lines: readonly string[]): string {
  const path = join(folder, name)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

const others = place('others.ids', contactsWithoutChats.slice(0, 20))
const people = place('people.csv', [
  'Name,Email',
  'Anna,contact25@example.com',
  'Nobody,nobody@example.com',
])

const rows = ['table', 'csv', 'xlsx', 'json', 'ndjson', 'ids']
/** Reads with the formats that they have; what they read is more than one page where the service has pages. */
const reads: readonly (readonly [line: string, formats: readonly string[]])[] = [
  ['lists list', rows],
  [`lists members ${list}`, rows],
  [`contacts list --in ${list} --in "Trade fair"`, rows],
  [`contacts get --file ${others} --in "Trade fair"`, rows],
  [`contacts find --name a --in ${list}`, rows],
  [`contacts match --file ${people} --in ${list}`, rows],
  [`contacts duplicates --in ${list}`, rows.slice(0, -1)],
  ['employees list', rows],
  [`tickets history ${tickets.fourChunks}`, [...rows, 'transcript', 'html']],
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

const ways: readonly Cut[] = ['page', 'timeout', 'SIGINT', 'SIGTERM', 'SIGHUP']
let turn = 0
/** All ways, or, in a sample, the next one. */
function chosen(): readonly Cut[] {
  turn += 1
  const from = turn % ways.length
  return isWhole ? ways : ways.slice(from, from + 1)
}

describe.each(reads)('%s', (line, formats) => {
  test.each(formats)('-o %s', { timeout }, async (format) => {
    const limit = /^contacts (?!list)/.test(line) ? '' : '--limit all'
    const read = `${line} ${limit} -o ${format}`
    const pages = isWhole ? await requestsOfRead(read) : 1
    expect(pages).toBeGreaterThan(0)
    for (let n = 1; n <= pages; n += 1) {
      for (const how of chosen()) {
        const { code, stdout, stderr } = await cut(read, n, how)
        // Names of employees only help.
        if (code === 0 && /employees are shown by id/.test(stderr)) continue
        expect([n, how, code, stdout]).toEqual([n, how, codes[how], ''])
        const out = join(folder, `never.${format === 'transcript' ? 'txt' : format}`)
        await cut(`${line} ${limit} -o ${format} --out ${out}`, n, how)
        expect(existsSync(out)).toBe(false)
      }
    }
  })
})

test('a key that is refused midway leaves stdout empty', async () => {
  sandbox.setFaults('lists.get:2+=401')
  const { code, stdout } = await svc(`contacts list --in ${list} -o ndjson`)
  sandbox.setFaults()
  expect([code, stdout]).toEqual([4, ''])
})
