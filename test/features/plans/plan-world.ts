/** A world in which plans are written and applied. */
import { join } from 'node:path'
import { createBulkWorld } from '../../runs/bulk-world.ts'
import { linesIn } from '../../runs/run-files.ts'
import type { SandboxOptions } from '../../sandbox/watched.ts'
import type { Options, Result } from '../../svc.ts'

export async function createPlanWorld(options: SandboxOptions = {}) {
  const world = await createBulkWorld(options)
  const { folder, sandbox } = world
  const at = (name: string): string => join(folder, name)
  let plans = 0
  return {
    ...world,
    at,
    svc: (line: string | readonly string[], more: Options = {}): Promise<Result> =>
      world.svc(line, { fast: true, ...more }),
    /** The path of a plan to delete three contacts, or of another command's; throws when it cannot be written. */
    async plan(words = '', command?: string): Promise<string> {
      const path = at(`${(plans += 1)}.plan`)
      const line = command ?? `contacts delete --file ${world.file('planned', world.fresh(3))}`
      const { code, stderr } = await world.svc(`${line} --plan ${path} ${words}`, {
        env: world.as('read'),
      })
      if (code !== 0) throw new Error(stderr)
      return path
    },
    /** How it ended, and the bodies of the changes that were sent meanwhile. */
    async sent(line: string, more: Options = {}) {
      const before = sandbox.requests.length
      const result = await world.svc(line, { fast: true, ...more })
      const writes = sandbox.requests.slice(before).filter(({ method }) => method !== 'GET')
      return { ...result, writes: writes.map(({ body }) => body) }
    },
  }
}

/** The `plan` line of a plan file, and the items of its `ids` lines. */
export function contentOf(path: string) {
  const [plan, ...lines] = linesIn(path)
  return { plan, items: lines.flatMap((line) => line['ids'] as readonly (readonly unknown[])[]) }
}
