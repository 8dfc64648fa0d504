/** `svc runs show`, and what the other verbs of runs share: which run is meant, and how it is read. */
import { summaryOutput } from '../../cli/bulk.ts'
import type { Context } from '../../cli/context.ts'
import { defineVerb } from '../../cli/verb.ts'
import { exitCodes } from '../../errors.ts'
import { defineOptions } from '../../options.ts'
import { dateToMinute } from '../../output/text.ts'
import type { ListedRun, RunReference } from '../../runs/list.ts'
import type { BegunLog } from '../../runs/log.ts'
import type { Summary } from '../../runs/summary.ts'
import { groupDigits } from '../../words.ts'

export const runArgument = {
  name: 'run',
  summary: 'its id, its --once name, or the beginning of its id',
} as const

export const lastOption = defineOptions({
  last: { summary: 'the newest run of this service and key' },
})

export const verb = defineVerb({
  description:
    'Show the summary of a recorded run. The exit code is that of the run, for monitors: 7 if it did not end, 1 if there is no such run.',
  examples: ['svc runs show delete-3fa9c1d20b77.1', 'svc runs show --last --json'],
  arguments: [runArgument],
  options: lastOption,
  effect: 'reads',
  run: async (context, [typed], { last }) => {
    const { log, path, status } = await readRecorded(context, { run: typed, last })
    const [{ summaryOf }, { tellEnding }] = await Promise.all([
      import('../../runs/summary.ts'),
      import('../../runs/telling.ts'),
    ])
    // A damaged run is never finished, whatever its `end` says.
    const end = log.isDamaged ? undefined : log.end
    const exitCode = end?.exit ?? exitCodes.unavailable
    let summary = summaryOf(log, { stop: end?.stop, exitCode })
    // Nobody else can resume a run that a process is working on.
    if (status === 'working') summary = { ...summary, status, resume: null }
    // An interrupted run with nothing due keeps the status of its outcomes: only its printing was cut off.
    if (status === 'interrupted' && summary.due > 0) summary = { ...summary, status }
    // The table that is printed after this explains the outcomes.
    tellEnding(context, log, summary, { isExplained: true })
    if (context.messages.verbose) context.note(path)
    const endedAt = end === undefined ? null : new Date(end.at).toISOString()
    return summaryOutput(context, summary, {
      endedAt,
      details: detailsOf(log, summary, status),
    })
  },
})

/** Reads the run that a command names, with a note about a process that works on it, and about damage. */
export async function readRecorded(context: Context, reference: RunReference) {
  const runs = await context.runs()
  const log = await runs.find(reference, context.profile)
  const status = await runs.statusOf(log)
  if (status === 'damaged')
    context.note('the record is damaged: what has no answer in it is unknown')
  if (status === 'working')
    context.note('a process is working on this run; this is its progress')
  return { log, path: `${runs.folder.path}/${log.run}.ndjson`, status }
}

/** The lines above the counts of the outcomes. */
function detailsOf(
  { head, session }: BegunLog,
  { run, target, due }: Summary,
  status: ListedRun['status'],
) {
  return {
    Run: run,
    Operation: head.operation,
    Target: target,
    Service: new URL(head.baseUrl).host,
    Profile: head.profile,
    Started: dateToMinute(head.at),
    By: `${head.user}@${session?.host ?? ''}`,
    Status: status,
    Due: due === 0 ? null : groupDigits(due),
  }
}
