import { runOutput } from '../../cli/bulk.ts'
import { filesHeading, outcomeFiles } from '../../cli/inputs.ts'
import { defineVerb } from '../../cli/verb.ts'
import { withGroup } from '../../options.ts'
import { runArgument } from './show.ts'

export const verb = defineVerb({
  description:
    'Resume a run where it stopped, at any age, with the current key. svc asks again if the run asked. ' +
    'It sends what was never sent, or was refused for the moment. A delete or an add whose answer was lost is sent again, and so is an assign, once the ticket was read again. ' +
    'A merge whose answer was lost is never sent again.',
  examples: [
    'svc runs resume delete-3fa9c1d20b77.1 --yes',
    'svc runs resume --last --receipts out.csv',
  ],
  arguments: [runArgument],
  options: {
    last: { summary: 'the newest unfinished run of this service and key' },
    ...withGroup(filesHeading, {
      ...outcomeFiles,
      file: {
        value: 'path',
        takes: 'file',
        summary: 'the input of the run (with --annotate)',
        isRepeatedOnResume: true,
      },
    }),
  },
  effect: 'from input',
  ids: 'id',
  run: async (context, [run], { last, file, ...options }) => {
    const { readResumed } = await import('../../runs/jobs/resume.ts')
    const { runJob } = await import('../../runs/run.ts')
    const files = { ...options, ...(file !== undefined && { file }) }
    const job = await readResumed(context, { run, last }, files)
    return runOutput(context, await runJob(context, job))
  },
})
