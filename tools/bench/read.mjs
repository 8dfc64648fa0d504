/** Reads, compared with what their requests alone take. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder, inTurn, least, measured, median, rateOf, report, serve } from './measure.mjs'

const page = `/v1/lists/${'1'.padStart(24, '0')}?page=1&limit=100`

/** Compares a read of `lines` with `ideal`: the milliseconds that its requests take. */
function compare(what, goal, { line, env, lines, ideal }) {
  const taken = inTurn({ read: () => measured(line, env), ideal }, 5)
  if (taken.read.some((each) => each.lines !== lines))
    throw new Error(`${line}: not ${lines} lines`)
  report(what, least(taken.read, 'ms') / least(taken.ideal), goal)
}

async function pages() {
  compare('10,000 members at 100 ms ÷ (requests ÷ 4 × latency)', '≤ 1.25', {
    line: 'lists members 000000000000000000000001 -o ids',
    env: await serve({ latency: 100, lists: 1, members: 10_000 }),
    lines: 10_000,
    // Page 1 is read twice.
    ideal: () => (101 / 4) * 100,
  })
  const env = await serve({ latency: 20, messages: 2000 })
  compare('contacts find, 300 lists of 100 at 20 ms ÷ its requests, 16 in flight', '≤ 2.0', {
    line: 'contacts find 1014999 -o ids',
    env,
    lines: 1,
    // Three pages of lists, then a page of members for each list.
    ideal: () => (303 * 1000) / rateOf(env, 16, 303, page),
  })
  compare('a history of 2,000 messages at 20 ms ÷ one request in flight', '≤ 1.1', {
    line: 'tickets history 000000000000000000000001 -o ndjson',
    env,
    lines: 2000,
    ideal: () => (100 * 1000) / rateOf(env, 1, 100, page),
  })
  const large = await serve({ lists: 10_000 })
  compare('a table of 10,000 rows ÷ 1,000', '≤ 11', {
    line: 'lists list --limit all',
    env: large,
    lines: 10_001,
    ideal: () => measured('lists list --limit 1000', large).ms,
  })
}

/** Lists 100,000 contacts, and matches 10,000 people with them, in processor time. */
async function people() {
  const env = await serve({ lists: 1000, members: 200 })
  const table = join(folder, 'people.csv')
  const row = (_, n) => `Anna Miller,+1555${1_000_000 + n * 10},contact${n * 10}@example.com\n`
  writeFileSync(table, `Name,Phone,Email\n${Array.from({ length: 10_000 }, row).join('')}`)
  const cases = {
    // Finds nobody, so that it only reads.
    reading: () => measured('contacts find nobody@example.org -q', env),
    list: () => measured('contacts list --limit all -o ndjson', env),
    match: () => measured(`contacts match ${table} -o ndjson`, env),
  }
  const { reading, ...others } = inTurn(cases, 3)
  for (const [name, taken] of Object.entries(others)) {
    const what = `100,000 contacts, contacts ${name}`
    const goal = name === 'list' ? '≤ 1.1' : '≤ 1.3'
    report(`${what} ÷ reading`, median(taken, 'cpu') / median(reading, 'cpu'), goal)
    report(`${what}: MB`, median(taken, 'memory'), '≤ 320')
  }
}

export async function read() {
  await pages()
  await people()
}
