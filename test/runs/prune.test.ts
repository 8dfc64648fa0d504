/** Removing runs: what a dry run says, and what is said of a run that stays. */
import { describe, expect, it } from 'vitest'
import type { Disk } from '../svc.ts'
import { createBulkWorld, recordedRuns, runsFolder } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, bulk, free } = world

describe('runs prune', () => {
  /** A disk on which the removal of paths with this ending fails. */
  const failing =
    (ending: string, code: string, reason: string) =>
    (disk: Disk): Disk => ({
      ...disk,
      promises: {
        ...disk.promises,
        rm: (path, options) =>
          String(path).endsWith(ending)
            ? Promise.reject(Object.assign(new Error(`${code}: ${reason}, unlink 'x'`), { code }))
            : disk.promises.rm(path, options),
      },
    })

  it.each(['1=401', '1=reset', '1=wrong-sums'])(
    'asks before it removes a run that ended with %s, and passes over it by age',
    async (fault) => {
      const state = world.state()
      const { summary } = await bulk(
        `contacts delete ${world.fresh(1)[0]} --yes --retries 0 ${state}`,
        { faults: `contacts.delete:${fault}` },
      )
      const old = await svc(`runs prune --older-than 0s ${state}`)
      expect(old).toMatchObject({ code: 0, stdout: '' })
      const asked = await svc(`runs prune ${summary.run} ${state}`)
      expect(asked).toMatchObject({ code: 9, stdout: '' })
      expect(asked.stderr).toContain('1 run is not finished')
      expect(recordedRuns(state)).toEqual([summary.run])
    },
  )

  it('says that a run stays whose file cannot be removed', async () => {
    const state = world.state()
    const { summary } = await bulk(`contacts delete ${free[31]} --yes ${state}`)
    const disk = failing(`${summary.run}.ndjson`, 'EIO', 'i/o error')
    const pruned = await svc(`runs prune --older-than 0s --json ${state}`, { disk })
    expect(pruned).toMatchObject({ code: 0, stdout: '[]\n' })
    expect(pruned.stderr).toContain(
      `run ${summary.run} may not be removed for good: the disk reports an error`,
    )
    expect((await svc(`runs show ${summary.run} ${state}`)).code).toBe(0)
  })

  it('lists a run as removed whose folder cannot be synced after it, and says that it may come back', async () => {
    const state = world.state()
    const { summary } = await bulk(`contacts delete ${free[30]} --yes ${state}`)
    const folder = runsFolder(state)
    const disk = (real: Disk): Disk => ({
      ...real,
      promises: {
        ...real.promises,
        open: (path, ...how) => {
          if (path !== folder || recordedRuns(state).length > 0)
            return real.promises.open(path, ...how)
          return Promise.reject(Object.assign(new Error('read-only'), { code: 'EROFS' }))
        },
      },
    })
    const pruned = await svc(`runs prune --older-than 0s --json ${state}`, { disk })
    expect(JSON.parse(pruned.stdout)).toMatchObject([{ run: summary.run }])
    expect(pruned.stderr).toContain(
      `run ${summary.run} may not be removed for good: the file system is read-only`,
    )
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
