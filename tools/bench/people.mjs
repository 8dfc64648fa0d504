/** How long `contacts find`, `list` and `match` take, compared with their HTTP requests alone and with reading alone. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder, inTurn, measured, median, rateOf, report, serve } from './measure.mjs'

/** Finds the last contact of 300 lists of 100 members. The least time of 5 counts, because other work on the machine only adds. */
async function find() {
  const { port, env } = await serve({ latency: 20 })
  const words = ['contacts', 'find', '+1 (555) 101-4999', '-o', 'ids']
  // Three pages of lists, then a page of members for each list.
  const [requestCount, inFlight] = [303, 4]
  const page = `/v1/lists/${'1'.padStart(24, '0')}?page=1&limit=100`
  const { finds, requests } = inTurn(
    {
      finds: () => measured(words, { env }),
      requests: () => (requestCount * 1000) / rateOf(port, inFlight, requestCount, page),
    },
    5,
  )
  if (finds.some(({ lines }) => lines !== 1)) throw new Error('contacts find: not one contact')
  const ms = Math.min(...finds.map((each) => each.ms))
  const ideal = Math.min(...requests)
  const what = `contacts find, 300 lists of 100 members at 20 ms ÷ its requests, ${inFlight} in flight`
  report(what, ms / ideal, '≤ 1.25', `${ms.toFixed(0)} of ${ideal.toFixed(0)} ms`)
}

/** Lists 100,000 contacts, each on two of 1,000 lists, and matches 10,000 people with them, in processor time. */
async function listAndMatch() {
  const { env } = await serve({ lists: 1000, members: 200 })
  const table = join(folder, 'people.csv')
  const row = (_, n) => `+1555${1_000_000 + n * 10},contact${n * 10}@example.com\n`
  writeFileSync(table, `Phone,Email\n${Array.from({ length: 10_000 }, row).join('')}`)
  const taken = inTurn(
    {
      // Finds nobody, so that it only reads.
      reading: () => measured('contacts find nobody@example.org -q'.split(' '), { env }),
      list: () => measured('contacts list --limit all -o ndjson'.split(' '), { env }),
      match: () => measured(['contacts', 'match', table, '-o', 'ndjson'], { env, codes: [0, 3] }),
    },
    3,
  )
  for (const name of ['list', 'match']) {
    const what = `100,000 contacts, contacts ${name}`
    report(`${what} ÷ reading`, median(taken[name], 'cpu') / median(taken.reading, 'cpu'), '≤ 1.25')
    report(`${what}: MB`, median(taken[name], 'memory'), '≤ 250')
  }
}

export async function people() {
  await find()
  await listAndMatch()
}
