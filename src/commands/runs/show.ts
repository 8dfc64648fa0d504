import type { Header } from '../../bulk/record/header.ts'
import type { KeptSummary } from '../../bulk/record/read-run.ts'
import { defineVerb } from '../../cli/verb.ts'
import { schemaOf } from '../view-of.ts'
import { document } from '../../output/result.ts'
import { summaryView } from '../../views/bulk.ts'
import type { Run } from '../../views/documents.ts'
import { groupDigits } from '../../words.ts'
import { findRun, lastOption, otherForms, readRecorded, runArgument } from './reading.ts'

/** A run, in words, above the counts of its outcomes. */
function detailsOf({ status, left, ...run }: Run, stopReason: string | null) {
  const details = {
    Run: run.run,
    Operation: run.operation,
    Target: run.target,
    Service: run.host,
    Profile: run.profile,
    Started: run.startedAt,
    By: run.by,
    Reason: run.reason,
    Status: stopReason === null ? status : `${status} (${stopReason})`,
    Left: left === 0 || left === null ? null : groupDigits(left),
  }
  return Object.fromEntries(
    Object.entries(details).filter((entry): entry is [string, string] => entry[1] !== null),
  )
}

export const verb = defineVerb({
  description:
    'Show the summary of a recorded run as it was printed at its end, even after the ' +
    'run was pruned.',
  examples: ['svc runs show 20260301T101500Z-7f3a', 'svc runs show --last --json'],
  notes: otherForms,
  arguments: [runArgument],
  options: lastOption,
  effect: 'reads',
  shows: { ...summaryView, schema: schemaOf('Summary') },
  run: async (context, [typed], options) => {
    const [{ tellTooMany }, { rowsOf }, { rowOf }] = await Promise.all([
      import('../../bulk/telling/notes.ts'),
      import('../../bulk/outcomes/summary.ts'),
      import('./run-row.ts'),
    ])
    const listed = await findRun(context, { run: typed, last: options.last })
    const show = (about: Header, shown: KeptSummary['document']) => ({
      ...document(shown, rowsOf(about, shown.result)),
      details: detailsOf(rowOf(listed), shown.stopReason),
    })
    const { run, header, holder, isPruned, summary: kept } = listed
    if (isPruned && kept !== undefined && header !== undefined)
      return show(header, kept.document)
    const recorded = await readRecorded(context, listed)
    const summary = recorded.summary()
    tellTooMany(context, summary, run)
    const isWhole = holder === undefined && recorded.damage === undefined
    const { document: now } = isWhole && kept !== undefined ? kept : summary
    return show(recorded.header, { ...now })
  },
})
