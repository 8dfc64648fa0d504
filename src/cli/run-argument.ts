/** The run that a verb is typed with. */
import type { RunRecord, Tools } from '../runs/engine.ts'

export const runArgument = { name: 'run', summary: 'its id, or its --once name' } as const
export const requiredRun = { ...runArgument, isRequired: true } as const

/** Reads the run that is meant: the typed one, or else the newest of the profile. Throws exit 1 if there is none. */
export async function findRun(
  { runs, profile }: Pick<Tools, 'runs' | 'profile'>,
  typed: string | undefined,
): Promise<RunRecord> {
  return typed === undefined ? runs.newest(await profile()) : runs.find(typed)
}
