/**
 * The turn of a run: who has it, owns the run, and is the only one who writes there. How a command gets it (begin, take), what it does
 * with it (attempts, results, signs of life), and how it ends. Each is one transaction.
 */
import { SvcError } from '../errors.ts'
import type { Host, Timer } from '../host.ts'
import type { Profile } from '../config/profile.ts'
import type { Database } from './database.ts'
import type { Batch, Job, Result, Wishes } from './job.ts'
import { findOpenIds } from './open-ids.ts'
import {
  countBatches,
  isTold,
  itemsText,
  readBatches,
  readRuns,
  readWhole,
  type RecordedJob,
  type RunRecord,
  type Runs,
  type StopReason,
  type WholeRun,
} from './record.ts'
import { changedError, lostTurnError, openIdsError, writeError } from './sentences.ts'

/** Begins a run. Throws exit 7 if its `--once` name is taken by now, and exit 2 or 7 if its ids are open in another run. */
export async function begin(runs: Runs, job: Job, recorded: RecordedJob, profile: Profile) {
  const { host } = runs
  const { operation, once = null, accept = [] } = job
  const rows = await newRows(host, job)
  return runs.write((database) => {
    const [taken] = once === null ? [] : readRuns(database, 'WHERE once = ?', once)
    if (taken !== undefined) throw changedError(taken, taken)
    const open = findOpenIds(database, job, profile.baseUrl)
    if (open !== undefined) throw openIdsError(open, profile)
    database.run(
      'INSERT INTO runs (id, once, job, accepted, begun, touched, turn, working, pid, host) VALUES (?, ?, ?, ?, ?5, ?5, 1, 1, ?, ?)',
      ...[newId(database, operation.name), once, JSON.stringify(recorded)],
      ...[JSON.stringify(accept), host.now(), host.pid, host.computer.hostname],
    )
    const key = Number(database.get('SELECT last_insert_rowid() AS key')?.['key'])
    const insert = `INSERT INTO batches (run, n, size, outcome, due, items) VALUES (?, ?, ?, 'not-attempted', 1, ?)`
    for (const row of rows) database.run(insert, key, ...row)
    return turnOf(database, key)
  })
}

/** Returns the columns of new batches. Yields to Node meanwhile, because a million ids take a second. */
async function newRows(host: Host, { operation: { most }, items }: Job) {
  const rows: [n: number, size: number, items: string][] = []
  for (let n = 0; n < items.length; n += most) {
    const own = items.slice(n, n + most)
    rows.push([n, own.length, itemsText(own)])
    if (rows.length % 500 === 0) await host.turn()
  }
  return rows
}

/** Returns an id of a run that no other has: `delete-20260301-101500-3f9a`. Two that begin in one second may draw the same digits. */
function newId(database: Database, operation: string) {
  const { host } = database
  const [, verb = ''] = /^\w+\.(\w+)/.exec(operation) ?? []
  const digits = new Date(host.now()).toISOString().replace(/\D/g, '')
  for (let drawn = host.randomBytes(2).readUInt16BE(); ; drawn = (drawn + 1) % 0x10000) {
    const suffix = drawn.toString(16).padStart(4, '0')
    const id = `${verb}-${digits.slice(0, 8)}-${digits.slice(8, 14)}-${suffix}`
    if (database.get('SELECT key FROM runs WHERE id = ?', id) === undefined) return id
  }
}

function turnOf(database: Database, key: number) {
  const [record] = readRuns(database, 'WHERE key = ?', key)
  if (record === undefined) throw new TypeError('the run is not in the record')
  const due = database.all(
    'SELECT n FROM batches WHERE run = ? AND due = 1 ORDER BY n DESC',
    key,
  )
  return new Turn(
    database,
    record,
    due.map(({ n }) => Number(n)),
  )
}

/**
 * Takes the turn of a run. The end of a finished one stays: its result is only given again. Throws exit 7 unless the run is as a person
 * was asked about it.
 */
export function take(runs: Runs, asked: RunRecord, { accept }: Wishes): Promise<Turn> {
  const { host } = runs
  return runs.write((database) => {
    checkUnchanged(database, asked)
    database.run(
      `UPDATE runs SET turn = turn + 1, working = 1, pid = ?, host = ?, touched = ?, counts = NULL, due = NULL,
        accepted = ?, ended = ? WHERE key = ?`,
      ...[host.pid, host.computer.hostname, host.now()],
      ...[JSON.stringify(accept ?? asked.accepted), asked.due === 0 ? asked.ended : null],
      asked.key,
    )
    return turnOf(database, asked.key)
  })
}

/** Closes a run: nothing of it is due or open anymore. */
export function close(runs: Runs, asked: RunRecord): Promise<void> {
  return runs.write((database) => {
    checkUnchanged(database, asked)
    database.run('UPDATE batches SET due = 0 WHERE run = ? AND due = 1', asked.key)
    const { counts } = countBatches(database, asked.key)
    database.run(
      'UPDATE runs SET turn = turn + 1, working = 0, closed = ?1, ended = ?1, touched = ?1, counts = ?, due = 0 WHERE key = ?',
      ...[runs.host.now(), JSON.stringify(counts), asked.key],
    )
  })
}

/** Removes runs from the record, all or none. */
export function remove(runs: Runs, asked: readonly RunRecord[]): Promise<void> {
  return runs.write((database) => {
    for (const record of asked) {
      checkUnchanged(database, record)
      removeRows(database, record.key)
    }
  })
}

function removeRows(database: Database, key: number) {
  database.run('DELETE FROM batches WHERE run = ?', key)
  database.run('DELETE FROM runs WHERE key = ?', key)
}

/** Throws exit 7 unless a run is as it was read, and at rest or as silent as it was then. */
function checkUnchanged(database: Database, asked: RunRecord) {
  const [now] = readRuns(database, 'WHERE key = ?', asked.key)
  const isSame =
    now?.turn === asked.turn &&
    now.touched === asked.touched &&
    now.working === asked.working
  if (!isSame) throw changedError(asked, now)
}

/** A command shows that it works this often. */
const signEveryMs = 2000

/** The turn of this command. Every write makes sure that it still has the turn. */
export class Turn {
  /** The run as it was when the turn began. */
  readonly record: RunRecord
  /** Why nothing can be written anymore. */
  failure: SvcError | undefined
  /** Another command has the turn by now, or the run was removed. */
  isLost = false
  readonly #database: Database
  /** The numbers of the batches that are due, the next one last. A million ids are read as they are sent. */
  readonly #due: number[]
  readonly #signs: Timer
  #waiting: (() => void)[] = []
  #commit: Promise<void> | undefined

  constructor(database: Database, record: RunRecord, due: number[]) {
    this.#database = database
    this.record = record
    this.#due = due
    // A failure is kept, and ends the next attempt.
    this.#signs = database.host.every(
      signEveryMs,
      () => void this.settle().catch(() => undefined),
    )
  }

  /** Takes the next batch that is due; undefined if there is none. */
  next(): Batch | undefined {
    const n = this.#due.pop()
    return n === undefined ? undefined : this.#batch(n)
  }

  #batch(n: number) {
    return this.#keepFailure(
      () =>
        this.#database.read(() =>
          readBatches(this.#database, this.record.key, 'AND n = ?', n),
        )[0],
    )
  }

  /** Records that a batch is about to be sent, with what its operation notes. When this resolves, the request may leave. */
  async attempt(batch: Batch, noted: object | undefined): Promise<void> {
    const due = !this.record.job.isSentOnce
    await this.#save(batch, { outcomes: 'unknown', due, noted })
  }

  /** Records what is known of a batch now, together with the next attempt, if that comes in the same moment. */
  result(batch: Batch, result: Result) {
    // A failure is kept, and ends the next attempt.
    this.#save(batch, result).catch(() => undefined)
  }

  #save(batch: Batch, { outcomes, due = false, noted = batch.noted, ...facts }: Result) {
    const all = typeof outcomes === 'string' ? batch.items.map(() => outcomes) : outcomes
    const at = this.#database.host.now()
    Object.assign(batch, { outcomes: all, isDue: due, at, noted })
    const { status = null, code = null, message = null } = facts
    const isSame = new Set(all).size === 1
    const values = [
      ...(isSame ? [all[0] ?? null, null] : [null, JSON.stringify(all)]),
      ...[due ? 1 : 0, at, status, code, message],
      noted === undefined ? null : JSON.stringify(noted),
    ]
    return this.#write(() => {
      this.#database.run(
        'UPDATE batches SET outcome = ?, outcomes = ?, due = ?, at = ?, status = ?, code = ?, message = ?, noted = ? WHERE run = ? AND n = ?',
        ...[...values, this.record.key, batch.n],
      )
    })
  }

  /** Writes all that waits at this moment in one transaction. */
  #write(write: () => void): Promise<void> {
    this.#waiting.push(write)
    this.#commit ??= this.#database.host.turn().then(() => {
      this.#commit = undefined
      this.#transact(() => undefined)
    })
    return this.#commit
  }

  /** Writes what waits, and then the rest, if this command still has the turn. */
  #transact<T>(rest: () => T): T {
    if (this.failure !== undefined) throw this.failure
    const { key, turn } = this.record
    const writes = this.#waiting
    this.#waiting = []
    return this.#keepFailure(() =>
      this.#database.write(() => {
        const mine =
          'UPDATE runs SET touched = ? WHERE key = ? AND turn = ? AND working = 1'
        this.isLost = this.#database.run(mine, this.#database.host.now(), key, turn) === 0
        if (this.isLost) throw lostTurnError(this.record)
        for (const write of writes) write()
        return rest()
      }),
    )
  }

  /** Works on the record. If that fails, nothing more is sent or written. */
  #keepFailure<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (error instanceof SvcError)
        this.failure = error.category === 'usage' ? writeError(this.record, error) : error
      throw this.failure ?? error
    }
  }

  /** Puts all results on disk. */
  settle(): Promise<void> {
    return this.#write(() => undefined)
  }

  /** Reads the run as it is on disk. */
  read(): WholeRun {
    const { key } = this.record
    const found = this.#database.read(() => readWhole(this.#database, key))
    if (found === undefined) throw lostTurnError(this.record)
    return found
  }

  /** Ends the turn. Returns the run with the batches that are told. One that was not allowed, and of which nothing was taken, is removed: `isForgotten`. */
  end(stop: StopReason | undefined): WholeRun & { isForgotten: boolean } {
    const { key, job } = this.record
    return this.#transact(() => {
      const { counts, due } = countBatches(this.#database, key)
      this.#database.run(
        'UPDATE runs SET working = 0, counts = ?, due = ?, stop = iif(ended IS NULL, ?, stop), ended = coalesce(ended, ?) WHERE key = ?',
        ...[JSON.stringify(counts), due, stop ?? null, this.#database.host.now(), key],
      )
      const ended = readWhole(this.#database, key, isTold)
      if (ended === undefined) throw lostTurnError(this.record)
      const isForgotten =
        stop === 'not-allowed' && counts['not-attempted'] === job.input.unique
      if (isForgotten) removeRows(this.#database, key)
      return { ...ended, isForgotten }
    })
  }

  /** Ends the signs of life. */
  release() {
    this.#signs.cancel()
  }
}
