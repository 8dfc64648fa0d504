/** `svc runs show`, and how the other verbs of runs find the run that is meant. */
import { runOutput } from '../../cli/bulk.ts'
import type { Context } from '../../cli/context.ts'
import { defineVerb } from '../../cli/verb.ts'
import { dateToMinute } from '../../output/text.ts'
import {
  openRuns,
  refuseUnreadable,
  stopOf,
  summaryOf,
  tellEnding,
  tellFinished,
  type RunRecord,
  type Summary,
} from '../../runs/engine.ts'
import { groupDigits } from '../../words.ts'

export const runArgument = { name: 'run', summary: 'its id, or its --once name' } as const

export const verb = defineVerb({
  summary: 'show the summary of a recorded run',
  description:
    'Show the summary of a recorded run, without one of the newest with this profile. The exit code is that of its outcomes, for monitors: 7 while something is due, 1 if there is no such run.',
  examples: ['svc runs show delete-20260301-101500-3f9a', 'svc runs show --json'],
  arguments: [runArgument],
  effect: 'reads',
  formats: ['table', 'json'],
  act: async (context, [typed]) => {
    const record = await findRun(context, typed)
    refuseUnreadable(record)
    const { state, folder } = record
    const operation = await context.operation(state.job.operation)
    const { isHeld } = record
    if (isHeld) context.note('a process is working on this run; this is its progress')
    if (state.damage !== undefined) context.warn(state.damage)
    const summary = summaryOf(record)
    if (state.isClosed) tellFinished(context, record)
    const shown = { operation, record, summary }
    if (!isHeld)
      tellEnding(context, shown, { stop: stopOf(state), errors: [], isPast: true })
    const endedAt = state.end === undefined ? null : new Date(state.end.at).toISOString()
    return runOutput(context, shown, {
      members: { endedAt, folder, ...(isHeld && { status: 'working', resume: null }) },
      details: detailsOf(record, summary, isHeld ? 'working' : summary.status),
    })
  },
})

/** Reads the run that is meant: the typed one, or else the newest of the profile. */
export async function findRun(
  context: Context,
  typed: string | undefined,
): Promise<RunRecord> {
  const runs = openRuns(context)
  return typed === undefined ? runs.findNewest(await context.profile()) : runs.find(typed)
}

/** The lines above the counts of the outcomes. */
function detailsOf(
  { state, folder }: RunRecord,
  { run, target, due }: Summary,
  status: string,
) {
  const { operation, baseUrl, profile, at, user, host, undoes = null } = state.job
  const details = {
    Run: run,
    Operation: operation,
    Target: target,
    Undoes: undoes,
    Service: new URL(baseUrl).host,
    Profile: profile,
    Started: dateToMinute(at),
    By: `${user}@${host}`,
    Status: state.damage === undefined ? status : 'damaged',
    Due: due === 0 ? null : groupDigits(due),
    Folder: folder,
  }
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== null))
}
