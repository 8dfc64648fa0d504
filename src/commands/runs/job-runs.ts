/** The runs of a state folder by the `--once` names of their jobs, with the records that cannot be read. */
import type { ListedRun } from '../../bulk/runs/store.ts'
import type { Context } from '../../cli/context.ts'
import { isFuture } from '../../output/text/time.ts'
import { groupDigits } from '../../words.ts'

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
