/** The recorded runs: how they are named, which one a command means, and what a list says of them. */
import type { Profile } from '../config/profile.ts'
import { exit, SvcError, usageError } from '../errors.ts'
import { say, svc } from '../message.ts'
import { isDead, RunFile, watchFor, type FileHost } from './file.ts'
import type { HowToOpen, RunFolder } from './folder.ts'
import { decodeLine, keyFingerprint, type Head, type LineOf } from './lines.ts'
import { begun, isBegun, RunLog, type BegunLog } from './log.ts'
import { operationOf } from './operations/operations.ts'
import { isAnswered, isInDoubt } from './operations/operation.ts'
import { statusOf, type Summary } from './summary.ts'

/** Hours after which the same command begins a new run beside one that is not finished. */
const resumedWithin = 8 * 60 * 60_000

export const isNumbered = (run: string) => /^(?:undo-)?[a-z]+-[0-9a-f]{12}\.\d+$/.test(run)
const isNamed = (run: string) => /^(?:undo-)?@[a-z0-9._-]{1,64}$/.test(run)

/** The name of the file of a `--once` name. */
export const onceRun = (once: string) => `@${once.toLowerCase()}`
export const undoRun = (run: string) => `undo-${run}`
export const isUndo = (run: string) => run.startsWith('undo-')

/** Throws exit 2 for what `--once` does not take. */
export function checkOnceName(text: string) {
  if (/^[A-Za-z0-9._-]{1,64}$/.test(text)) return
  throw usageError(
    '--once takes a name of 1 to 64 letters, digits, ".", "_" and "-"',
    'for example --once cleanup-2026-03-01; a job that recurs needs a new name each time',
  )
}

/** Which run a command means. `last`: the newest of a service. */
export interface RunReference {
  run: string | undefined
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

/** A name for a new run, and the runs of the same job before it. */
export interface RunName {
  run: string
  /** Not finished: it is closed when the new one begins. */
  before?: string | undefined
  /** Finished. */
  done?: BegunLog | undefined
}

/** Bytes in which the head of a run is looked for. */
const longestHead = 1 << 16

export class Runs {
  readonly host: FileHost
  readonly folder: RunFolder

  constructor(host: FileHost, folder: RunFolder) {
    this.host = host
    this.folder = folder
  }

  /** All runs by their names. */
  async names(): Promise<string[]> {
    const files = await this.folder.names()
    return files.flatMap((file) => {
      const run = file.replace(/\.ndjson$/, '')
      return run !== file && (isNumbered(run) || isNamed(run)) ? [run] : []
    })
  }

  /** Opens the file of a run: undefined if there is none. Or creates it: undefined if there is one. */
  open(run: string, how: HowToOpen = 'present') {
    return RunFile.open(this.host, this.folder, run, how)
  }

  /** The lines of a run; undefined if there is none. */
  async read(run: string): Promise<RunLog | undefined> {
    const file = await this.open(run, 'read')
    await file?.close()
    return file?.log
  }

  /** The run of a job without a name, chosen once: its last one while that is not finished, else the next number. */
  async nameFor({ operation, job }: Head, isNew: boolean): Promise<RunName> {
    const base = `${operationOf(operation).words.run}-${job.slice(0, 12)}`
    const numbers = (await this.names()).flatMap((run) => {
      const [, name, k] = /^(?:undo-)?(.*)\.(\d+)$/.exec(run) ?? []
      return name === base ? [Number(k)] : []
    })
    const last = Math.max(0, ...numbers)
    const run = `${base}.${last}`
    const next = `${base}.${last + 1}`
    const log = last === 0 ? undefined : await this.read(run)
    if (log === undefined) return { run: next }
    if (log.isFinished) return { run: next, done: isBegun(log) ? log : undefined }
    // Nothing was ever sent in it.
    if (log.queue === undefined && !log.isDamaged) return { run }
    const facts = await this.folder.factsOf(`${run}.ndjson`)
    const isOld = this.host.now() - (facts?.mtimeMs ?? 0) > resumedWithin
    if (!isOld && !isNew) return { run }
    return { run: next, before: log.isDamaged ? undefined : run }
  }

  /**
   * Throws exit 2 for a source whose merge is in doubt, in any run of merges on this service. Names and second lines say
   * what a run is.
   */
  async checkMerges(
    own: string,
    baseUrl: string,
    sources: ReadonlySet<string>,
  ): Promise<void> {
    for (const run of await this.names()) {
      if (run === own || !/^(?:merge-|@)/.test(run)) continue
      const head = await this.#headOf(run)
      const isOther = head?.operation !== 'contacts.merge' || head.baseUrl !== baseUrl
      if (head !== undefined && isOther) continue
      const log = await this.read(run)
      if (log?.isDamaged === true && log.queue === undefined) throw unreadableMerges(run)
      if (isBegun(log)) checkDoubts(log, sources)
    }
  }

  /** The run that is meant, as it is now. `isWanted`: for `--last`. Throws exit 1 if there is none, 2 if it never began. */
  async find(
    { run: typed, last = false }: RunReference,
    profile: () => Promise<Profile>,
    isWanted: (listed: ListedRun) => boolean = () => true,
  ): Promise<BegunLog> {
    if (typed !== undefined && last) throw usageError('--last cannot be used with a run')
    if (typed === undefined && !last)
      throw usageError('missing required argument "run"', this.#seeList)
    const run =
      typed === undefined
        ? await this.#last(await profile(), isWanted)
        : await this.#named(typed)
    const log = await this.read(run)
    if (log === undefined) throw this.missing(`there is no run ${run}`)
    return begun(log)
  }

  async #last({ baseUrl, apiKey }: Profile, isWanted: (listed: ListedRun) => boolean) {
    const key = keyFingerprint(apiKey)
    const found = (await this.list()).find(
      (each) => each.head?.baseUrl === baseUrl && each.head.key === key && isWanted(each),
    )
    if (found !== undefined) return found.run
    throw this.missing(`there is no such run on ${new URL(baseUrl).host} with this key`)
  }

  async #named(text: string): Promise<string> {
    const all = await this.names()
    const wanted = text.toLowerCase()
    const exact = [wanted, onceRun(wanted)].find((each) => all.includes(each))
    const fitting =
      exact === undefined ? all.filter((each) => each.startsWith(wanted)) : [exact]
    const [only, another] = fitting
    if (only === undefined)
      throw this.missing(`there is no run "${text}" in ${this.folder.path}`)
    if (another === undefined) return only
    throw usageError(`several runs begin with "${text}"`, this.#seeList)
  }

  missing(message: string): SvcError {
    return new SvcError('rejected', message, { hint: this.#seeList })
  }

  readonly #seeList = say`see all of them with: ${svc`runs list`}`

  /** All runs that began, newest first. */
  async list(): Promise<ListedRun[]> {
    const listed: ListedRun[] = []
    for (const run of await this.names()) {
      const each = await this.#look(run)
      if (each !== undefined) listed.push(each)
    }
    const rank = ({ head }: ListedRun) => head?.at ?? Infinity
    return listed.sort(
      (one, other) => rank(other) - rank(one) || (one.run < other.run ? 1 : -1),
    )
  }

  /** Undefined for a run that never began. */
  async #look(run: string): Promise<ListedRun | undefined> {
    const log = await this.#readOrDamaged(run)
    if (log === undefined) return undefined
    const { head, queue, end, session, isFinished, isDamaged } = log
    if (queue === undefined && !isDamaged) return undefined
    const status = await this.#statusOf(log)
    return { run, head, end, host: session?.host, isFinished, status }
  }

  /** What is there under the name of a run and is no file of ours, such as a link, is told of and stops no list. */
  async #readOrDamaged(run: string): Promise<RunLog | undefined> {
    try {
      return await this.read(run)
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      return Object.assign(new RunLog(run), { isDamaged: true })
    }
  }

  async #statusOf(log: RunLog): Promise<ListedRun['status']> {
    const { end, isDamaged } = log
    if (isDamaged) return 'damaged'
    if (end === undefined) return (await this.isWorking(log)) ? 'working' : 'interrupted'
    if (end.undone === true) return 'undone'
    if (end.superseded === true) return 'stopped'
    return statusOf(end, log.queue?.dueItems ?? 0, end.exit ?? exit.done)
  }

  /** Whether a process may be at work on a run, without waiting: it was touched lately, and is not known to be dead. */
  async isWorking({ run, session, end }: RunLog) {
    if (session === undefined || end !== undefined || isDead(this.host, session))
      return false
    const facts = await this.folder.factsOf(`${run}.ndjson`)
    return this.host.now() - (facts?.mtimeMs ?? 0) < watchFor
  }

  /** The head of a run: its second line, which says what it is. */
  async #headOf(run: string): Promise<LineOf<'run'> | undefined> {
    const file = await this.folder.open(`${run}.ndjson`, 'read')
    const bytes = await file?.read(0, longestHead)
    await file?.close()
    const texts = bytes?.toString('latin1').split('\n') ?? []
    const lines = texts.map((text) => decodeLine(Buffer.from(text, 'latin1')))
    return lines.find((line) => line?.t === 'run')
  }
}

/** Throws exit 2 for the first of these sources whose merge is in doubt. */
function checkDoubts({ run, head, queue, items }: BegunLog, sources: ReadonlySet<string>) {
  if (head.operation !== 'contacts.merge') return
  const doubtful = queue.requests.filter((each) => !isAnswered(each) && isInDoubt(each))
  const pairs = doubtful.map(({ range }) => items.at(range[0]))
  const pair = pairs.find(({ id }) => sources.has(id.toLowerCase()))
  if (pair === undefined) return
  const { id, other = '' } = pair
  throw usageError(
    `it is not known whether ${id} was merged into ${other} by run ${run}; nothing was sent`,
    say`look at both contacts (a lost request can take effect within 11 minutes):\n  ${svc`contacts get ${id} ${other}`}\nto send this merge all the same, add --new-run (instead of --once, or with another name)`,
  )
}

function unreadableMerges(run: string) {
  return usageError(
    `the record of run ${run} is damaged, so it is not known which merges it leaves in doubt; nothing was sent`,
    'if none of these contacts can be among them, add --new-run (instead of --once, or with another name)',
  )
}
