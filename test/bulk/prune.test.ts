/** Removing runs: what a dry run says, and what is said of a run that stays. */
import { describe, expect, it } from 'vitest'
import type { Disk } from '../svc.ts'
import { createBulkWorld } from './bulk-world.ts'

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
            ? Promise.reject(Object.assign(new Error(`${code}: ${reason}, rmdir 'x'`), { code }))
            : disk.promises.rm(path, options),
      },
    })

  it('a dry run asks nothing, also about a run with something left', async () => {
    const state = world.state()
    world.sandbox.setFaults('contacts.delete:1=401')
    await svc(`contacts delete ${free[32]} --yes ${state}`)
    world.sandbox.setFaults()
    const dry = await svc(`runs prune --older-than 0s --dry-run --json ${state}`)
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('"left": 1')])
  })

  it.each(['1=401', '1=reset'])(
    'asks before it removes a run that ended with %s',
    async (fault) => {
      const state = world.state()
      world.sandbox.setFaults(`contacts.delete:${fault}`)
      await svc(`contacts delete ${world.fresh(1)[0]} --yes --retries 0 ${state}`)
      world.sandbox.setFaults()
      const asked = await svc(`runs prune --older-than 0s ${state}`)
      expect(asked).toMatchObject({ code: 9, stdout: '' })
      expect(asked.stderr).toContain('1 run has something left to send or to find out')
    },
  )

  it('says that a run stays whose journal cannot be removed', async () => {
    const state = world.state()
    const { summary } = await bulk(`contacts delete ${free[31]} --yes ${state}`)
    const disk = failing(summary.run ?? '', 'EIO', 'i/o error')
    const pruned = await svc(`runs prune --older-than 0s --json ${state}`, { disk })
    expect(pruned).toMatchObject({ code: 0, stdout: '[]\n' })
    expect(pruned.stderr).toContain(`run ${summary.run} was not removed: the disk reports an error`)
    expect((await svc(`runs show ${summary.run} ${state}`)).code).toBe(0)
  })
})
