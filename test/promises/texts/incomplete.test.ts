/** Every read, cut at a page, by its deadline and by signals: nothing is on stdout or in --out. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Signal } from '../../../src/host.ts'
import { createSandboxWorld } from '../../support/svc.ts'

let onRequest: () => void = () => undefined
const { svc, sandbox, folder } = await createSandboxWorld()
sandbox.server.prependListener('request', () => onRequest())
const { tickets, list, contactsWithoutChats } = sandbox.examples

const others = contactsWithoutChats.slice(0, 20).join(' ')
const people = join(folder, 'people.csv')
writeFileSync(people, 'Name,Email\nAnna,contact25@example.com\n')

const rows = ['table', 'csv', 'xlsx', 'json', 'ndjson', 'ids']
/** Reads with formats: the first and the last with all that they have. */
const reads: readonly (readonly [line: string, formats: readonly string[]])[] = [
  ['lists list --limit all', rows],
  [`lists members ${list} --limit all`, ['table', 'csv']],
  [`contacts list --limit all --in ${list} --in "Trade fair"`, ['ndjson', 'xlsx']],
  [`contacts get ${others} --in "Trade fair"`, ['json', 'ids']],
  [`contacts find a --in ${list}`, ['table', 'json']],
  [`contacts match ${people}`, ['table', 'xlsx']],
  [`contacts duplicates`, ['table', 'csv']],
  ['employees list --limit all', ['table', 'ndjson']],
  [`tickets history ${tickets.active} --limit all`, rows],
]

const ways = [
  ['page', 7],
  ['timeout', 7],
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const
let turn = 0

/** Runs a read whose requests fail from the n-th on, or hang until it is ended. */
async function cut(line: string, n: number, how: (typeof ways)[number][0]) {
  let asked = 0
  let listens: (deliver: (signal: Signal) => void) => void = () => undefined
  // A late request of the command before can come first, when this one does not listen yet.
  const listening = new Promise<(signal: Signal) => void>((resolve) => (listens = resolve))
  onRequest = () => {
    asked += 1
    if (asked === n && how !== 'page' && how !== 'timeout')
      setTimeout(() => void listening.then((deliver) => deliver(how)), 5)
  }
  const faults = `*:${n}+=${how === 'page' ? '500' : 'hang-before'}`
  const timeout = how === 'timeout' ? '--timeout 150ms' : ''
  return { ...(await svc(`${line} --wait 0s ${timeout}`, { faults, signals: listens })), asked }
}

const lines = reads.flatMap(([line, formats]) => formats.map((format) => `${line} -o ${format}`))

test.each(lines)('%s', async (line) => {
  // The first request, and one in the middle where there are several.
  for (const n of [1, 2]) {
    const [how, expected] = ways[(turn += 1) % ways.length] ?? ways[0]
    const { code, stdout, asked } = await cut(line, n, how)
    // Names of employees only help.
    if (code === 0 && (asked < n || line.startsWith('tickets'))) continue
    expect([n, how, code, stdout]).toEqual([n, how, expected, ''])
    const out = join(folder, `never.${line.replace(/.* /, '')}`)
    await cut(`${line} --out ${out}`, n, how)
    expect(existsSync(out)).toBe(false)
  }
})
