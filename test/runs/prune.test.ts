/** Removing runs: what a dry run says, and what is said of a run that stays. */
import { describe, expect, it } from 'vitest'
import type { Disk } from '../svc.ts'
import { createBulkWorld, recordedRuns, runsFolder } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, bulk } = world

/** A run that deletes one contact, and its state folder. */
async function deleted(faults = '') {
  const state = world.state()
  const line = `contacts delete ${world.fresh(1)[0]} --yes --wait 0s ${state}`
  const { summary } = await bulk(line, { faults })
  return { run: summary.run ?? '', state }
}

describe('runs prune', () => {
  it.each(['1=401', '1=reset', '1=wrong-sums'])(
    'asks before it removes a run that ended with %s, and passes over it by age',
    async (fault) => {
      const { run, state } = await deleted(`contacts.delete:${fault}`)
      const old = await svc(`runs prune --older-than 0s ${state}`)
      expect(old).toMatchObject({ code: 0, stdout: '' })
      const asked = await svc(`runs prune ${run} ${state}`)
      expect(asked).toMatchObject({ code: 2, stdout: '' })
      expect(asked.stderr).toContain('1 run is not finished')
      expect(recordedRuns(state)).toEqual([run])
    },
  )

  /** What fails with this error: a system call on the disk. */
  const failure = (code: string) => Promise.reject(Object.assign(new Error(code), { code }))

  it('says that a run stays whose file cannot be removed', async () => {
    const { run, state } = await deleted()
    const disk = ({ promises, ...real }: Disk): Disk => {
      const rm: Disk['promises']['rm'] = (path, options) =>
        String(path).endsWith(`${run}.ndjson`) ? failure('EIO') : promises.rm(path, options)
      return { ...real, promises: { ...promises, rm } }
    }
    const pruned = await svc(`runs prune --older-than 0s --json ${state}`, { disk })
    expect(pruned).toMatchObject({ code: 0, stdout: '[]\n' })
    const said = `run ${run} may not be removed for good: the disk reports an error`
    expect(pruned.stderr).toContain(said)
    expect((await svc(`runs show ${run} ${state}`)).code).toBe(0)
  })

  it('lists a run as removed whose folder cannot be synced after it, and says that it may come back', async () => {
    const { run, state } = await deleted()
    const disk = ({ promises, ...real }: Disk): Disk => {
      const open: Disk['promises']['open'] = (path, ...how) =>
        path === runsFolder(state) && recordedRuns(state).length === 0
          ? failure('EROFS')
          : promises.open(path, ...how)
      return { ...real, promises: { ...promises, open } }
    }
    const pruned = await svc(`runs prune --older-than 0s --json ${state}`, { disk })
    expect(JSON.parse(pruned.stdout)).toMatchObject([{ run }])
    const said = `run ${run} may not be removed for good: the file system is read-only`
    expect(pruned.stderr).toContain(said)
  })

  it('removes a run that was undone with its undo, once that is finished, and the name is free', async () => {
    const state = world.state()
    const { assignableTickets, employee } = world.sandbox.examples
    const [ticket = ''] = assignableTickets
    const line = `tickets assign --file ${world.file('t', [ticket])} --to ${employee} --once job ${state}`
    await bulk(line)
    await bulk(`runs undo job ${state}`, { faults: 'tickets.assign:1=401' })
    const all = () => recordedRuns(state).sort()
    await svc(`runs prune --older-than 0s ${state}`)
    expect(all()).toEqual(['job', 'undo-job'])
    await bulk(`runs undo job ${state}`)
    await svc(`runs prune --older-than 0s ${state}`)
    expect(all()).toEqual([])
    expect((await bulk(line)).summary).toMatchObject({ run: 'job', resumed: false })
  })

  it('a command removes nameless runs of one change that are older than 90 days, and no others', async () => {
    const state = world.state()
    const begin = (days: number, count: number, more = '') =>
      world.minutesOn(-days * 24 * 60, '', (options) =>
        bulk(`contacts delete ${world.absent(count).join(' ')} --yes ${more} ${state}`, options),
      )
    const old = await begin(91, 1)
    const kept = [await begin(91, 2), await begin(91, 1, '--once named'), await begin(89, 1)]
    const last = await bulk(`contacts delete ${world.absent(1)[0]} --yes ${state}`)
    const runs = [...kept, last].map(({ summary }) => summary.run ?? '')
    expect(recordedRuns(state).sort()).toEqual(runs.sort())
    expect(runs).not.toContain(old.summary.run)
  })
})
