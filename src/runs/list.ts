/** The recorded runs: how they are named, which one a command means, and what a list says of them. */
import type { Profile } from '../config/profile.ts'
import { exitCodes, SvcError, usageError, say, svc } from '../errors.ts'
import { mayBeAlive, RunFile, watchForMs, type FileHost } from './file.ts'
import type { RunFolder } from './folder.ts'
import { decodeLine, keyFingerprint, type Head, type LineOf } from './lines.ts'
import { begun, isBegun, RunLog, type BegunLog } from './log.ts'
import { operationOf } from './operations/operations.ts'
import { statusOf, type Summary } from './summary.ts'

/** An unfinished run that is older, in milliseconds, is not resumed: the same command begins a new run beside it. */
const resumedWithinMs = 8 * 60 * 60_000

/** A run that is named by its job: `delete-3fa9c1d20b77.1`. */
export const hasJobName = (run: string) => /^(?:undo-)?[a-z]+-[0-9a-f]{12}\.\d+$/.test(run)
/** A run with a `--once` name: `@nightly`. */
const hasOnceName = (run: string) => /^(?:undo-)?@[a-z0-9._-]{1,64}$/.test(run)

/** The run of a `--once` name. */
export const onceRun = (once: string) => `@${once.toLowerCase()}`
export const undoNameOf = (run: string) => `undo-${run}`
export const isUndo = (run: string) => run.startsWith('undo-')

/** Throws exit 2 for what `--once` does not take. */
export function checkOnceName(text: string) {
  if (/^[A-Za-z0-9._-]{1,64}$/.test(text)) return
  throw usageError(
    '--once takes a name of 1 to 64 letters, digits, ".", "_" and "-"',
    'for example --once cleanup-2026-03-01; a job that recurs needs a new name each time',
  )
}

/** Which run a command means. */
export interface RunReference {
  /** As it was typed; undefined with `--last`. */
  run: string | undefined
  /** The newest run of this service and key. */
  last?: boolean | undefined
}

/** A run as a list shows it. A damaged one may tell nothing but its name. */
export interface ListedRun {
  run: string
  status: Summary['status'] | 'working' | 'undone' | 'damaged'
  head: LineOf<'run'> | undefined
  /** The computer of its last session. */
  host: string | undefined
  end: LineOf<'end'> | undefined
  isFinished: boolean
}

/** The run that a job begins, or goes on with. */
export interface ChosenRun {
  run: string
  /** An unfinished run of the same job, which a new run closes. */
  replaces?: string | undefined
  /** The finished run of the same job before a new one. */
  previous?: BegunLog | undefined
}

/** Bytes at the beginning of a file in which its head is looked for. */
const maxHeadBytes = 1 << 16

export class Runs {
  readonly host: FileHost
  readonly folder: RunFolder

  constructor(host: FileHost, folder: RunFolder) {
    this.host = host
    this.folder = folder
  }

  /** The ids of all recorded runs. */
  async names(): Promise<string[]> {
    const files = await this.folder.names()
    return files.flatMap((file) => {
      const run = file.replace(/\.ndjson$/, '')
      return run !== file && (hasJobName(run) || hasOnceName(run)) ? [run] : []
    })
  }

  /** Opens the file of a run, to append to it. Undefined if there is none. */
  open(run: string) {
    return RunFile.open(this.host, this.folder, run, 'present')
  }

  /** Creates the file of a run. Undefined if another process has made it or written to it. */
  async create(run: string): Promise<RunFile | undefined> {
    const file = await RunFile.open(this.host, this.folder, run, 'new')
    if (file === undefined || file.log.next === 0) return file
    await file.close()
    return undefined
  }

  /** What the file of a run says now. Undefined if there is none. */
  async read(run: string): Promise<RunLog | undefined> {
    const file = await RunFile.open(this.host, this.folder, run, 'read')
    await file?.close()
    return file?.log
  }

  /**
   * Chooses the run of a job that has no `--once` name: its last one, if that is not finished and was written within 8 hours,
   * else a new one with the next number. `isNew`: always a new one.
   */
  async choose(
    { operation, job }: Head,
    { isNew }: { isNew: boolean },
  ): Promise<ChosenRun> {
    const base = `${operationOf(operation).words.run}-${job.slice(0, 12)}`
    const lastNumber = await this.#lastNumberOf(base)
    const last = `${base}.${lastNumber}`
    const next = `${base}.${lastNumber + 1}`
    const log = lastNumber === 0 ? undefined : await this.read(last)
    // There is no run of the job, or only the undo of one is left.
    if (log === undefined) return { run: next }
    // A closed run whose head is damaged tells nothing.
    if (log.isFinished) return { run: next, previous: isBegun(log) ? log : undefined }
    // Such a file has sent nothing, so a new run uses it too.
    if (neverBegan(log)) return { run: last }
    const isRecent = (await this.#ageOf(last)) <= resumedWithinMs
    if (isRecent && !isNew) return { run: last }
    // In a damaged run nothing more is sent, so it needs no closing.
    return { run: next, replaces: log.isDamaged ? undefined : last }
  }

  /** The highest number of the runs of a job and of their undos; 0 if there is none. */
  async #lastNumberOf(base: string) {
    const numbers = (await this.names()).map((run) => {
      const [, name, number] = /^(?:undo-)?(.*)\.(\d+)$/.exec(run) ?? []
      return name === base ? Number(number) : 0
    })
    return Math.max(0, ...numbers)
  }

  /** Milliseconds since the file of a run was last written. */
  async #ageOf(run: string) {
    const facts = await this.folder.factsOf(`${run}.ndjson`)
    return facts === undefined ? Infinity : this.host.now() - facts.mtimeMs
  }

  /** The run that is meant, as it is now. `isWanted` limits what `--last` finds. Throws exit 1 if there is none. */
  async find(
    { run: typed, last = false }: RunReference,
    profile: () => Promise<Profile>,
    isWanted: (listed: ListedRun) => boolean = () => true,
  ): Promise<BegunLog> {
    if (typed !== undefined && last) throw usageError('--last cannot be used with a run')
    if (typed === undefined && !last)
      throw usageError('missing required argument "run"', seeList)
    const run =
      typed === undefined
        ? await this.#last(await profile(), isWanted)
        : await this.#named(typed)
    const log = await this.read(run)
    if (log === undefined) throw noSuchRun(`there is no run ${run}`)
    return begun(log)
  }

  async #last({ baseUrl, apiKey }: Profile, isWanted: (listed: ListedRun) => boolean) {
    const key = keyFingerprint(apiKey)
    const found = (await this.list()).find(
      (each) => each.head?.baseUrl === baseUrl && each.head.key === key && isWanted(each),
    )
    if (found !== undefined) return found.run
    throw noSuchRun(`no run on ${new URL(baseUrl).host} with this key fits --last`)
  }

  async #named(text: string): Promise<string> {
    const all = await this.names()
    const wanted = text.toLowerCase()
    for (const name of [wanted, onceRun(wanted)]) if (all.includes(name)) return name
    const [only, another] = all.filter((each) => each.startsWith(wanted))
    if (only === undefined)
      throw noSuchRun(`there is no run "${text}" in ${this.folder.path}`)
    if (another === undefined) return only
    throw usageError(`several runs begin with "${text}"`, seeList)
  }

  /** All runs that began, the newest first. Damaged ones without a time come before all others. */
  async list(): Promise<ListedRun[]> {
    const listed: ListedRun[] = []
    for (const run of await this.names()) {
      const log = await this.#readOrDamaged(run)
      if (log === undefined || neverBegan(log)) continue
      const { head, end, session, isFinished } = log
      const status = await this.statusOf(log)
      listed.push({ run, head, end, host: session?.host, isFinished, status })
    }
    const startOf = ({ head }: ListedRun) => head?.at ?? Number.MAX_SAFE_INTEGER
    return listed.sort(
      (one, other) => startOf(other) - startOf(one) || (one.run < other.run ? 1 : -1),
    )
  }

  /** What the file of a run says. A name that leads to no file, such as a link, counts as damaged, so that the others are listed. */
  async #readOrDamaged(run: string): Promise<RunLog | undefined> {
    try {
      return await this.read(run)
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      return Object.assign(new RunLog(run), { isDamaged: true })
    }
  }

  /** What a run is at now. Does not wait. */
  async statusOf(log: RunLog): Promise<ListedRun['status']> {
    const { end, isDamaged } = log
    if (isDamaged) return 'damaged'
    if (end === undefined) return (await this.#isWorking(log)) ? 'working' : 'interrupted'
    if (end.undone === true) return 'undone'
    if (end.superseded === true) return 'stopped'
    return statusOf(end, log.queue?.dueItems ?? 0, end.exit ?? exitCodes.done)
  }

  /** Whether a process may work on a run: it is not known to be dead, and showed a sign of life lately. Does not wait. */
  async #isWorking(log: RunLog) {
    return mayBeAlive(this.host, log) && (await this.#ageOf(log.run)) < watchForMs
  }

  /** The head of a run, without reading the whole file. Undefined if it is not readable. */
  async headOf(run: string): Promise<LineOf<'run'> | undefined> {
    const file = await this.folder.open(`${run}.ndjson`, 'read')
    const bytes = (await file?.read(0, maxHeadBytes)) ?? Buffer.alloc(0)
    await file?.close()
    // latin1 keeps each byte as a character, so that a line becomes the same bytes again.
    const texts = bytes.toString('latin1').split('\n')
    const lines = texts.map((text) => decodeLine(Buffer.from(text, 'latin1')))
    return lines.find((line) => line?.t === 'run')
  }
}

/** Whether nothing was ever sent in a run: it has no whole head. */
const neverBegan = ({ queue, isDamaged }: RunLog) => queue === undefined && !isDamaged

/** The error for a run that is not there. */
export const noSuchRun = (message: string) =>
  new SvcError('rejected', message, { hint: seeList })

const seeList = say`see all of them with: ${svc`runs list`}`
