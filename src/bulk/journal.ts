/**
 * A bulk run on disk: `<state folder>/runs/<run>/` with `run.json`, `ids`, `lines` and the append-only `journal.ndjson`.
 *
 * Each line of the journal is an object whose last member `c` is the CRC-32 of the rest of the line. A `try` is on disk
 * before a byte of its request leaves; a `res` needs no sync of its own, since losing it only makes a claim weaker.
 * No line carries a secret or a signature.
 */
import { createHash } from 'node:crypto'
import { constants, writeSync } from 'node:fs'
import { access, chmod, lstat, mkdir, open, readdir, readlink, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { fileError, fileProblem } from '../errno.ts'
import { SvcError, messageOf, systemCode } from '../errors.ts'
import { checkStateFolder, makeFolders } from '../folder.ts'
import type { Host } from '../host.ts'
import { IdTable } from '../ids/id-table.ts'
import { lockHolder, takeLock, type Lock, type LockHost } from './lock.ts'
import type { Pair } from '../ids/pairs.ts'
import type { BulkOperation, EndEvent, JournalEvent, TryEvent } from './reconcile.ts'
import { parseEvent, parseRunFile } from './run-file.ts'

export type JournalHost = LockHost & Pick<Host, 'userId'>

/** The options of a run that resuming repeats. */
export interface RunOptions {
  readonly batchSize: number
  readonly concurrency: number
  readonly isolate?: boolean | undefined
  readonly ignoreNotFound?: boolean | undefined
  readonly ignoreBlocked?: boolean | undefined
  readonly maxFailures?: number | undefined
  readonly shard?: string | undefined
  readonly ifAssignee?: string | undefined
}

/** `run.json`: everything about a run but its ids and what became of them. */
export interface RunFile {
  readonly schema: 'svc.run/1'
  readonly run: string
  readonly operation: BulkOperation
  /** The resolved list (add), employee (assign with one for all) or nothing. */
  readonly target: { readonly id: string; readonly name?: string | undefined } | null
  readonly baseUrl: string
  /** Null when the credentials came from the environment. */
  readonly profile: string | null
  /** The key as `keyFingerprint` gives it, and its last four characters. */
  readonly key: { readonly fingerprint: string; readonly ending: string }
  readonly options: RunOptions
  readonly input: {
    readonly read: number
    readonly unique: number
    readonly duplicates: number
    readonly invalid: number
    /** Unique ids that belong to other shards. */
    readonly otherShards?: number | undefined
    readonly sha256: string
  }
  /** Ids or pairs in the file `ids`: fewer than `unique` for a shard. */
  readonly items: number
  readonly kind: 'ids' | 'pairs'
  /** ISO 8601. */
  readonly startedAt: string
  /** Of svc. */
  readonly version: string
}

/** What a caller knows of a run before it has a name. */
export type RunDescription = Omit<RunFile, 'schema' | 'run' | 'items' | 'kind' | 'startedAt'>

/** The ids as they are sent, a part of a table for a shard; or pairs, for merge and assign. */
export type RunItems =
  | { readonly kind: 'ids'; readonly ids: IdTable; readonly from?: number; readonly to?: number }
  | { readonly kind: 'pairs'; readonly pairs: readonly Pair[] }

export interface Journal {
  readonly run: RunFile
  readonly dir: string
  /** Resolves when the line is on disk. Lines that wait at the same moment share one sync. */
  appendTry(event: TryEvent): Promise<void>
  /** The line is written when this returns; it is on disk with the next sync. */
  append(event: JournalEvent): Promise<void>
  sync(): Promise<void>
  /** Syncs, closes and gives the lock back. Never throws after a failed write: that was reported already. */
  close(): Promise<void>
  /** Set once a line could not be written: every later append throws it. */
  readonly failure: SvcError | undefined
}

/** First sixteen digits of the SHA-256 of an API key, to tell keys apart without keeping them. */
export function keyFingerprint(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex').slice(0, 16)
}

const noFollow = constants.O_NOFOLLOW ?? 0
const createNew = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | noFollow
const journalName = 'journal.ndjson'
/** Of a journal; an answer of the service is at most 8 MiB. */
const longestLine = 16 << 20
const runName = /^\d{8}T\d{6}Z-[0-9a-f]{4}$/

/** Whether a text is a run's name: it becomes a folder's, so nothing else may pass. */
export function isRunName(text: string): boolean {
  return runName.test(text)
}

/** When a run began, to the second, in milliseconds since 1970: its name tells it even when its folder is damaged. */
function beganAt(run: string): number {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(run) ?? []
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

export function runsFolder(stateDir: string): string {
  return join(stateDir, 'runs')
}

function runFolder(stateDir: string, run: string): string {
  if (!isRunName(run)) {
    throw new SvcError('usage', `"${run}" is not a run`, { hint: 'see them with: svc runs list' })
  }
  return join(runsFolder(stateDir), run)
}

/** `20260301T101500Z-7f3a`: the second it began, and four random digits. */
function nameRun(host: JournalHost): string {
  const second = new Date(host.now()).toISOString().replace(/[-:]/g, '').replace(/\.\d+/, '')
  const tail = Math.floor(host.random() * 0x10000)
    .toString(16)
    .padStart(4, '0')
  return `${second}-${tail}`
}

const waysOut = 'name another folder with --state-dir or SVC_STATE_DIR, or do not record the run with --no-journal'

function notWritable(path: string, error: unknown): SvcError {
  return fileError('local', `the state folder cannot be written: ${path}`, error, waysOut)
}

/** Refuses a symbolic link, a folder of another user, and one that others can write. */
async function checkFolder(host: JournalHost, path: string, own: boolean): Promise<void> {
  const stat = await lstat(path)
  if (stat.isSymbolicLink()) {
    throw new SvcError('local', `the state folder is a symbolic link: ${path} -> ${await readlink(path)}`, {
      hint: waysOut,
    })
  }
  if (!stat.isDirectory()) throw new SvcError('local', `not a folder: ${path}`, { hint: waysOut })
  if (!own || host.userId === undefined) return
  if (stat.uid !== host.userId) {
    throw new SvcError('local', `the folder of the runs belongs to another user: ${path}`, { hint: waysOut })
  }
  if ((stat.mode & 0o022) !== 0) {
    throw new SvcError('local', `others can write in the folder of the runs: ${path}`, {
      hint: `chmod 700 ${path}`,
    })
  }
}

async function syncFolder(path: string): Promise<void> {
  // A folder cannot be opened on Windows; its entries are safe there without.
  let folder: FileHandle
  try {
    folder = await open(path, constants.O_RDONLY)
  } catch (error) {
    if (systemCode(error) === 'EISDIR' || systemCode(error) === 'EPERM') return
    throw error
  }
  try {
    await folder.sync()
  } catch (error) {
    if (systemCode(error) !== 'EINVAL' && systemCode(error) !== 'EPERM') throw error
  } finally {
    await folder.close()
  }
}

/** Writes all of it: a disk that fills up can take a part of a buffer without an error. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  let at = 0
  while (at < bytes.length) at += (await file.write(bytes, at, bytes.length - at)).bytesWritten
}

/** The same without a trip through the thread pool, which costs more than these few bytes into the page cache. */
function writeAllSync(descriptor: number, bytes: Uint8Array): void {
  let at = 0
  while (at < bytes.length) at += writeSync(descriptor, bytes, at, bytes.length - at)
}

async function writeNew(path: string, pieces: Iterable<Uint8Array>): Promise<void> {
  const file = await open(path, createNew, 0o600)
  try {
    for (const piece of pieces) await writeAll(file, piece)
    await file.sync()
  } finally {
    await file.close()
  }
}

function* lineNumbers(ids: IdTable, from: number, to: number): Generator<Buffer> {
  const atOnce = 8192
  for (let start = from; start < to; start += atOnce) {
    let text = ''
    for (let index = start; index < Math.min(start + atOnce, to); index += 1) text += `${ids.line(index)}\n`
    yield Buffer.from(text, 'latin1')
  }
}

function* pairLines(pairs: readonly Pair[], ofLines: boolean): Generator<Buffer> {
  const atOnce = 4096
  for (let start = 0; start < pairs.length; start += atOnce) {
    let text = ''
    for (const pair of pairs.slice(start, start + atOnce)) {
      text += ofLines ? `${pair.line}\n` : `${pair.id} ${pair.other}\n`
    }
    yield Buffer.from(text, 'utf8')
  }
}

/** SHA-256 of pairs as the file `ids` holds them. */
export function pairsSha256(pairs: readonly Pair[]): string {
  const sum = createHash('sha256')
  for (const piece of pairLines(pairs, false)) sum.update(piece)
  return sum.digest('hex')
}

/** Makes the state folder and its `runs` where they are missing. Throws exit 10, naming the ways out, when it cannot. */
export async function prepareFolders(host: JournalHost, stateDir: string): Promise<void> {
  try {
    await makeRunsFolder(host, stateDir)
  } catch (error) {
    throw notWritable(stateDir, error)
  }
}

async function makeRunsFolder(host: JournalHost, stateDir: string): Promise<void> {
  makeFolders(stateDir)
  await checkFolder(host, stateDir, false)
  checkStateFolder(host, stateDir, waysOut)
  const runs = runsFolder(stateDir)
  try {
    await mkdir(runs, { mode: 0o700 })
    await syncFolder(stateDir)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  }
  await checkFolder(host, runs, true)
  await access(runs, constants.W_OK | constants.X_OK)
}

async function makeRunFolder(host: JournalHost, stateDir: string): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    const run = nameRun(host)
    try {
      const dir = runFolder(stateDir, run)
      await mkdir(dir, { mode: 0o700 })
      // Whatever the umask takes away, the owner keeps.
      await chmod(dir, 0o700)
      return run
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || attempt === 100) throw error
    }
  }
}

/**
 * Records a new run: its folder and files are on disk, and its lock is held, when this resolves. Throws exit 10 when the
 * state folder cannot be written.
 */
export async function createRun(
  host: JournalHost,
  stateDir: string,
  description: RunDescription,
  items: RunItems,
): Promise<Journal> {
  let dir: string | undefined
  let lock: Lock | undefined
  try {
    await prepareFolders(host, stateDir)
    const run = await makeRunFolder(host, stateDir)
    dir = runFolder(stateDir, run)
    lock = await takeLock(host, dir, run)
    const count = await writeItems(dir, items)
    await writeNew(join(dir, journalName), [])
    const file: RunFile = {
      schema: 'svc.run/1',
      run,
      ...description,
      items: count,
      kind: items.kind,
      startedAt: new Date(host.now()).toISOString(),
    }
    // Last: a folder without it is a run that never began.
    await writeNew(join(dir, 'run.json'), [Buffer.from(`${JSON.stringify(file, null, 2)}\n`)])
    await syncFolder(dir)
    await syncFolder(runsFolder(stateDir))
    const handle = await open(join(dir, journalName), constants.O_WRONLY | constants.O_APPEND | noFollow)
    return startJournal(file, dir, handle, lock)
  } catch (error) {
    await lock?.release().catch(() => undefined)
    if (dir !== undefined) await rm(dir, { recursive: true, force: true }).catch(() => undefined)
    throw notWritable(dir ?? stateDir, error)
  }
}

async function writeItems(dir: string, items: RunItems): Promise<number> {
  if (items.kind === 'pairs') {
    await writeNew(join(dir, 'ids'), pairLines(items.pairs, false))
    await writeNew(join(dir, 'lines'), pairLines(items.pairs, true))
    return items.pairs.length
  }
  const { ids, from = 0, to = ids.size } = items
  await writeNew(join(dir, 'ids'), ids.encode(from, to))
  await writeNew(join(dir, 'lines'), lineNumbers(ids, from, to))
  return to - from
}

/** A line of the journal, its line end included. */
export function encodeEvent(event: JournalEvent): string {
  const text = JSON.stringify(event)
  return `${text.slice(0, -1)},"c":"${checksum(text)}"}\n`
}

function checksum(text: string | Buffer): string {
  return crc32(text).toString(16).padStart(8, '0')
}

const checkLength = ',"c":"00000000"}'.length

/** The event of a complete line without its line end, or what is wrong with the line. */
export function decodeEvent(line: Buffer): JournalEvent | string {
  const cut = line.length - checkLength
  if (cut < 1) return 'it is too short'
  const rest = Buffer.alloc(cut + 1, 0x7d)
  line.copy(rest, 0, 0, cut)
  // The whole ending is compared, so that no byte of it can change unseen.
  if (line.toString('latin1', cut) !== `,"c":"${checksum(rest)}"}`) return 'its checksum is wrong'
  let value: unknown
  try {
    value = JSON.parse(rest.toString('utf8'))
  } catch {
    return 'it is not JSON'
  }
  return parseEvent(value) ?? 'it is not an event that this version of svc knows'
}

function startJournal(run: RunFile, dir: string, file: FileHandle, lock: Lock): Journal {
  let written = 0
  let synced = 0
  /** Lines of attempts that the next sync writes. */
  let tries = ''
  /** A sync that has begun, and the one after it. */
  let running: Promise<void> | undefined
  let following: Promise<void> | undefined
  let failure: SvcError | undefined
  let closed = false

  function fail(error: unknown): SvcError {
    failure ??= new SvcError('local', `the journal of run ${run.run} cannot be written: ${fileProblem(error)}`, {
      hint: `free space, then\n  svc runs resume ${run.run}`,
      run: run.run,
      cause: error,
    })
    return failure
  }

  /** At once: a line of an answer waits for nobody's sync. */
  function write(line: string): void {
    if (failure !== undefined) throw failure
    try {
      writeAllSync(file.fd, Buffer.from(line))
      written += 1
    } catch (error) {
      throw fail(error)
    }
  }

  function checkOpen(): void {
    if (failure !== undefined) throw failure
    if (closed) throw new Error('the journal is closed')
  }

  /** One sync for every line that is written when it begins; one that has begun may have passed the last line by. */
  function commit(): Promise<void> {
    following ??= syncAfter(running)
    return following
  }

  async function syncAfter(before: Promise<void> | undefined): Promise<void> {
    await before?.catch(() => undefined)
    // Begun when this turn's answers are in, so that all who send next share it.
    await new Promise((resolve) => setImmediate(resolve))
    running = following
    following = undefined
    try {
      if (failure !== undefined) throw failure
      if (tries !== '') {
        const lines = tries
        tries = ''
        write(lines)
      }
      const covered = written
      await file.datasync()
      synced = covered
    } catch (error) {
      throw fail(error)
    } finally {
      running = undefined
    }
  }

  async function sync(): Promise<void> {
    if (failure !== undefined) throw failure
    if (written > synced || tries !== '') await commit()
  }

  return {
    run,
    dir,
    async appendTry(event) {
      checkOpen()
      tries += encodeEvent(event)
      await commit()
    },
    async append(event) {
      checkOpen()
      write(encodeEvent(event))
    },
    sync,
    async close() {
      if (closed) return
      closed = true
      try {
        await sync().catch(() => undefined)
        await file.close().catch(() => undefined)
      } finally {
        await lock.release().catch(() => undefined)
      }
    },
    get failure() {
      return failure
    },
  }
}

/** What reading a journal found beside its events. */
export interface JournalReading {
  /** Complete lines. */
  readonly lines: number
  /** Bytes up to the last line end. */
  readonly length: number
  /** Bytes after the last line end: the line that was being written when the process died. */
  readonly torn: number
}

/**
 * Reads the journal of the run in `dir`, a line at a time. Throws exit 10 with the line's number at a damaged complete
 * line. Bytes after the last line end are left out and counted.
 */
export async function readJournal(
  dir: string,
  run: string,
  onEvent: (event: JournalEvent, line: number) => void,
): Promise<JournalReading> {
  const path = join(dir, journalName)
  const damaged = (line: number, why: string): SvcError =>
    new SvcError('local', `line ${line} of the journal of run ${run} is damaged: ${why}`, {
      hint: `${path}\nnothing was sent; the outcomes up to that line can be read by hand`,
      run,
    })
  const attempts = new Map<number, { attempt: number; open: boolean }>()
  const file = await openRecorded(path, run)
  let lines = 0
  let length = 0
  let rest: Buffer = Buffer.alloc(0)
  try {
    const buffer = Buffer.allocUnsafe(1 << 18)
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null)
      if (bytesRead === 0) break
      let from = 0
      for (;;) {
        const end = buffer.subarray(0, bytesRead).indexOf(0x0a, from)
        if (end < 0) break
        const piece = buffer.subarray(from, end)
        const line = rest.length === 0 ? piece : Buffer.concat([rest, piece])
        rest = Buffer.alloc(0)
        lines += 1
        length += line.length + 1
        const event = decodeEvent(line)
        if (typeof event === 'string') throw damaged(lines, event)
        const misplaced = placeEvent(attempts, event)
        if (misplaced !== undefined) throw damaged(lines, misplaced)
        onEvent(event, lines)
        from = end + 1
      }
      rest = Buffer.concat([rest, buffer.subarray(from, bytesRead)])
      if (rest.length > longestLine) throw damaged(lines + 1, 'it does not end')
    }
  } finally {
    await file.close()
  }
  return { lines, length, torn: rest.length }
}

/** A line that is missing or stands twice shows in the numbers of the attempts. */
function placeEvent(
  attempts: Map<number, { attempt: number; open: boolean }>,
  event: JournalEvent,
): string | undefined {
  if (event.t === 'try') {
    const before = attempts.get(event.b)?.attempt ?? 0
    if (event.a !== before + 1) return `attempt ${event.a} of batch ${event.b} follows attempt ${before}`
    attempts.set(event.b, { attempt: event.a, open: true })
  } else if (event.t === 'res') {
    const last = attempts.get(event.b)
    if (last?.open !== true || last.attempt !== event.a) {
      return `it ends attempt ${event.a} of batch ${event.b}, which is not under way`
    }
    last.open = false
  }
  return undefined
}

async function openRecorded(path: string, run: string, flags: number = constants.O_RDONLY): Promise<FileHandle> {
  try {
    const file = await open(path, flags | noFollow)
    if ((await file.stat()).isFile()) return file
    await file.close()
    throw new SvcError('local', `run ${run} is damaged: not a file: ${path}`, { run })
  } catch (error) {
    if (error instanceof SvcError) throw error
    throw new SvcError('local', `run ${run} cannot be read: ${path}: ${fileProblem(error)}`, { run, cause: error })
  }
}

async function readRecorded(path: string, run: string, bound: number): Promise<string> {
  const file = await openRecorded(path, run)
  try {
    const { size } = await file.stat()
    if (size > bound) throw new SvcError('local', `run ${run} is damaged: ${path} has ${size} bytes`, { run })
    return await file.readFile('utf8')
  } catch (error) {
    if (error instanceof SvcError) throw error
    throw new SvcError('local', `run ${run} cannot be read: ${path}: ${fileProblem(error)}`, { run, cause: error })
  } finally {
    await file.close()
  }
}

/** A recorded run. Throws exit 2 when there is none of that name, exit 10 when it cannot be read. */
export async function readRun(stateDir: string, run: string): Promise<{ run: RunFile; dir: string }> {
  const dir = runFolder(stateDir, run)
  try {
    const stat = await lstat(dir)
    if (!stat.isDirectory()) throw new SvcError('local', `run ${run} is damaged: not a folder: ${dir}`, { run })
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw fileError('local', `run ${run} cannot be read`, error)
    throw new SvcError('usage', `there is no run ${run}`, { hint: 'see them with: svc runs list' })
  }
  const path = join(dir, 'run.json')
  const text = await readRecorded(path, run, 1 << 20)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new SvcError('local', `run ${run} is damaged: ${path} is not JSON: ${messageOf(error)}`, { run })
  }
  const parsed = parseRunFile(value)
  if (typeof parsed === 'string') {
    throw new SvcError('local', `run ${run} is damaged: ${path}: ${parsed}`, { run })
  }
  if (parsed.run !== run) throw new SvcError('local', `run ${run} is damaged: ${path} is of run ${parsed.run}`, { run })
  return { run: parsed, dir }
}

/** The ids of a run, with their lines. Throws exit 10 when they are not what was recorded. */
export async function readRunIds(dir: string, run: RunFile): Promise<IdTable> {
  const table = new IdTable(run.items)
  await eachItem(dir, run, (id, line) => {
    if (!/^[0-9a-fA-F]{24}$/.test(id) || !table.addText(id, line)) {
      throw changed(dir, run, `line ${table.size + 1} is not an id, or stands twice`)
    }
  })
  if (table.size !== run.items) throw changed(dir, run, `${table.size} ids instead of ${run.items}`)
  if (table.sha256() !== run.input.sha256) throw changed(dir, run, 'another checksum')
  return table
}

/** The pairs of a run, with their lines. Throws exit 10 when they are not what was recorded. */
export async function readRunPairs(dir: string, run: RunFile): Promise<Pair[]> {
  const pairs: Pair[] = []
  await eachItem(dir, run, (text, line) => {
    const [id, other, more] = text.split(' ')
    if (id === undefined || other === undefined || other === '' || more !== undefined) {
      throw changed(dir, run, `line ${pairs.length + 1} is not a pair`)
    }
    pairs.push({ id, other, line })
  })
  if (pairs.length !== run.items) throw changed(dir, run, `${pairs.length} pairs instead of ${run.items}`)
  if (pairsSha256(pairs) !== run.input.sha256) throw changed(dir, run, 'another checksum')
  return pairs
}

/** Hands on every line of `ids` with the number beside it in `lines`. */
async function eachItem(dir: string, run: RunFile, onItem: (text: string, line: number) => void): Promise<void> {
  const lines = linePieces(join(dir, 'lines'), run.run)
  try {
    let numbers: string[] = []
    let next = 0
    for await (const piece of linePieces(join(dir, 'ids'), run.run)) {
      for (const text of piece) {
        if (next === numbers.length) {
          const more = await lines.next()
          numbers = more.done === true ? [] : more.value
          next = 0
        }
        const line = Number(numbers[next] ?? Number.NaN)
        next += 1
        if (!Number.isSafeInteger(line)) throw changed(dir, run, 'the line numbers are missing or damaged')
        onItem(text, line)
      }
    }
  } finally {
    await lines.return(undefined)
  }
}

function changed(dir: string, run: RunFile, why: string): SvcError {
  return new SvcError('local', `the ids of run ${run.run} are not the recorded ones: ${why}`, {
    hint: join(dir, 'ids'),
    run: run.run,
  })
}

/** The lines of a file, many at once, without their ends. */
async function* linePieces(path: string, run: string): AsyncGenerator<string[], void, undefined> {
  const file = await openRecorded(path, run)
  try {
    const buffer = Buffer.allocUnsafe(1 << 16)
    let rest = ''
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null)
      if (bytesRead === 0) break
      const pieces = (rest + buffer.toString('latin1', 0, bytesRead)).split('\n')
      rest = pieces.pop() ?? ''
      if (pieces.length > 0) yield pieces
    }
    if (rest !== '') yield [rest]
  } finally {
    await file.close()
  }
}

export interface OpenedRun {
  readonly journal: Journal
  readonly run: RunFile
  readonly dir: string
  /** Bytes of a torn last line that were cut off; say so in a note when it is not 0. */
  readonly torn: number
}

/**
 * Goes on with a recorded run: takes its lock, reads the journal (each event is handed to `onEvent`), cuts off a torn
 * last line. Throws exit 10 when another process works on it or a line is damaged.
 */
export async function openJournal(
  host: JournalHost,
  stateDir: string,
  name: string,
  onEvent: (event: JournalEvent, line: number) => void,
): Promise<OpenedRun> {
  const { run, dir } = await readRun(stateDir, name)
  await checkFolder(host, dir, true)
  const lock = await takeLock(host, dir, name)
  try {
    const { length, torn } = await readJournal(dir, name, onEvent)
    const file = await openRecorded(join(dir, journalName), name, constants.O_RDWR | constants.O_APPEND)
    try {
      if (torn > 0) {
        await file.truncate(length)
        await file.sync()
      }
    } catch (error) {
      await file.close()
      throw error
    }
    return { journal: startJournal(run, dir, file, lock), run, dir, torn }
  } catch (error) {
    await lock.release().catch(() => undefined)
    if (error instanceof SvcError) throw error
    throw new SvcError('local', `the journal of run ${name} cannot be written: ${fileProblem(error)}`, {
      run: name,
      cause: error,
    })
  }
}

/** A run in the list: what `run.json` says, and how it ended. */
export interface ListedRun {
  readonly name: string
  readonly dir: string
  /** To the second, in milliseconds since 1970. */
  readonly beganAt: number
  /** Undefined when `problem` says why. */
  readonly run: RunFile | undefined
  /** Undefined while a session is under way, and when one died. */
  readonly end: EndEvent | undefined
  /** The process that works on it now. */
  readonly holder: number | undefined
  readonly problem: string | undefined
}

/** All runs of a state folder, newest first. A folder that is not there has none. */
export async function listRuns(host: JournalHost, stateDir: string): Promise<ListedRun[]> {
  let names: string[]
  try {
    names = await readdir(runsFolder(stateDir))
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return []
    throw new SvcError('local', `the runs cannot be listed: ${runsFolder(stateDir)}: ${fileProblem(error)}`, {
      cause: error,
    })
  }
  const listed: ListedRun[] = []
  for (const name of names.filter(isRunName).sort().reverse()) listed.push(await lookAt(host, stateDir, name))
  // A name tells the second only.
  const began = ({ run, beganAt }: ListedRun): number => (run === undefined ? beganAt : Date.parse(run.startedAt))
  return listed.sort((a, b) => began(b) - began(a))
}

async function lookAt(host: JournalHost, stateDir: string, name: string): Promise<ListedRun> {
  const dir = runFolder(stateDir, name)
  try {
    const { run } = await readRun(stateDir, name)
    return {
      name,
      dir,
      beganAt: beganAt(name),
      run,
      end: await lastEnd(join(dir, journalName), name),
      holder: await lockHolder(host, dir),
      problem: undefined,
    }
  } catch (error) {
    return {
      name,
      dir,
      beganAt: beganAt(name),
      run: undefined,
      end: undefined,
      holder: undefined,
      problem: messageOf(error),
    }
  }
}

/** The `end` that is a journal's last complete line, read from the file's tail. */
async function lastEnd(path: string, run: string): Promise<EndEvent | undefined> {
  const file = await openRecorded(path, run)
  try {
    const { size } = await file.stat()
    const tail = Buffer.alloc(Math.min(size, 4096))
    await file.read(tail, 0, tail.length, size - tail.length)
    if (tail.length === 0 || tail[tail.length - 1] !== 0x0a) return undefined
    const start = tail.subarray(0, tail.length - 1).lastIndexOf(0x0a) + 1
    const event = decodeEvent(tail.subarray(start, tail.length - 1))
    return typeof event === 'object' && event.t === 'end' ? event : undefined
  } finally {
    await file.close()
  }
}

/** Removes a run's folder. Throws exit 10 when a process works on it. */
export async function removeRun(host: JournalHost, stateDir: string, name: string): Promise<void> {
  const dir = runFolder(stateDir, name)
  const lock = await takeLock(host, dir, name)
  try {
    await rm(dir, { recursive: true, force: true })
  } catch (error) {
    await lock.release().catch(() => undefined)
    throw new SvcError('local', `run ${name} cannot be removed: ${fileProblem(error)}`, { run: name, cause: error })
  }
}
