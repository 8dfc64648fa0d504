import { withResumeText } from '../../cli/bulk-command.ts'
import { defineVerb } from '../../cli/verb.ts'
import { exactTime } from '../../output/text/time.ts'
import type { Document } from '../../runs/summary.ts'
import { groupDigits } from '../../words.ts'
import {
  lastOption,
  otherForms,
  readRecorded,
  runArgument,
} from '../../cli/recorded-runs.ts'

/** A run, in words, above the counts of its outcomes. */
function detailsOf({ status, left, ...run }: Document, isWorking: boolean) {
  const state = isWorking ? 'working' : status
  return {
    Run: run.run,
    Operation: run.operation,
    Target: run.target,
    Service: run.host,
    Profile: run.profile,
    Started: run.startedAt && exactTime(Date.parse(run.startedAt)),
    By: run.by,
    Reason: run.reason,
    Status: run.stopReason === null ? state : `${state} (${run.stopReason})`,
    Left: left === 0 ? null : groupDigits(left),
  }
}

export const verb = defineVerb({
  description: 'Show the summary of a recorded run as it was printed at its end.',
  examples: ['svc runs show 20260301T101500Z-7f3a', 'svc runs show --last --json'],
  notes: otherForms,
  arguments: [runArgument],
  options: lastOption,
  effect: 'reads',
  run: async (context, [typed], { last }) => {
    const { recorded, holder } = await readRecorded(context, { run: typed, last })
    const [{ tellOmittedIds }, { printedDocument, rowsOf, summaryOfRun }] =
      await Promise.all([
        import('../../runs/telling/notes.ts'),
        import('../../runs/summary.ts'),
      ])
    const { head, end, run } = recorded
    const computed = summaryOfRun(recorded, { isResumed: false })
    tellOmittedIds(context, computed, run)
    const isWorking = holder !== undefined
    // Shown as printed: the lines alone do not tell the exit code of a signal, and of outcomes that a command accepted.
    const isAsPrinted = !isWorking && recorded.damage === undefined
    const printed = isAsPrinted ? end?.summary : undefined
    const shown = printed === undefined ? computed.document : printedDocument(printed)
    // Computed anew, because it repeats the options of this command line.
    const resume = shown.left === 0 ? null : computed.document.resume
    return {
      kind: 'summary',
      json: withResumeText(context, { ...shown, resume }),
      outcomes: rowsOf(head, shown.result),
      details: detailsOf(shown, isWorking),
    }
  },
})
