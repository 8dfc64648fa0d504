/** svc runs resume --outcome: batches of the same run are opened again, and nothing that was tried before is forgotten. */
import { describe, expect, it } from 'vitest'
import { typing } from '../svc.ts'
import { createBulkWorld } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, bulk, since, begun, file, free, sandbox, fresh, unsent } = world

const deletion = (ids: readonly string[]): string =>
  `contacts delete --file ${file('ids', ids)} --yes batches-of=2 --wait 0s`

it('an add by whole batches: what of them was done is sent again, and counts as added or skipped', async () => {
  const list = sandbox.examples.emptyList
  const ids = [...free.slice(-3), ...world.absent(1)]
  const line = `lists add-contacts ${list} --file ${file('a', ids)} --wait 0s`
  const { run, state, summary } = await begun('lists.add-contacts:2+=422', line)
  expect(summary.result).toMatchObject({ undetermined: 4 })
  const ended = await bulk(`runs resume ${run} --outcome undetermined ${state}`)
  expect(ended.summary.result).toMatchObject({ addedOrSkipped: 3, missing: 1 })
})

it('an unknown merge is never opened again', async () => {
  const line = `contacts merge ${fresh(2).join(' --into ')} --yes`
  const state = world.state()
  await svc(`${line} ${state}`, { fast: true, faults: 'contacts.merge:1=drop-before' })
  const again = `runs resume --last --outcome unknown --yes ${state}`
  const stderr = await unsent(again, 2)
  expect(stderr).toContain('unknown: only ids that ended as')
  expect(stderr).toMatch(/in a new run with --new-run, [^]*--outcome unknown -o ids/)
})

describe('a no to its question', () => {
  const kept = async (run: string, state: string) => {
    const { ended, sent } = await since(() => bulk(`runs resume ${run} --yes ${state}`))
    const { left, result } = ended.summary
    return { left, result, code: ended.code, sent }
  }

  it('leaves the batches closed that it would have opened', async () => {
    const { run, state } = await begun('contacts.delete:1=422', deletion(fresh(4)))
    const before = await kept(run, state)
    expect(before).toMatchObject({ left: 0, result: { deleted: 2, error: 2 }, code: 3, sent: 0 })
    const terminal = typing('n')
    const line = `runs resume ${run} --outcome error ${state}`
    await unsent(line, 2, terminal)
    expect(terminal.shown().replaceAll(/\s+/g, ' ')).toContain(`Delete 2 contacts of run ${run}`)
    expect(await kept(run, state)).toEqual(before)
    // A yes opens them.
    const again = await since(() => bulk(`${line} --yes`))
    expect([again.ended.code, again.sent]).toEqual([0, 1])
    expect(again.ended.summary.result).toMatchObject({ deleted: 4 })
  })

  it('leaves the run to the key that it had', async () => {
    const { run, state } = await begun('contacts.delete:2=401', deletion(fresh(4)))
    const env = world.as('second-company')
    const line = `runs resume ${run} ${state}`
    expect((await svc(`${line} --new-key`, { ...typing('n'), env })).code).toBe(2)
    expect(await unsent(`${line} --yes`, 2, { env })).toContain('--new-key')
  })
})

it.each([
  ['an outcome that there is not', 'nonsense', 'nonsense'],
  [
    'an outcome that the service gave',
    'error,not-found',
    'runs export RUN --outcome not-found -o ids',
  ],
  [
    'outcomes of other operations',
    'error,missing,undetermined',
    'missing, undetermined: only ids that ended as not-attempted, unknown or error are sent again',
  ],
])('a resume with %s: exit 2, nothing sent', async (_, outcome, words) => {
  const ids = [...fresh(2), ...world.absent(2)]
  const { run, state } = await begun('contacts.delete:1=422', deletion(ids))
  const line = `runs resume ${run} --outcome ${outcome} --yes ${state}`
  expect(await unsent(line, 2)).toContain(words.replace('RUN', run))
})
