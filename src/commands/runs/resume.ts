import { runOutput } from '../../cli/bulk.ts'
import { defineVerb } from '../../cli/verb.ts'
import { resumeRun } from '../../runs/engine.ts'
import { findRun, runArgument } from '../../cli/runs.ts'

export const verb = defineVerb({
  summary: 'resume a run where it stopped',
  description:
    'Go on with a run where it stopped, however old. svc asks first: it says what is sent, since when, and how much is left. ' +
    'It sends what was never sent, or was turned away for now. A delete or an add whose answer was lost is sent again; an assign ' +
    'only if the ticket still has its old assignee; a merge never.',
  examples: [
    'svc runs resume delete-20260301-101500-3f9a --yes',
    'svc runs resume delete-20260301-101500-3f9a --yes --json',
  ],
  arguments: [{ ...runArgument, isRequired: true }],
  formats: ['table', 'json'],
  act: async (context, [run]) =>
    runOutput(context, await resumeRun(context, await findRun(context, run))),
})
