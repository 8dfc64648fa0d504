/** Recorded runs by their time and operation. */
import { bulkOperations } from '../../api/operations.ts'
import type { ListedRun } from '../../bulk/runs/store.ts'
import { defineOptions, type OptionValues } from '../../cli/option.ts'
import type { Context } from '../../cli/verb.ts'
import { SvcError } from '../../errors.ts'
import { parseChoice } from '../../values.ts'
import { parseSpan, spanOptions } from '../time-span.ts'

export const choiceOptions = defineOptions({
  ...spanOptions('runs that worked'),
  operation: {
    value: 'name',
    summary: `only runs of this operation: ${bulkOperations.join(', ')}`,
    choices: bulkOperations,
    parse: (text) => parseChoice(text, '--operation', bulkOperations),
  },
})

export type RunChoice = Partial<OptionValues<typeof choiceOptions>>

/** Runs that worked in a span of time, newest first, those that cannot be read among them; and how many earlier versions left. */
export async function chooseRuns(context: Context, { operation, ...typed }: RunChoice) {
  const { host, configuration } = context
  const { listRuns } = await import('../../bulk/runs/store.ts')
  const { since = -Infinity, until = Infinity } = parseSpan(typed, host.now())
  const all = await listRuns(host, (await configuration()).stateDir.value)
  const runs: ListedRun[] = []
  for (const each of all) {
    const { run, problem, beganAt } = each
    const hasBegun = each.isEarlier !== true && (run !== undefined || problem !== undefined)
    const isOther = operation !== undefined && run !== undefined && run.operation !== operation
    if (!hasBegun || isOther || beganAt >= until) continue
    if (beganAt >= since || (await lastTimeOf(context, each)) >= since) runs.push(each)
  }
  return { runs, earlier: all.filter(({ isEarlier }) => isEarlier === true).length }
}

/** The time of the last that a run did: now while it is worked on; when it began where nothing of it can be read. */
async function lastTimeOf(
  { host, configuration }: Context,
  { id, beganAt, run, end, holder }: ListedRun,
) {
  if (run === undefined) return beganAt
  if (holder !== undefined) return Infinity
  if (end !== undefined) return end.at
  const { readRecorded } = await import('../../bulk/runs/recorded.ts')
  try {
    return (await readRecorded(host, (await configuration()).stateDir.value, id)).lastAt
  } catch (error) {
    // Whoever shows it says what is wrong with it.
    if (error instanceof SvcError) return Infinity
    throw error
  }
}
