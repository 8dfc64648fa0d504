/** svc runs retry: batches of the same run are opened again, and nothing that was tried before is forgotten. */
import { describe, expect, it } from 'vitest'
import { createBulkWorld, receiptsOf, tally, type SummaryDocument } from './bulk-world.ts'
import { figureOfWait } from '../figures/figure.ts'
import type { Options } from '../svc.ts'

const world = await createBulkWorld()
const { svc, bulk, since, begun, file, free, sandbox, fresh, output, minutesOn } = world

const deletion = (ids: readonly string[]): string =>
  `contacts delete --file ${file('ids', ids)} --yes batches-of=2 --retries 0`

const merging = (...pairs: readonly string[]): string =>
  `contacts merge --file ${file('p.csv', pairs)} --yes`

describe('what it opens', () => {
  it('whole batches: what of them was done is sent again, too', async () => {
    const list = sandbox.examples.emptyList
    const ids = [...free.slice(-3), ...world.absent(1)]
    const { run, state, summary } = await begun(
      '',
      `lists add-contacts ${list} --file ${file('a', ids)} batches-of=2`,
    )
    expect(summary.result).toMatchObject({ added: 3, failed: 1 })
    const { ended, sent } = await since(() =>
      bulk(`runs retry ${run} --outcome undetermined ${state}`),
    )
    expect(sent).toBe(1)
    expect(JSON.parse(sandbox.requests.at(-1)?.body ?? '')).toEqual({ contactIds: ids.slice(2) })
    expect(ended.summary.result).toMatchObject({ added: 2, addedOrSkipped: 1, failed: 1 })
  })

  it('and goes on with what a resume would send', async () => {
    const { run, state } = await begun(
      'contacts.delete:1=422 contacts.delete:3=401',
      deletion(fresh(8)),
    )
    const { ended, sent } = await since(() =>
      bulk(`runs retry ${run} --outcome error --yes ${state}`),
    )
    expect([ended.code, sent]).toEqual([0, 3])
    expect(ended.summary.result).toMatchObject({ deleted: 8 })
  })
})

describe('what it refuses', () => {
  it.each([
    ['no outcome', '', '--outcome is required'],
    ['an outcome that there is not', '--outcome nonsense', 'nonsense'],
    ['--isolate of a delete', '--isolate', '--isolate is for runs of lists add-contacts'],
    [
      'an outcome that the service gave',
      '--outcome error,not-found',
      'runs export RUN --outcome not-found -o ids --state-dir',
    ],
    [
      'outcomes of other operations',
      '--outcome error,missing,undetermined',
      'missing, undetermined: no run of contacts delete ends so',
    ],
  ])('%s: exit 2, nothing sent', async (_, options, words) => {
    const { run, state } = await begun(
      'contacts.delete:1=422',
      deletion([...fresh(2), ...world.absent(2)]),
    )
    const { ended, sent } = await since(() => svc(`runs retry ${run} ${options} --yes ${state}`))
    expect({ code: ended.code, stdout: ended.stdout, sent }).toEqual({
      code: 2,
      stdout: '',
      sent: 0,
    })
    expect(ended.stderr).toContain(words.replace('RUN', run))
  })
})

describe('what it remembers', () => {
  it('an add: its skipped are added or skipped', async () => {
    const list = (
      JSON.parse((await svc('lists create --name Retried --json')).stdout) as { id: string }
    ).id
    const ids = [...free.slice(-9), ...world.absent(1)]
    const { run, state, summary } = await begun(
      '',
      `lists add-contacts ${list} --file ${file('a', ids)}`,
    )
    expect(summary.result).toMatchObject({ added: 9, skipped: 0, failed: 1 })
    const receipts = output()
    const retried = await bulk(`runs retry ${run} --isolate --receipts ${receipts} ${state}`)
    expect(retried.summary).toMatchObject({
      run,
      result: { added: 0, skipped: 0, addedOrSkipped: 9, failed: 1 },
      missingIds: ids.slice(9),
    })
    expect(tally(receiptsOf(receipts))).toEqual({ ok: 9, missing: 1 })
    // What was isolated then is known when the run is read again.
    const shown = JSON.parse(
      (await svc(`runs show ${run} --json ${state}`)).stdout,
    ) as SummaryDocument
    expect({ ...shown, durationMs: 0 }).toEqual({ ...retried.summary, durationMs: 0 })
  })
})

describe('merges', () => {
  it('are sent after a yes, and not while the lost attempt can take effect', async () => {
    const [a = '', b = ''] = fresh(2)
    const { run, state } = await begun('contacts.merge:1=drop-before', merging(`${a},${b}`))
    expect((await svc(`runs retry ${run} --outcome unknown ${state}`)).code).toBe(9)
    const early = await since(() => bulk(`runs retry ${run} --outcome unknown --yes ${state}`))
    figureOfWait(early.sent)
    expect([early.ended.code, early.ended.summary.result['unknown']]).toEqual([7, 1])
    expect(early.ended.stderr).toMatch(
      /unknown after 1 attempt: not sent again: its lost attempt can still take effect until/,
    )
    // Nothing was accepted before it in its session: the clock that signed it may be a day off.
    const retry = (later: Options) =>
      bulk(`runs retry ${run} --outcome unknown --yes ${state}`, later)
    expect((await minutesOn(20 * 60, '', retry)).code).toBe(7)
    const done = await minutesOn(24 * 60 + 1, '', retry)
    expect(done).toMatchObject({
      code: 0,
      summary: { run, operation: 'contacts.merge', result: { done: 1 } },
    })
  })
})
