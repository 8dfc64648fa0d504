/**
 * The verdict of `svc runs check` on a job, whether the run of a `--once` name that began last is as a monitor wants it; and the runs of a
 * state folder by these names, with the records that cannot be read, from which it follows.
 */
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
import { rowsOf } from './reading.ts'

export interface Demands {
  /** Milliseconds. */
  readonly within: number
  /** The name is the beginning of names, of which the newest run counts. */
  readonly prefix?: true
  /** Exit code 3 counts as done. */
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

/** A record that may tell of a job and cannot be read. */
export interface Unreadable {
  /** The file or folder. */
  readonly path: string
  readonly problem: string
  /** Undefined for the record of a name. */
  readonly listed: ListedRun | undefined
  /** Whether it is known to belong to the job. */
  readonly isNamed: boolean
}

interface NamedRun {
  /** In lower case; undefined where nothing tells it. */
  readonly name: string | undefined
  readonly listed: ListedRun
}

export class JobRuns {
  /** The last first. */
  readonly #runs: readonly NamedRun[]
  /** Records of names that cannot be read. */
  readonly #damaged: readonly Unreadable[]
  /** Whether a time of a run is within the time that is wanted, or says nothing. */
  readonly #mayCount: (time: number) => boolean

  private constructor(
    runs: readonly NamedRun[],
    damaged: readonly Unreadable[],
    mayCount: (time: number) => boolean,
  ) {
    this.#runs = runs
    this.#damaged = damaged
    this.#mayCount = mayCount
  }

  /** Reads the state folder. `within`: milliseconds. */
  static async read(context: Context, within: number): Promise<JobRuns> {
    const { host } = context
    const { laterFirst } = await import('../../bulk/runs/store.ts')
    const store = await context.store()
    const damaged: Unreadable[] = []
    const names = await store.names.list((path, problem) => {
      damaged.push({
        path,
        problem,
        listed: undefined,
        isNamed: false,
      })
    })
    const nameOfRun = new Map(names.map(({ run, name }) => [run, name.toLowerCase()]))
    const recorded = await store.list()
    const pruned = names.flatMap((name) => store.prunedRun(name) ?? [])
    const runs = [...recorded, ...pruned]
      .filter(({ run, problem }) => run !== undefined || problem !== undefined)
      .sort(laterFirst)
      .map((listed) => ({
        name: listed.run?.once?.name.toLowerCase() ?? nameOfRun.get(listed.id),
        listed,
      }))
    const since = host.now() - within
    return new JobRuns(runs, damaged, (time) => time >= since || isFuture(time, host.now()))
  }

  /** The last run of a job, or of all jobs whose names begin so; or the record that may be it and cannot be read. */
  of(
    typed: string,
    isPrefix: boolean,
  ): { readonly last?: ListedRun; readonly unreadable?: Unreadable } {
    const wanted = typed.toLowerCase()
    const isWanted = ({ name }: NamedRun): boolean =>
      isPrefix ? name?.startsWith(wanted) === true : name === wanted
    const last = this.#runs.find(isWanted)?.listed
    if (last?.problem !== undefined) return { unreadable: unreadableRun(last, true) }
    const isLast = last !== undefined && !isPrefix
    const unnamed = isLast ? undefined : this.#findUnnamed()
    if (unnamed !== undefined) return { unreadable: unnamed }
    return last === undefined ? {} : { last }
  }

  /** A damaged record of which nothing tells the name, and whose time does not rule it out. */
  #findUnnamed(): Unreadable | undefined {
    const run = this.#runs.find(
      ({ name, listed }) =>
        name === undefined &&
        listed.problem !== undefined &&
        listed.isEarlier !== true &&
        this.#mayCount(listed.beganAt),
    )
    return run === undefined ? this.#damaged[0] : unreadableRun(run.listed, false)
  }

  /** A clause about the runs that earlier versions left; empty when there are none. */
  get earlierWords(): string {
    const earlier = this.#runs.filter(({ listed }) => listed.isEarlier === true)
    const [first] = earlier
    if (first === undefined) return ''
    const count =
      earlier.length === 1
        ? '1 run of an earlier version of svc'
        : `${groupDigits(earlier.length)} runs of earlier versions of svc`
    return ` beside ${count}, which cannot be read (${first.listed.dir})`
  }
}

function unreadableRun(listed: ListedRun, isNamed: boolean): Unreadable {
  return {
    path: listed.dir,
    problem: listed.problem ?? '',
    listed,
    isNamed,
  }
}
