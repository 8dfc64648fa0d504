/** Contacts are read through their lists: against the requests of that, and against reading alone. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder, inTurn, measured, median, rateOf, report, serve } from './measure.mjs'

/**
 * The last contact of 300 lists of 100 members, by phone: 3 pages of lists, then a page of members for each list. The best of five
 * in turn: what else the machine does only ever adds.
 */
async function find() {
  const { port, env } = await serve({ latency: 20 })
  const words = ['contacts', 'find', '+1 (555) 101-4999', '-o', 'ids']
  const page = `/v1/lists/${'1'.padStart(24, '0')}?page=1&limit=100`
  const { finds, requests } = inTurn(
    {
      finds: () => measured(words, { env }),
      requests: () => (303 * 1000) / rateOf(port, 4, 303, page),
    },
    5,
  )
  if (finds.some(({ lines }) => lines !== 1)) throw new Error('contacts find: not one contact')
  const [ms, ideal] = [Math.min(...finds.map((each) => each.ms)), Math.min(...requests)]
  const what = 'contacts find, 300 lists of 100 members at 20 ms ÷ its requests, 4 in flight'
  report(what, ms / ideal, '≤ 1.25', `${ms.toFixed(0)} of ${ideal.toFixed(0)} ms`)
}

/** 100,000 contacts, each on two of 1,000 lists, in processor time: beside reading them and finding nobody. */
export async function people() {
  await find()
  const { env } = await serve({ lists: 1000, members: 200 })
  const table = join(folder, 'people.csv')
  const row = (_, n) => `+1555${1_000_000 + n * 10},contact${n * 10}@example.com\n`
  writeFileSync(table, `Phone,Email\n${Array.from({ length: 10_000 }, row).join('')}`)
  const taken = inTurn(
    {
      nothing: () => measured('contacts find nobody@example.org -q'.split(' '), { env }),
      list: () => measured('contacts list --limit all -o ndjson'.split(' '), { env }),
      match: () => measured(['contacts', 'match', table, '-o', 'ndjson'], { env, codes: [0, 3] }),
    },
    3,
  )
  for (const name of ['list', 'match']) {
    const what = `100,000 contacts, contacts ${name}`
    report(`${what} ÷ reading`, median(taken[name], 'cpu') / median(taken.nothing, 'cpu'), '≤ 1.25')
    report(`${what}: MB`, median(taken[name], 'memory'), '≤ 250')
  }
}
