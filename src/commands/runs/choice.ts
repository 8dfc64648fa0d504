/** Recorded runs by their time and operation. */
import { bulkOperations } from '../../api/operations.ts'
import type { ListedRun } from '../../bulk/runs/store.ts'
import { defineOptions, type OptionValues } from '../../cli/option.ts'
import type { Context } from '../../cli/context.ts'
import { SvcError } from '../../errors.ts'
import { parseChoice } from '../../values.ts'
import { isFuture } from '../../output/text/time.ts'
import { parseSpan, spanOptions, type TimeSpan } from '../time-span.ts'

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
  const span = parseSpan(typed, host.now())
  const all = await listRuns(host, (await configuration()).stateDir.value)
  const runs: ListedRun[] = []
  for (const each of all) {
    const { run, problem } = each
    const hasBegun = each.isEarlier !== true && (run !== undefined || problem !== undefined)
    const isOther = operation !== undefined && run !== undefined && run.operation !== operation
    if (hasBegun && !isOther && (await hasWorkedIn(context, each, span))) runs.push(each)
  }
  return { runs, earlier: all.filter(({ isEarlier }) => isEarlier === true).length }
}

/** Whether a run worked in a span of time. Times that lie in the future say nothing; a damaged run without another may have. */
async function hasWorkedIn(context: Context, listed: ListedRun, span: TimeSpan): Promise<boolean> {
  const { since = -Infinity, until = Infinity } = span
  if (since === -Infinity && until === Infinity) return true
  const now = context.host.now()
  const { run, beganAt } = listed
  const isBeginKnown = !isFuture(beganAt, now)
  if (isBeginKnown && beganAt >= until) return false
  if (isBeginKnown && beganAt >= since) return true
  if (run === undefined) return !isBeginKnown
  const last = await lastTimeOf(context, listed)
  return !isFuture(last, now) && last >= since && (isBeginKnown || last < until)
}

/** The time of the last that a run did: now while it is worked on, and where its journal cannot be read. */
async function lastTimeOf(
  { host, configuration }: Context,
  { id, end, holder }: ListedRun,
): Promise<number> {
  if (holder !== undefined) return host.now()
  if (end !== undefined) return end.at
  const { readRecorded } = await import('../../bulk/runs/recorded.ts')
  try {
    return (await readRecorded(host, (await configuration()).stateDir.value, id)).lastAt
  } catch (error) {
    // The command that shows it says what is wrong with it.
    if (error instanceof SvcError) return host.now()
    throw error
  }
}
