import { dryRunOutput, runOutput } from '../../cli/bulk.ts'
import { defineVerb } from '../../cli/verb.ts'
import { runArgument } from './show.ts'

export const verb = defineVerb({
  description:
    "Undo the confirmed changes of a tickets assign run: each ticket goes back to its former assignee, if the run's assignee still has it. Tickets whose answer was lost are left out and named. The undo is a run named undo-<run>, so the same command resumes it.",
  examples: ['svc runs undo assign-3fa9c1d20b77.1 --dry-run', 'svc runs undo --last --yes'],
  arguments: [runArgument],
  options: {
    last: { summary: 'the newest tickets assign run that is not itself an undo' },
    dryRun: { summary: 'only say how many tickets would go back' },
  },
  // The recorded run says which change the profile must allow.
  effect: 'from input',
  ids: 'id',
  run: async (context, [run], { last, ...options }) => {
    const { foreseeUndo, undoRun } = await import('../../runs/undo.ts')
    const reference = { run, last }
    if (options.dryRun === true)
      return dryRunOutput(context, await foreseeUndo(context, reference, options))
    return runOutput(context, await undoRun(context, reference, options))
  },
})
