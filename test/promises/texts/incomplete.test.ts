/**
 * Every read, cut at a page, by its deadline and by every signal that can be caught: stdout is
 * empty, and the file of --out is not there.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Signal } from '../../../src/host.ts'
import { createSandboxWorld, type Options } from '../../support/svc.ts'

let onRequest: () => void = () => undefined
const { svc, sandbox, folder } = await createSandboxWorld({ onRequest: () => onRequest() })
const { tickets, list, contactsWithoutChats } = sandbox.examples

function place(name: string, lines: readonly string[]): string {
  const path = join(folder, name)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}
const others = place('others.ids', contactsWithoutChats.slice(0, 20))
const people = place('people.csv', ['Name,Email', 'Anna,contact25@example.com'])

const rows = ['table', 'csv', 'xlsx', 'json', 'ndjson', 'ids']
/** Reads with formats: the first and the last with all that they have. */
const reads: readonly (readonly [line: string, formats: readonly string[]])[] = [
  ['lists list --limit all', rows],
  [`lists members ${list} --limit all`, ['table', 'csv']],
  [`contacts list --limit all --in ${list} --in "Trade fair"`, ['ndjson', 'xlsx']],
  [`contacts get --file ${others} --in "Trade fair"`, ['json', 'ids']],
  [`contacts find a --in ${list}`, ['table', 'json']],
  [`contacts match ${people} --in ${list}`, ['table', 'xlsx']],
  [`contacts duplicates --in ${list}`, ['table', 'csv']],
  ['employees list --limit all', ['table', 'ndjson']],
  [`tickets history ${tickets.active} --limit all`, rows],
]

const codes = { page: 7, timeout: 7, SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
type Cut = keyof typeof codes

/**
 * Runs a read whose requests fail from the n-th on, or hang until a signal or the deadline comes.
 */
async function cut(line: string, n: number, how: Cut) {
  let asked = 0
  let deliver: (signal: Signal) => void = () => undefined
  onRequest = () => {
    asked += 1
    if (asked === n && how !== 'page' && how !== 'timeout') setTimeout(() => deliver(how), 5)
  }
  const faults = `*:${n}+=${how === 'page' ? '500' : 'hang-before'}`
  const options: Options = { faults, signals: (give) => (deliver = give) }
  const more = how === 'timeout' ? '--timeout 150ms' : ''
  const result = await svc(`${line} --wait 0s ${more}`, options)
  onRequest = () => undefined
  return { ...result, asked }
}

const ways = Object.keys(codes) as Cut[]
let turn = 0

describe.each(reads)('%s', (line, formats) => {
  test.each(formats)('-o %s', async (format) => {
    // The first request, and one in the middle where there are several.
    for (const n of [1, 2]) {
      const how = ways[(turn += 1) % ways.length] ?? 'page'
      const { code, stdout, asked } = await cut(`${line} -o ${format}`, n, how)
      // Names of employees only help.
      if (code === 0 && (asked < n || line.startsWith('tickets'))) continue
      expect([n, how, code, stdout]).toEqual([n, how, codes[how], ''])
      const out = join(folder, `never.${format}`)
      await cut(`${line} -o ${format} --out ${out}`, n, how)
      expect(existsSync(out)).toBe(false)
    }
  })
})
