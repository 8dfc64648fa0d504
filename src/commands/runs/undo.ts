import { dryRunOutput, runOutput } from '../../cli/bulk.ts'
import { defineVerb } from '../../cli/verb.ts'
import { beginRun, undoJob } from '../../runs/engine.ts'
import { findRun, runArgument } from '../../cli/runs.ts'

export const verb = defineVerb({
  summary: 'give the tickets of an assign run back to who had them',
  description:
    "Give the tickets of a tickets assign run back: each goes to its former assignee, if the run's assignee still has it. Tickets without a confirmed change are listed and left out. The undo is a run of its own.",
  examples: [
    'svc runs undo assign-20260301-101500-3f9a --dry-run',
    'svc runs undo assign-20260301-101500-3f9a',
  ],
  arguments: [{ ...runArgument, isRequired: true }],
  options: { dryRun: { summary: 'only say how many tickets would go back' } },
  formats: ['table', 'json'],
  act: async (context, [run], { dryRun }) => {
    const record = await findRun(context, run)
    const operation = await context.operation('tickets.assign')
    const undo = await undoJob(context, operation, record)
    return dryRun === true
      ? dryRunOutput(context, undo)
      : runOutput(context, await beginRun(context, undo))
  },
})
