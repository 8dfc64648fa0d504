/** Recorded runs: which one is meant, and how it is read. */
import { defineOptions } from '../../options.ts'
import type { RunReference } from '../../runs/list.ts'
import type { Context } from '../../cli/context.ts'

export const runArgument = {
  name: 'run',
  takes: 'run',
  summary: 'its id, its --once name, or the beginning of its id',
} as const

export const lastOption = defineOptions({
  last: { summary: 'the newest run of this service and key' },
})

/** The run that a command names, in its current state. A note says who works on it. */
export async function readRecorded(context: Context, reference: RunReference) {
  const runs = await context.runs()
  const log = await runs.find(reference, context.profile)
  if (log.isDamaged)
    context.note('the record is damaged: what has no answer behind the damage is unknown')
  else if (await runs.isWorking(log))
    context.note('a process is working on this run; this is its progress')
  return { log, path: `${runs.folder.path}/${log.run}.ndjson` }
}
