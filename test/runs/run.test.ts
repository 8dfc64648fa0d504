/** How runs stop, what code they end with, and the arrays of a summary, which stay small. */
import { expect, it } from 'vitest'
import { table } from '../table.ts'
import { createBulkWorld, figuresIn } from './bulk-world.ts'

const world = await createBulkWorld()
const { bulk, svc, busy, absent, file, fresh } = world

/** Ten batches of two contacts, one after the other: faults, the exit code, requests, the reason to stop, and the result. */
const endings = table(`
  a 400 to the first batch means a wrong list                 | contacts.delete:1=400                          | 1 | 1  | refused     | error 2, notAttempted 18
  a 404 to the first batch means a wrong list                 | contacts.delete:1=404                          | 1 | 1  | refused     | error 2, notAttempted 18
  a 400 after a success is about that batch                   | contacts.delete:2=400                          | 3 | 10 |             | deleted 18, error 2
  a 404 after a success is about that batch                   | contacts.delete:2=404                          | 3 | 10 |             | deleted 18, error 2
  a 422 after a success is about that batch                   | contacts.delete:2=422                          | 3 | 10 |             | deleted 18, error 2
  three batches in a row without a success between stop it    | contacts.delete:2-3=422 contacts.delete:5+=422 | 7 | 7  | failures    | deleted 4, error 10, notAttempted 6
  three that are refused with 404 after a success, too        | contacts.delete:2+=404                         | 7 | 4  | failures    | deleted 2, error 6, notAttempted 12
  a Retry-After that is longer than --max-retry-wait stops it | contacts.delete:2+=429,retry-after=90          | 7 | 2  | retry-after | deleted 2, error 2, notAttempted 16
  an answer that does not add up is not sent again            | contacts.delete:2=wrong-sums                   | 3 | 10 |             | deleted 18, unknown 2
`)

it.each(endings)('%s', async (_, faults, code, requests, stopReason, result) => {
  const line = `contacts delete --file ${file('ids', fresh(20))} --yes batches-of=2 --concurrency 1`
  const { ended, sent } = await world.since(() => world.under(faults ?? '', line))
  expect([ended.code, sent]).toEqual([Number(code), Number(requests)])
  const { resume, ...summary } = ended.summary
  expect(summary).toMatchObject({ stopReason: stopReason || null, result: figuresIn(result) })
  expect(resume === null).toBe(stopReason === '')
})

it('not-found and blocked never count as failures', async () => {
  const ids = [...absent(20), ...busy.slice(0, 20)]
  const ended = await bulk(`contacts delete --file ${file('ids', ids)} --yes batches-of=2`)
  const summary = { status: 'partial', stopReason: null, result: { notFound: 20, blocked: 20 } }
  expect(ended).toMatchObject({ code: 3, summary })
})

it('the errors of a summary are a hundred rows at most, and all are counted', async () => {
  const ids = fresh(240)
  const pairs = Array.from({ length: 120 }, (_, n) => `${ids[2 * n]},${ids[2 * n + 1]}`)
  const { code, summary } = await bulk(
    `contacts merge --file ${file('pairs.csv', ['source,target', ...pairs])} --yes`,
    { faults: 'contacts.merge=422' },
  )
  expect([code, summary.errors.length, summary.errorsTotal]).toEqual([3, 100, 120])
})

it('an array of more than 1,000 ids is null, and a note has the command that prints them', async () => {
  const state = world.state()
  const deleted = (ids: readonly string[]) =>
    bulk(`contacts delete --file ${file('ids', ids)} --yes ${state}`)
  const some = await deleted(absent(1000))
  expect(some.summary.notFoundIds).toHaveLength(1000)
  expect(some.stderr).not.toContain('the summary has no ids')
  const ids = absent(1001)
  const { summary, stderr } = await deleted(ids)
  expect(summary).toMatchObject({ result: { notFound: 1001 }, notFoundIds: null, blockedIds: [] })
  const command = `svc runs export ${summary.run} --outcome not-found -o ids`
  const shown = await svc(`runs show ${summary.run} --json ${state}`)
  for (const said of [stderr, shown.stderr]) expect(said).toContain(command)
  expect(JSON.parse(shown.stdout)).toMatchObject({ notFoundIds: null })
  const { stdout } = await svc(`${command.slice(4)} ${state}`)
  expect(stdout.trimEnd().split('\n')).toEqual(ids)
})
