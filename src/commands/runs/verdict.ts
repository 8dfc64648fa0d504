/** The verdict on a job: whether the run of a `--once` name that began last is as a monitor wants it. */
import { figuresOf, isDone, outcomeFacts, type Figure } from '../../bulk/operations/outcome.ts'
import { acceptedBy } from '../../bulk/outcomes/totals.ts'
import type { ListedRun } from '../../bulk/runs/store.ts'
import { stopWords } from '../../bulk/telling/teller.ts'
import type { Context } from '../../cli/context.ts'
import { exit } from '../../errors.ts'
import { isFuture } from '../../output/text/time.ts'
import { formatDuration } from '../../values.ts'
import type { Check, Run } from '../../views/documents.ts'
import { groupDigits, pluralize } from '../../words.ts'
import type { JobRuns, Unreadable } from './job-runs.ts'
import { rowsOf } from './reading.ts'

export interface Demands {
  /** Milliseconds. */
  readonly within: number
  readonly prefix?: true
  readonly acceptPartial?: true
}

/** The verdict on the job of a name, or on the last of the jobs whose names begin with it. */
export async function judge(
  context: Context,
  jobs: JobRuns,
  name: string,
  demands: Demands,
): Promise<Check> {
  const { within, prefix = false } = demands
  const checked = { name, prefix, within: formatDuration(within) }
  const { last, unreadable } = jobs.of(name, prefix)
  if (unreadable !== undefined) {
    const run = unreadable.listed === undefined ? null : await rowOfRun(context, unreadable.listed)
    return {
      ...checked,
      ...notOk(wordsOfUnreadable(name, unreadable)),
      run,
    }
  }
  const earlier = jobs.earlierWords
  if (last === undefined) return { ...checked, ...missing(checked, `none is known${earlier}`) }
  const run = await rowOfRun(context, last)
  const now = context.host.now()
  const times = [last.beganAt, ...(last.end === undefined ? [] : [last.end.at])]
  const future = times.find((time) => isFuture(time, now))
  if (typeof last.holder === 'object' && last.holder.isOtherBoot) {
    const message = `${titleOf(run)} was working when this machine restarted (run ${run.run}, since ${run.startedAt})`
    return {
      ...checked,
      ...notOk(message),
      run,
    }
  }
  if (last.holder !== undefined) {
    const message = `${titleOf(run)} is running (run ${run.run}, since ${run.startedAt})`
    return {
      ...checked,
      verdict: 'running',
      exitCode: exit.busy,
      message,
      run,
    }
  }
  if (future !== undefined) {
    const when = new Date(future).toISOString()
    const message = `${titleOf(run)} lies in the future, so a clock was or is wrong (run ${run.run}, ${when})`
    return {
      ...checked,
      ...notOk(message),
      run,
    }
  }
  const words = endWords(run, last)
  if (Math.max(...times) < now - within) {
    return { ...checked, ...missing(checked, `the one before, ${words}`) }
  }
  const isDone =
    run.exitCode === exit.done ||
    (demands.acceptPartial === true && run.exitCode === exit.incomplete)
  const isOk = run.endedAt !== null && isDone
  return {
    ...checked,
    ...(isOk ? ok(words) : notOk(words)),
    run,
  }
}

async function rowOfRun(context: Context, listed: ListedRun): Promise<Run> {
  const [run] = await rowsOf(context, [listed])
  if (run === undefined) throw new TypeError(`run ${listed.id} has no row`)
  return run
}

const ok = (message: string) =>
  ({
    verdict: 'ok',
    exitCode: exit.done,
    message,
  }) as const
const notOk = (message: string) =>
  ({
    verdict: 'not ok',
    exitCode: exit.incomplete,
    message,
  }) as const

function missing({ name, prefix, within }: Pick<Check, 'name' | 'prefix' | 'within'>, why: string) {
  const names = `${prefix ? 'a name that begins with ' : ''}"${name}"`
  const message = `no run of ${names} began or ended in the last ${within}: the job did not start, ended before it sent a change, or has another state folder; ${why}`
  return {
    verdict: 'missing',
    exitCode: exit.rejected,
    message,
    run: null,
  } as const
}

function wordsOfUnreadable(name: string, { path, problem, listed, isNamed }: Unreadable): string {
  const what = listed === undefined ? 'a record' : `run ${listed.id}`
  const which = isNamed ? `${what} of "${name}"` : `${what}, which may be of "${name}",`
  return `${which} cannot be read: ${problem} (${path})`
}

const titleOf = ({ name, run }: Run): string => name ?? run

/** The name of a job, how its run ended, what is not done and left, and which run it is. */
function endWords(run: Run, { end, run: file }: ListedRun): string {
  const { left, startedAt, endedAt, exitCode } = run
  const rest = left === null || left === 0 ? [] : [`${pluralize(left, 'id is', 'ids are')} left`]
  if (endedAt === null) {
    const died = 'has no end on record: it was killed, or its disk was full'
    return `${titleOf(run)} ${[died, ...rest].join('; ')} (run ${run.run}, began ${startedAt})`
  }
  const notDone =
    exitCode === exit.done || file === undefined
      ? []
      : notDoneWords(figuresOf(file.operation), run.result ?? {}, acceptedBy(file.options))
  const why = end?.stop === undefined ? [] : [stopWords[end.stop]]
  const what = [...(notDone.length === 0 ? [] : [notDone.join(', ')]), ...rest, ...why].join('; ')
  const ended = `ended with ${exitCode ?? 'unknown'}${what === '' ? '' : `: ${what}`}`
  return `${titleOf(run)} ${ended} (run ${run.run}, ${endedAt})`
}

/** `13 blocked`, for each outcome that is not done. */
function notDoneWords(
  figures: readonly Figure[],
  result: Readonly<Record<string, number>>,
  accepted: readonly string[],
): string[] {
  const wordsOf = (chosen: readonly Figure[]): string[] =>
    chosen.flatMap(({ name, outcome }) => {
      const count = result[name] ?? 0
      return count === 0 ? [] : [`${groupDigits(count)} ${outcome}`]
    })
  const words = wordsOf(
    figures.filter(({ outcome }) => !isDone(outcome) && !accepted.includes(outcome)),
  )
  // A guess counts as done only where something certainly was.
  const guesses = figures.filter(({ outcome }) => outcomeFacts(outcome).guessOf !== undefined)
  return words.length === 0 ? wordsOf(guesses) : words
}
