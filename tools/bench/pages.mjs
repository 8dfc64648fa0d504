/** Reads of many pages, against requests of the same bytes one after the other from a bare client. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder, inTurn, measured, median, rateOf, report, serve } from './measure.mjs'

const linesOf = ({ stdout }) => stdout.split('\n').length - 1

/** Milliseconds of a request, with so many in flight, when nothing is done with the answers. */
const perRequest = (port, connections, requests, path) =>
  1000 / rateOf('client.mjs', port, connections, requests, path)

/** Three reads that must print so many lines each: the medians of their milliseconds and megabytes. */
function ofThree(env, words, lines) {
  const { taken } = inTurn({ taken: () => measured(words, { env }) }, 3)
  const wrong = taken.map(linesOf).find((count) => count !== lines)
  if (wrong !== undefined) throw new Error(`${words.join(' ')}: ${wrong} of ${lines} lines`)
  return { ms: median(taken, 'ms'), memory: median(taken, 'memory') }
}

export async function pages() {
  const { port, env } = await serve(20, 20, 100_000)
  const sequential = 1000 * perRequest(port, 1, 100, '/v1/lists?page=2&limit=100')
  const { ms, memory } = ofThree(env, ['lists', 'list', '-o', 'ids'], 100_000)
  const detail = `${(ms / 1000).toFixed(1)} of ${(sequential / 1000).toFixed(1)} s`
  report('lists list, 1,000 pages at 20 ms ÷ one after the other', ms / sequential, '≤ 1.1', detail)
  report('memory of 1,000 pages: MB', memory, '≤ 100')
}

/**
 * The last of 30,000 members of 300 lists, by phone: 3 pages of lists, then a page of members for each list. The best of five
 * in turn: what else the machine does only ever adds.
 */
export async function find() {
  const { port, env } = await serve(20)
  const { finds, requests } = inTurn(
    {
      finds: () =>
        measured(['contacts', 'find', '--phone', '+1 (555) 103-0099', '-o', 'ids'], { env }),
      requests: () =>
        303 * perRequest(port, 4, 303, `/v1/lists/${'1'.padStart(24, '0')}?page=1&limit=100`),
    },
    5,
  )
  if (finds.some((found) => linesOf(found) !== 1))
    throw new Error(`contacts find: ${finds.map(linesOf)} lines`)
  const [ms, ideal] = [Math.min(...finds.map(({ ms }) => ms)), Math.min(...requests)]
  const what = 'contacts find, 300 lists of 100 members at 20 ms ÷ its requests, 4 in flight'
  report(what, ms / ideal, '≤ 1.25', `${ms.toFixed(0)} of ${ideal.toFixed(0)} ms`)
}

/** A table of so many people, evenly among a million contacts. */
function peopleTable(count) {
  const path = join(folder, `people-${count}.csv`)
  const step = contacts / count
  const row = (n) => `+1555${1_000_000 + n},contact${n}@example.com\n`
  const rows = Array.from({ length: count }, (_, n) => row(Math.floor(n * step)))
  writeFileSync(path, `Phone,Email\n${rows.join('')}`)
  return path
}

const contacts = 1_000_000

/** The processor time of a command, and of a read that finds nobody. */
function reportPeople(name, { taken, nothing }, { goal, memory }) {
  const what = `1,000,000 contacts, ${name}`
  const seconds = ({ cpu }) => (cpu / 1000).toFixed(0)
  const detail = `${seconds(taken)} of ${seconds(nothing)} s`
  report(`${what}: MB`, taken.memory, memory)
  report(`${what} ÷ reading alone`, taken.cpu / nothing.cpu, goal, detail)
}

/**
 * 1,000,000 contacts, each on two of 1,000 lists: what is kept of them, beside reading the pages and throwing them away. In
 * processor time, which one round tells on a busy machine too.
 */
export async function people() {
  const { env } = await serve(0, 20, 1000, [2000])
  const nobody = ['contacts', 'find', '--email', 'nobody@example.org', '-q']
  const match = (rows) => [...['contacts', 'match', '--file', peopleTable(rows), '-o', 'ids']]
  const list = ['contacts', 'list', '--out', join(folder, 'contacts.ndjson')]
  const nothing = measured(nobody, { env })
  const limits = { goal: '≤ 1.25', memory: '≤ 1000' }
  for (const [name, words] of [
    ['contacts list', list],
    ['contacts match of 100,000 rows', match(100_000)],
  ])
    reportPeople(name, { taken: measured(words, { env }), nothing }, limits)
}
