/** What a run tells of its ids and of itself, and lines that are none. */
import { describe, expect, it } from 'vitest'
import { decodeLine, encodeLine, type Head, type Line } from '../../src/runs/lines.ts'
import { requireBegun } from '../../src/runs/log.ts'
import { receiptColumns, receiptsOf } from '../../src/runs/receipts.ts'
import { summaryOf, targetOf, unrecordedSummary, type RunEnding } from '../../src/runs/summary.ts'
import { table } from '../table.ts'
import { ada, head, idOf, linesOf, logWith, robin, session, stamped, type Step } from './lines.ts'

const answers: Record<string, Step> = {
  deleted: { deletedCount: 1, notFoundIds: [], blockedIds: [] },
  two: { deletedCount: 2, notFoundIds: [], blockedIds: [] },
  absent: { deletedCount: 0, notFoundIds: [idOf(1)], blockedIds: [] },
  merged: { mergedContactId: idOf(1), contact: { id: idOf(2) } },
  ...{ byAda: { read: ada.id }, byRobin: { read: robin.id }, unread: { read: 404 } },
  assigned: { ticketId: idOf(1), previousAssigneeId: ada.id, newAssigneeId: robin.id },
}
/** A run of one item after these steps. */
function logAfter(operation: Head['operation'], words: string, more: Partial<Head> = {}) {
  const steps = words.split(' ').filter((word) => word !== '')
  const played = steps.map((word) => answers[word] ?? (/^\d/.test(word) ? Number(word) : word))
  const others = operation === 'contacts.merge' ? [idOf(2)] : undefined
  const target = operation === 'tickets.assign' ? { target: robin } : {}
  const lines = head(operation, 1, { ...target, ...more }, others)
  return requireBegun(logWith(...lines, ...linesOf(played as Step[], [0, 1])))
}

const receipts = table(`
  contacts.delete |                    | 1 1 not-attempted - 0 - -
  contacts.delete | try                | 1 1 unknown 3 1 - no answer was recorded
  contacts.delete | try never          | 1 1 not-attempted 4 1 - refused
  contacts.delete | try lost           | 1 1 unknown 4 1 - reset
  contacts.delete | try lost try never | 1 1 unknown 6 2 - refused
  contacts.delete | try 400            | 1 1 error 4 1 - no
  contacts.delete | try deleted        | 1 1 done 4 1 - -
  contacts.delete | try two            | 1 1 unknown 4 1 - the answer does not add up: deletedCount 2 + notFoundIds 0 + blockedIds 0 is 2, but 1 were sent
  contacts.merge  | try merged         | 1 1 done 4 1 - - 2
  tickets.assign  | byAda try assigned | 1 1 done 5 1 - - a1 a2
  tickets.assign  | byRobin            | 1 1 done 3 0 - - a2 a2
  tickets.assign  | byAda try lost     | 1 1 unknown 5 1 - reset a1 -
  tickets.assign  | unread             | 1 1 not-attempted 3 0 - - - -
  tickets.assign  | byAda try lost unread | 1 1 unknown 5 1 - the ticket could not be read: refused a1 -`)
it.each(receipts)('%s: %s: %s', (operation, words = '', told) => {
  const log = logAfter(operation as Head['operation'], words)
  const [receipt] = receiptsOf(log)
  const columns = receiptColumns(log.head.operation)
  const values = Object.values(columns).map((key) => (receipt as object)[key as never] ?? '-')
  expect(Object.keys(receipt ?? {})).toEqual(Object.values(columns))
  const text = values.join(' ').replaceAll(/\b0{18,}/g, '')
  expect(text.replace(/1970\S+01\.00(\d)Z/, '$1')).toBe(told)
  expect([...receiptsOf(log, ['blocked'])]).toEqual([])
})

const endings: Record<string, RunEnding> = {
  ctrlC: { signal: 'SIGINT' },
  killed: { stop: 'signal', exitCode: 143 },
  failures: { stop: 'failures' },
  'not-allowed': { stop: 'not-allowed' },
  unwritten: { isUnwritten: true },
  hopeless: { isHopeless: true },
}
/** Status, stop reason, exit code, what is due, whether a retry may help, how long it took, and the errors. */
const summaries = table(`
                 |             | stopped - 7 1 true 2 []
                 | ctrlC       | interrupted - 130 1 true 2 []
                 | failures    | stopped failures 7 1 true 2 []
                 | not-allowed | stopped not-allowed 4 1 false 2 []
  try lost       | killed      | interrupted - 143 1 true 4 [["unknown",null,"reset",1]]
  try deleted    |             | complete - 0 0 false 4 []
  try deleted    | unwritten   | partial - 1 0 false 4 []
  try deleted    | hopeless    | partial - 1 0 false 4 []
  try absent     |             | partial - 3 0 false 4 []
  try 400        |             | partial - 1 0 false 4 [["error",400,"no",1]]
  try lost try 400 |           | partial - 3 0 false 6 [["unknown",400,"no",1]]`)
it.each(summaries)('%s, %s: %s', (words = '', ending = '', told) => {
  const summary = summaryOf(logAfter('contacts.delete', words), endings[ending])
  const { status, stopReason, exitCode, due, retry, durationMs, errors, resume } = summary
  const rows = errors.map((row) => [row.outcome, row.httpStatus, row.message, row.count])
  const facts = [status, stopReason ?? '-', exitCode, due, retry, durationMs, JSON.stringify(rows)]
  expect(facts.join(' ')).toBe(told)
  expect(resume?.resumesThisRun).toBe(due > 0 || undefined)
})

it('accepted outcomes count as done, and at most a hundred ways to fail are told', () => {
  const accepting = logAfter('contacts.delete', 'try absent', { accept: ['not-found'] })
  expect(summaryOf(accepting)).toMatchObject({ status: 'complete', exitCode: 0, added: null })
  const refused = Array.from({ length: 103 }, (_, n) => {
    const [, line] = linesOf(['try', 400], [n, n + 1])
    return [
      { t: 'try', b: [n, n + 1], a: 1 },
      { ...line, m: `no ${Math.max(2, n)}` },
    ] as Line[]
  })
  const others = refused.map((_, n) => idOf(500 + n))
  const log = logWith(...head('contacts.merge', 103, {}, others), ...refused.flat())
  const { errors } = summaryOf(requireBegun(log))
  expect([errors.length, errors[0]?.count, errors[1]?.count]).toEqual([100, 3, 1])
})

it('a job that is not recorded, and what a job is about', () => {
  const [input, items] = [
    { read: 1, unique: 1, duplicates: 0, invalid: 0, leftOut: 0 },
    [] as never,
  ]
  const job = { operation: 'contacts.delete', input, items, options: {} } as const
  const empty = { run: null, once: null, profile: null, status: 'complete', due: 0 }
  const none = { dryRun: false, resumed: false, errors: [], retry: false, target: null }
  expect(unrecordedSummary(job)).toMatchObject({ ...empty, ...none })
  const options = { dryRun: true, once: 'x' } as const
  const dry = unrecordedSummary({ ...job, target: ada, options }, 1, 'prod')
  const told = {
    once: 'x',
    profile: 'prod',
    due: 1,
    target: `Ada Byron (${ada.id})`,
  }
  expect(dry).toMatchObject({ ...told, dryRun: true, status: 'dry-run' })
  expect(targetOf({ target: { id: 'x' }, undoes: { run: 'r', session: 's' } })).toBe('undo of r')
  expect(targetOf({ target: { id: 'x' } })).toBe('x')
})

describe('no line', () => {
  const [begin] = stamped('a', 0, [session()])
  const bytesOf = (line: object) => Buffer.from(encodeLine(line as Line).slice(0, -1))
  it.each(
    table(`
    {"s":"aaaaaaaaa"} | {"s":"xaaaaaaaa"} | {"n":-1} | {"t":"other"} | {"t":"try","b":[2,2],"a":1}
    {"t":"ids","ids":5} | {"t":"ids","ids":[5]} | {"t":"ids","ids":[["${idOf(1)}"]]} | {"t":"ids","ids":[["${idOf(1)}","1"]]}
    {"t":"ids","ids":[["${idOf(1)}",1,"x"]]} | {"t":"ids","ids":[["${idOf(1)}",1,"${idOf(1)}","${idOf(1)}","${idOf(1)}"]]}`),
  )('%s %s %s %s %s', (...changes) => {
    for (const change of changes)
      expect(decodeLine(bytesOf({ ...begin, ...(JSON.parse(change) as object) }))).toBeUndefined()
  })

  it('bytes that are damaged, cut, too many, or no JSON', () => {
    const whole = bytesOf(begin ?? {})
    expect(decodeLine(whole)).toEqual(begin)
    const long = bytesOf({ ...begin, host: 'x'.repeat(1 << 20) })
    const other = Buffer.from(whole.toString().replace('desk', 'disk'))
    for (const bytes of [other, whole.subarray(1), long, Buffer.from(''), bytesOf([1])])
      expect(decodeLine(bytes)).toBeUndefined()
  })
})
