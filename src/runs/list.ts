/** The recorded runs: their names, the run that a job or a person means, and their list. */
import type { Profile } from '../config/profile.ts'
import { exitCodes, SvcError, usageError, say, svc } from '../errors.ts'
import { mayBeAlive, RunFile, watchForMs, type FileHost } from './file.ts'
import type { RunFolder } from './folder.ts'
import { decodeLine, keyFingerprint, type Head, type LineOf } from './lines.ts'
import { isBegun, requireBegun, RunLog, type BegunLog } from './log.ts'
import { operationOf } from './operations/operations.ts'
import { statusOf, type Summary } from './summary.ts'

/** An unfinished run is resumed for 8 hours after its last line. Then the same command begins a new run. */
const resumedWithinMs = 8 * 60 * 60_000

/** Whether a run is named by its job, such as `delete-3fa9c1d20b77.1`, or is the undo of such a run. */
export const hasJobName = (run: string) => /^(?:undo-)?[a-z]+-[0-9a-f]{12}\.\d+$/.test(run)

/** Whether a run has a `--once` name, such as `@nightly`, or is the undo of such a run. */
const hasOnceName = (run: string) => /^(?:undo-)?@[a-z0-9._-]{1,64}$/.test(run)

/** Returns the run of a `--once` name. */
export const onceRun = (once: string) => `@${once.toLowerCase()}`
export const undoNameOf = (run: string) => `undo-${run}`
export const isUndo = (run: string) => run.startsWith('undo-')

/** Throws exit 2 for a text that `--once` does not take. */
export function checkOnceName(text: string) {
  if (/^[A-Za-z0-9._-]{1,64}$/.test(text)) return
  throw usageError(
    '--once takes a name of 1 to 64 letters, digits, ".", "_" and "-"',
    'for example --once cleanup-2026-03-01; a job that recurs needs a new name each time',
  )
}

/** The run that a person means. */
export interface RunReference {
  /** The text that was typed: an id, its beginning, or a `--once` name. Undefined with `--last`. */
  run: string | undefined
  /** The newest run of this service and key. */
  last?: boolean | undefined
}

/** A run as a list shows it. Of a damaged run, perhaps only the name is known. */
export interface ListedRun {
  run: string
  status: Summary['status'] | 'undone' | 'damaged'
  head: LineOf<'run'> | undefined
  /** The computer that worked on the run last. */
  host: string | undefined
  end: LineOf<'end'> | undefined
  isFinished: boolean
}

/** The run that a job begins or resumes. */
export interface ChosenRun {
  run: string
  /** The unfinished run of the same job that the new run closes. */
  replaces?: string | undefined
  /** The finished run of the same job before the new one. */
  previous?: BegunLog | undefined
}

/** The `run` line of a head ends within this many bytes of its file. */
const maxHeadBytes = 1 << 16

export class Runs {
  readonly host: FileHost
  readonly folder: RunFolder

  constructor(host: FileHost, folder: RunFolder) {
    this.host = host
    this.folder = folder
  }

  /** Returns the ids of all recorded runs. */
  async names(): Promise<string[]> {
    const files = await this.folder.names()
    return files.flatMap((file) => {
      const run = file.replace(/\.ndjson$/, '')
      return run !== file && (hasJobName(run) || hasOnceName(run)) ? [run] : []
    })
  }

  /** Opens the file of a run, to append to it. Returns undefined if there is none. */
  open(run: string) {
    return RunFile.open(this.host, this.folder, run, 'append')
  }

  /** Creates the file of a run. Returns undefined if another process has created it, or written to it meanwhile. */
  async create(run: string): Promise<RunFile | undefined> {
    const file = await RunFile.open(this.host, this.folder, run, 'create')
    if (file === undefined || file.log.next === 0) return file
    await file.close()
    return undefined
  }

  /** Reads the file of a run. Returns undefined if there is none. */
  async read(run: string): Promise<RunLog | undefined> {
    const file = await RunFile.open(this.host, this.folder, run, 'read')
    await file?.close()
    return file?.log
  }

  /**
   * Chooses the run of a job that has no `--once` name: its last run if that is unfinished and was written within 8 hours, else
   * a new run with the next number. With `isNew`, the run is always new.
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
    // The job has no run, or its last run was removed and only the undo is left.
    if (log === undefined) return { run: next }
    // A run that was closed counts as finished, even with a damaged head, which tells nothing.
    if (log.isFinished) return { run: next, previous: isBegun(log) ? log : undefined }
    // Nothing was sent, so even a new run can use the file.
    if (neverBegan(log)) return { run: last }
    const isRecent = (await this.#ageOf(last)) <= resumedWithinMs
    if (isRecent && !isNew) return { run: last }
    // Nothing more is sent in a damaged run, so it needs no closing.
    return { run: next, replaces: log.isDamaged ? undefined : last }
  }

  /** Returns the highest number of the runs of a job and of their undos; 0 if there are none. */
  async #lastNumberOf(base: string) {
    const numbers = (await this.names()).map((run) => {
      const [, name, number] = /^(?:undo-)?(.*)\.(\d+)$/.exec(run) ?? []
      return name === base ? Number(number) : 0
    })
    return Math.max(0, ...numbers)
  }

  /** Returns the milliseconds since a run was last written to, or its holder gave a sign of life. */
  async #ageOf(run: string) {
    const facts = await this.folder.factsOf(`${run}.ndjson`)
    return facts === undefined ? Infinity : this.host.now() - facts.mtimeMs
  }

  /** Reads the run that a person means. `isWanted` limits what `--last` finds. Throws exit 1 if there is none. */
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
        ? await this.#findLast(await profile(), isWanted)
        : await this.#findTyped(typed)
    const log = await this.read(run)
    if (log === undefined) throw noSuchRun(`there is no run ${run}`)
    return requireBegun(log)
  }

  async #findLast({ baseUrl, apiKey }: Profile, isWanted: (listed: ListedRun) => boolean) {
    const key = keyFingerprint(apiKey)
    const found = (await this.list()).find(
      (each) => each.head?.baseUrl === baseUrl && each.head.key === key && isWanted(each),
    )
    if (found !== undefined) return found.run
    throw noSuchRun(`no run on ${new URL(baseUrl).host} with this key fits --last`)
  }

  async #findTyped(typed: string): Promise<string> {
    const names = await this.names()
    const wanted = typed.toLowerCase()
    if (names.includes(wanted)) return wanted
    if (names.includes(onceRun(wanted))) return onceRun(wanted)
    const [found, another] = names.filter((name) => name.startsWith(wanted))
    if (found === undefined)
      throw noSuchRun(`there is no run "${typed}" in ${this.folder.path}`)
    if (another === undefined) return found
    throw usageError(`several runs begin with "${typed}"`, seeList)
  }

  /** Returns all runs that began, from the newest to the oldest. Damaged runs without a time come first. */
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

  /** Reads the file of a run. A file that cannot be opened, such as a link, counts as damaged, so that the others are listed. */
  async #readOrDamaged(run: string): Promise<RunLog | undefined> {
    try {
      return await this.read(run)
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      return Object.assign(new RunLog(run), { isDamaged: true })
    }
  }

  /** Returns the status of a run at this moment. Does not wait for a sign of life. */
  async statusOf(log: RunLog): Promise<ListedRun['status']> {
    const { end, isDamaged } = log
    if (isDamaged) return 'damaged'
    if (end === undefined) return (await this.#isWorking(log)) ? 'working' : 'interrupted'
    if (end.undone === true) return 'undone'
    if (end.superseded === true) return 'stopped'
    return statusOf(end, log.queue?.dueItems ?? 0, end.exit ?? exitCodes.done)
  }

  /** Whether a process that is not known to be dead has lately shown a sign of life in a run. */
  async #isWorking(log: RunLog) {
    return mayBeAlive(this.host, log) && (await this.#ageOf(log.run)) < watchForMs
  }

  /** Reads the head of a run, but not the whole file. Returns undefined if there is no head near its beginning. */
  async headOf(run: string): Promise<LineOf<'run'> | undefined> {
    const file = await this.folder.open(`${run}.ndjson`, 'read')
    const bytes = (await file?.read(0, maxHeadBytes)) ?? Buffer.alloc(0)
    await file?.close()
    // In latin1, each byte is a character, so a text becomes the same bytes again.
    const texts = bytes.toString('latin1').split('\n')
    const lines = texts.map((text) => decodeLine(Buffer.from(text, 'latin1')))
    return lines.find((line) => line?.t === 'run')
  }
}

/** Whether nothing was ever sent in a run, because its head is not whole. */
const neverBegan = ({ queue, isDamaged }: RunLog) => queue === undefined && !isDamaged

/** Returns the error for a run that does not exist. */
export const noSuchRun = (message: string) =>
  new SvcError('rejected', message, { hint: seeList })

const seeList = say`see all of them with: ${svc`runs list`}`
