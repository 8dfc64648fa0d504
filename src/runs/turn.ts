/**
 * The turn of a run: who has it, owns the run, and is the only one who writes there. How a command gets it (begin, take), what it does
 * with it (attempts, results, signs of life), and how it ends. Each is one transaction.
 */
import { SvcError } from '../errors.ts'
import type { Host, SqlValue, Timer } from '../host.ts'
import type { Profile } from '../config/profile.ts'
import type { Database } from './database.ts'
import type { Batch, Job, Result, Wishes } from './job.ts'
import { findOpenIds } from './open-ids.ts'
import {
  countBatches,
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
  const database = await runs.writable()
  const rows = await newRows(host, job)
  const now = host.now()
  const run: Readonly<Record<string, SqlValue>> = {
    id: newId(host, operation.name),
    once,
    job: JSON.stringify(recorded),
    accepted: JSON.stringify(accept),
    begun: now,
    touched: now,
    turn: 1,
    working: 1,
    pid: host.pid,
    host: host.computer.hostname,
  }
  const names = Object.keys(run)
  return database.write(() => {
    const taken = once === null ? [] : readRuns(host, database, 'WHERE once = ?', once)
    if (taken[0] !== undefined) throw changedError(taken[0], taken[0])
    const open = findOpenIds(host, database, job, profile.baseUrl)
    if (open !== undefined) throw openIdsError(open, profile)
    database.run(
      `INSERT INTO runs (${names.join()}) VALUES (${names.map(() => '?').join()})`,
      ...Object.values(run),
    )
    const key = Number(database.get('SELECT last_insert_rowid() AS key')?.['key'])
    const insert = `INSERT INTO batches (run, n, size, outcome, due, items) VALUES (?, ?, ?, 'not-attempted', 1, ?)`
    for (const row of rows) database.run(insert, key, ...row)
    return turnOf(host, database, key)
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

/** Returns an id of a run: `delete-20260301-101500-3f9a`. */
function newId(host: Host, operation: string) {
  const [, verb = ''] = /^\w+\.(\w+)/.exec(operation) ?? []
  const digits = new Date(host.now()).toISOString().replace(/\D/g, '')
  const suffix = host.randomBytes(2).toString('hex')
  return `${verb}-${digits.slice(0, 8)}-${digits.slice(8, 14)}-${suffix}`
}

function turnOf(host: Host, database: Database, key: number) {
  const [record] = readRuns(host, database, 'WHERE key = ?', key)
  if (record === undefined) throw new TypeError('the run is not in the record')
  return new Turn(host, database, record, readBatches(database, key, 'AND due = 1'))
}

/**
 * Takes the turn of a run. The end of a finished one stays: its result is only given again. Throws exit 7 unless the run is as a person
 * was asked about it.
 */
export async function take(
  runs: Runs,
  asked: RunRecord,
  { accept }: Wishes,
): Promise<Turn> {
  const { host } = runs
  const database = await runs.writable()
  return database.write(() => {
    checkUnchanged(host, database, asked)
    const accepted = accept === undefined ? null : JSON.stringify(accept)
    database.run(
      `UPDATE runs SET turn = turn + 1, working = 1, pid = ?, host = ?, touched = ?, counts = NULL, due = NULL,
        accepted = coalesce(?, accepted), ended = CASE WHEN ? THEN ended END WHERE key = ?`,
      ...[host.pid, host.computer.hostname, host.now(), accepted],
      ...[asked.due === 0 ? 1 : 0, asked.key],
    )
    return turnOf(host, database, asked.key)
  })
}

/** Closes a run: nothing of it is due or open anymore. */
export async function close(runs: Runs, asked: RunRecord): Promise<void> {
  const { host } = runs
  const database = await runs.writable()
  database.write(() => {
    checkUnchanged(host, database, asked)
    database.run('UPDATE batches SET due = 0 WHERE run = ? AND due = 1', asked.key)
    const { counts } = countBatches(database, asked.key)
    const now = host.now()
    database.run(
      'UPDATE runs SET turn = turn + 1, working = 0, closed = ?, ended = ?, touched = ?, counts = ?, due = 0 WHERE key = ?',
      ...[now, now, now, JSON.stringify(counts), asked.key],
    )
  })
}

/** Removes runs from the record, all or none. */
export async function remove(runs: Runs, asked: readonly RunRecord[]) {
  const { host } = runs
  const database = await runs.writable()
  database.write(() => {
    for (const record of asked) {
      checkUnchanged(host, database, record)
      removeRows(database, record.key)
    }
  })
}

function removeRows(database: Database, key: number) {
  database.run('DELETE FROM batches WHERE run = ?', key)
  database.run('DELETE FROM runs WHERE key = ?', key)
}

/** Throws exit 7 unless a run is as it was read, and at rest or as silent as it was then. */
function checkUnchanged(host: Host, database: Database, asked: RunRecord) {
  const [now] = readRuns(host, database, 'WHERE key = ?', asked.key)
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
  readonly #host: Host
  readonly #database: Database
  /** What is due, the next one last. */
  readonly #due: Batch[]
  readonly #signs: Timer
  #waiting: (() => void)[] = []
  #commit: Promise<void> | undefined

  constructor(host: Host, database: Database, record: RunRecord, due: readonly Batch[]) {
    this.#host = host
    this.#database = database
    this.record = record
    this.#due = due.toReversed()
    // A failure is kept, and ends the next attempt.
    this.#signs = host.every(signEveryMs, () => void this.settle().catch(() => undefined))
  }

  /** Takes the next batch that is due; undefined if there is none. */
  next(): Batch | undefined {
    return this.#due.pop()
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

  #save(batch: Batch, { outcomes, due = false, status, code, message, noted }: Result) {
    const all =
      typeof outcomes === 'string' ? batch.items.map(() => outcomes) : [...outcomes]
    const facts = { status, code, message, noted: noted ?? batch.noted }
    Object.assign(batch, { outcomes: all, isDue: due, at: this.#host.now(), ...facts })
    const values = stateOf(batch)
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
    this.#commit ??= this.#host.turn().then(() => {
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
    try {
      return this.#database.write(() => {
        const mine =
          'UPDATE runs SET touched = ? WHERE key = ? AND turn = ? AND working = 1'
        this.isLost = this.#database.run(mine, this.#host.now(), key, turn) === 0
        if (this.isLost) throw lostTurnError(this.record)
        for (const write of writes) write()
        return rest()
      })
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
    const found = this.#database.read(() => readWhole(this.#host, this.#database, key))
    if (found === undefined) throw lostTurnError(this.record)
    return found
  }

  /** Ends the turn. A run that was not allowed, and of which nothing was taken, is removed: `isForgotten`. */
  end(stop: StopReason | undefined): WholeRun & { isForgotten: boolean } {
    const { key, job } = this.record
    return this.#transact(() => {
      const { counts, due } = countBatches(this.#database, key)
      this.#database.run(
        'UPDATE runs SET working = 0, counts = ?, due = ?, stop = iif(ended IS NULL, ?, stop), ended = coalesce(ended, ?) WHERE key = ?',
        ...[JSON.stringify(counts), due, stop ?? null, this.#host.now(), key],
      )
      const ended = readWhole(this.#host, this.#database, key)
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

/** Returns the columns of a batch that attempts and results write. */
function stateOf({ outcomes: all, isDue, noted, ...facts }: Batch): SqlValue[] {
  const [first = 'unknown'] = all
  const isSame = all.every((each) => each === first)
  return [
    isSame ? first : null,
    isSame ? null : JSON.stringify(all),
    isDue ? 1 : 0,
    facts.at ?? null,
    facts.status ?? null,
    facts.code ?? null,
    facts.message ?? null,
    noted === undefined ? null : JSON.stringify(noted),
  ]
}
