import { summaryOutput } from '../../cli/bulk-output.ts'
import { lastOption, readRecorded, runArgument } from './recorded.ts'
import { defineVerb } from '../../cli/verb.ts'
import { exitCodes } from '../../errors.ts'
import { exactTime } from '../../output/text/time.ts'
import type { BegunLog } from '../../runs/log.ts'
import type { Summary } from '../../runs/summary.ts'
import { groupDigits } from '../../words.ts'

export const verb = defineVerb({
  description:
    'Show the summary of a recorded run. The exit code is that of the run, for monitors: 7 if it did not end, 1 if there is no such run.',
  examples: ['svc runs show delete-3fa9c1d20b77.1', 'svc runs show --last --json'],
  arguments: [runArgument],
  options: lastOption,
  effect: 'reads',
  run: async (context, [typed], { last }) => {
    const { log, path } = await readRecorded(context, { run: typed, last })
    const [{ summaryOf }, { tellEnding }] = await Promise.all([
      import('../../runs/summary.ts'),
      import('../../runs/telling.ts'),
    ])
    const end = log.isDamaged ? undefined : log.end
    const summary = summaryOf(log, {
      stop: end?.stop,
      exit: end?.exit ?? exitCodes.unavailable,
    })
    tellEnding(context, log, summary, { isExplained: true })
    if (context.messages.verbose) context.note(path)
    const endedAt = end === undefined ? null : new Date(end.at).toISOString()
    return summaryOutput(context, summary, { endedAt, details: detailsOf(log, summary) })
  },
})

/** A run, in words, above the counts of its outcomes. */
function detailsOf(
  { head, session, end, isDamaged }: BegunLog,
  { run, target, due, status }: Summary,
) {
  const ending = end?.undone === true ? 'undone' : status
  return {
    Run: run,
    Operation: head.operation,
    Target: target,
    Service: new URL(head.baseUrl).host,
    Profile: head.profile,
    Started: exactTime(head.at),
    By: `${head.user}@${session?.host ?? ''}`,
    Reason: head.reason,
    Status: isDamaged ? 'damaged' : end === undefined ? 'interrupted' : ending,
    Due: due === 0 ? null : groupDigits(due),
  }
}
