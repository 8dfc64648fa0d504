import { runOutput } from '../../cli/bulk.ts'
import type { Context } from '../../cli/context.ts'
import { findRun, runArgument } from '../../cli/runs.ts'
import { defineVerb } from '../../cli/verb.ts'
import { dateToMinute } from '../../output/text.ts'
import {
  refuseUnreadable,
  summaryOf,
  tellEnding,
  tellClosed,
  type ShownRun,
  type RunRecord,
  type Summary,
} from '../../runs/engine.ts'
import { groupDigits } from '../../words.ts'

export const verb = defineVerb({
  summary: 'show the summary of a recorded run',
  description:
    'Show the summary of a recorded run, by default the newest of this profile. The exit code is that of its outcomes, ' +
    'for monitors: 7 while something is due, 1 if there is no such run.',
  examples: ['svc runs show delete-20260301-101500-3f9a', 'svc runs show --json'],
  arguments: [runArgument],
  isRead: true,
  formats: ['table', 'json'],
  act: async (context, [typed]) => {
    const record = await findRun(context, typed)
    refuseUnreadable(record)
    const { folder, state } = record
    const operation = await context.operation(state.head.operation)
    const shown = { operation, record, summary: summaryOf(record) }
    tellState(context, shown)
    const endedAt = state.end === undefined ? null : new Date(state.end.at).toISOString()
    return runOutput(context, shown, {
      members: { endedAt, folder },
      details: detailsOf(record, shown.summary),
    })
  },
})

/** Tells that a process is working on a run, or else how the run ended and what to do next. */
function tellState(context: Context, shown: ShownRun) {
  const { record, summary } = shown
  const { state } = record
  if (state.damage !== undefined) context.warn(state.damage)
  if (state.isClosed) tellClosed(context, record)
  if (summary.status === 'working')
    context.note('a process is working on this run; this is its progress')
  else tellEnding(context, shown)
}

/** The lines above the counts of the outcomes. */
function detailsOf({ state, folder }: RunRecord, { run, target, due, status }: Summary) {
  const { operation, baseUrl, profile, at, user, host: machine, undoes = null } = state.head
  const details = {
    Run: run,
    Operation: operation,
    Target: target,
    Undoes: undoes,
    Service: new URL(baseUrl).host,
    Profile: profile,
    Started: dateToMinute(at),
    By: `${user}@${machine}`,
    Status: status,
    Due: due === 0 ? null : groupDigits(due),
    Folder: folder,
  }
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== null))
}
