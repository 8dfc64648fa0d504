/** The run that a verb of runs is typed with. */
import { recordedRuns, type RunRecord } from '../runs/engine.ts'
import type { Context } from './context.ts'

export const runArgument = { name: 'run', summary: 'its id, or its --once name' } as const

/** Reads the run that is meant: the typed one, or else the newest of the profile. */
export async function findRun(
  context: Context,
  typed: string | undefined,
): Promise<RunRecord> {
  const runs = recordedRuns(context)
  return typed === undefined ? runs.findNewest(await context.profile()) : runs.find(typed)
}
