/**
 * The person who begins something, and on which computer. `sessions/from-job.ts` records it in a run and
 * `plans/write-plan.ts` in a plan; whatever names who did something prints it.
 */
import * as v from 'valibot'
import type { Host } from '../../host.ts'

export const Actor = v.object({ user: v.string(), host: v.string() })
export type Actor = v.InferOutput<typeof Actor>

/** As the system names them. A container's user may have no name. */
export function currentActor({ userId, computer }: Pick<Host, 'userId' | 'computer'>): Actor {
  const user = computer.userName ?? `uid ${userId ?? 'unknown'}`
  return { user, host: computer.hostname }
}

/** `ana@desk-7`. */
export const actorWords = ({ user, host }: Actor): string => `${user}@${host}`
