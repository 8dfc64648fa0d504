/** The recorded runs: how they are named, which one a command means, and what a list says of them. */
import { SvcError, usageError } from '../errors.ts'
import { say, svc } from '../message.ts'
import { isDead, RunFile, watchFor, type FileHost } from './file.ts'
import type { RunFolder } from './folder.ts'
import { decodeLine, longestLine, type Head, type LineOf, type Party } from './lines.ts'
import type { RunLog } from './log.ts'
import { operationOf } from './operations/operations.ts'
import { isAnswered, isInDoubt } from './request.ts'

/** Hours after which the same command begins a new run beside one that is not finished. */
const resumedWithin = 8 * 60 * 60_000

const isNumbered = (run: string) => /^(?:undo-)?[a-z]+-[0-9a-f]{12}\.\d+$/.test(run)
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
  status:
    'complete' | 'partial' | 'stopped' | 'interrupted' | 'working' | 'undone' | 'damaged'
  /** Milliseconds since 1970. */
  startedAt: number
  head: Head | undefined
  /** The computer of its last session. */
  host: string | undefined
  end: LineOf<'end'> | undefined
  isFinished: boolean
}

/** A name for a new run, and the run before it that is not finished, if there is one. */
export interface RunName {
  run: string
  before?: string | undefined
  /** The finished run of the same job. */
  done?: string | undefined
}

/** Bytes of each end of a file in which a list looks. */
const endLength = 1 << 16

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

  /** The lines of a run; undefined if there is none. */
  async read(run: string): Promise<RunLog | undefined> {
    const file = await RunFile.open(this.host, this.folder, run, 'present')
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
    if (log.isFinished) return { run: next, done: run }
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
      const { head } = await this.#readEnds(run)
      const isOther = head !== undefined && head.operation !== 'contacts.merge'
      const log = isOther ? undefined : await this.read(run)
      if (log?.head?.operation !== 'contacts.merge' || log.head.baseUrl !== baseUrl)
        continue
      const doubtful = log.queue?.requests.filter(
        (each) => !isAnswered(each) && isInDoubt(each),
      )
      for (const { range } of doubtful ?? []) {
        const { id, other = '' } = log.items.at(range[0])
        if (sources.has(id.toLowerCase())) throw mergeInDoubt(run, id, other)
      }
    }
  }

  /** The run that is meant. `isWanted`: for `--last`. Throws exit 1 if there is none. */
  async find(
    { run, last = false }: RunReference,
    service: () => Promise<{ baseUrl: string; key: string }>,
    isWanted: (listed: ListedRun) => boolean = () => true,
  ): Promise<string> {
    if (run !== undefined && last) throw usageError('--last cannot be used with a run')
    if (run !== undefined) return this.#named(run)
    if (!last) throw usageError('missing required argument "run"', this.#seeList)
    const { baseUrl, key } = await service()
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
    if (exact !== undefined) return exact
    const fitting = all.filter((each) => each.startsWith(wanted))
    const [only, another] = fitting
    if (only === undefined)
      throw this.missing(`there is no run "${text}" in ${this.folder.path}`)
    if (another === undefined) return only
    const names = fitting.slice(0, 5).map((each) => `\n  ${each}`)
    throw usageError(
      `several runs begin with "${text}"`,
      `name one of them:${names.join('')}`,
    )
  }

  missing(message: string): SvcError {
    return new SvcError('rejected', message, { hint: this.#seeList })
  }

  readonly #seeList = say`see all of them with: ${svc`runs list`}`

  /** All runs that began, newest first. */
  async list(): Promise<ListedRun[]> {
    const listed: ListedRun[] = []
    for (const run of await this.names()) {
      const each = await this.look(run)
      if (each !== undefined) listed.push(each)
    }
    const rank = ({ startedAt }: ListedRun) =>
      Number.isNaN(startedAt) ? Infinity : startedAt
    return listed.sort(
      (one, other) => rank(other) - rank(one) || (one.run < other.run ? 1 : -1),
    )
  }

  /** A run with an `end` is told by its first and last lines, any other by all of them. Undefined if it never began. */
  async look(run: string): Promise<ListedRun | undefined> {
    const { head, startedAt, host, end } = await this.#readEnds(run)
    if (head !== undefined && end !== undefined) {
      const isFinished = end.undone === true || end.superseded === true || end.due === 0
      return { run, head, startedAt, host, end, isFinished, status: statusOfEnd(end) }
    }
    const log = await this.read(run)
    if (log === undefined) return undefined
    const { isDamaged, isFinished, session } = log
    if (log.queue === undefined && !isDamaged) return undefined
    const told = {
      run,
      head: log.head,
      startedAt: log.startedAt,
      host: session?.host,
      end: log.end,
      isFinished,
    }
    if (isDamaged) return { ...told, status: 'damaged' }
    if (log.end !== undefined) return { ...told, status: statusOfEnd(log.end) }
    return { ...told, status: (await this.isWorking(run, log)) ? 'working' : 'interrupted' }
  }

  /** Whether a process may be at work on a run, without waiting: it was touched lately, and is not known to be dead. */
  async isWorking(run: string, { session, end }: RunLog) {
    if (session === undefined || end !== undefined || isDead(this.host, session))
      return false
    const facts = await this.folder.factsOf(`${run}.ndjson`)
    return this.host.now() - (facts?.mtimeMs ?? 0) < watchFor
  }

  /** The head and the last line of a run, if that is an `end`. */
  async #readEnds(run: string) {
    const told: { head?: Head; startedAt: number; host?: string; end?: LineOf<'end'> } = {
      startedAt: NaN,
    }
    const file = await this.folder.open(`${run}.ndjson`, 'present')
    if (file === undefined) return told
    const { size } = await file.facts()
    const first = await file.read(0, Math.min(endLength, longestLine))
    const last = await file.read(Math.max(0, size - endLength), endLength)
    await file.close()
    for (const line of linesIn(first)) {
      if (line?.t === 'session') told.host ??= line.host
      if (line?.t !== 'run') continue
      const { n: _n, s: _s, t: _t, at, ...head } = line
      Object.assign(told, { head, startedAt: at })
      break
    }
    const line = linesIn(last).at(-1)
    if (line?.t === 'end') told.end = line
    return told
  }
}

function mergeInDoubt(run: string, id: string, other: string) {
  return usageError(
    `it is not known whether ${id} was merged into ${other} by run ${run}; nothing was sent`,
    say`look at both contacts (a lost request can take effect within 11 minutes):\n  ${svc`contacts get ${id} ${other}`}\nto send this merge all the same, add --new-run (instead of --once, or with another name)`,
  )
}

/** The lines of a piece of a file: undefined for one that is cut off or bad. Empty ones are left out. */
function linesIn(bytes: Buffer) {
  const lines: (ReturnType<typeof decodeLine> | undefined)[] = []
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(0x0a, from)
    const piece = bytes.subarray(from, end < 0 ? bytes.length : end)
    if (piece.length > 0) lines.push(decodeLine(piece))
    from += piece.length + 1
  }
  return lines
}

function statusOfEnd({
  undone,
  superseded,
  stop,
  exit = 0,
}: LineOf<'end'>): ListedRun['status'] {
  if (undone === true) return 'undone'
  if (stop === 'signal') return 'interrupted'
  if (superseded === true || stop !== undefined) return 'stopped'
  return exit === 0 ? 'complete' : 'partial'
}

/** `VIP (6400…)`: a list or an employee by name and id. */
export const partyText = ({ id, name }: Party) =>
  name === undefined ? id : `${name} (${id})`
