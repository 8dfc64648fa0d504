/**
 * The locks of the commands that work: files next to the record, `runs.db-lock1` and so on, with
 * nothing in them. The system frees the lock of a process that ends, however it ends.
 */
import { usageError } from '../errors.ts'
import type { Host, SqlDatabase } from '../host.ts'
import { explain, isDamage, isLocked, noLocks } from './database.ts'

/** More commands than a machine runs at once. On a disk without locks, none is ever free. */
const mostLocks = 1000

export class Locks {
  readonly #host: Host
  readonly #record: string
  /** A connection without a file of its own, to which SQLite attaches these files. */
  #sql: SqlDatabase | undefined
  /** The number of the lock that this command has. */
  #own: number | undefined

  constructor(host: Host, record: string) {
    this.#host = host
    this.#record = record
  }

  async open() {
    this.#sql ??= await this.#host.openDatabase(':memory:')
  }

  /** Takes a free lock, which this command keeps until it ends. Returns its number. */
  take(): number {
    for (let number = 1; this.#own === undefined; number += 1) {
      if (number > mostLocks) throw noLocks(this.#record)
      // In this mode, a lock stays after its transaction.
      const isFree = this.#attach('own', number, [
        'PRAGMA own.locking_mode = EXCLUSIVE',
        'BEGIN EXCLUSIVE; COMMIT',
      ])
      if (isFree) this.#own = number
    }
    return this.#own
  }

  /** Whether a command has this lock: this one, or another that works or is suspended. */
  isTaken(number: number): boolean {
    if (!this.#host.disk.existsSync(this.#pathOf(number))) return false
    // SQLite reads a file when it attaches it.
    const isFree = this.#attach('other', number, ['DETACH other'])
    return !isFree
  }

  /** Attaches a file, and runs statements. Returns false if a command has its lock. */
  #attach(name: string, number: number, statements: readonly string[]) {
    const sql = this.#sql
    if (sql === undefined) throw new TypeError('the locks are not open')
    const path = this.#pathOf(number)
    const { disk } = this.#host
    try {
      // Only a file that is new is opened here: to close it frees every lock of this process on it.
      if (!disk.existsSync(path)) disk.closeSync(disk.openSync(path, 'a', 0o600))
      // A prepared statement would keep the connection open after `close`.
      sql.exec(`ATTACH '${path.replaceAll("'", "''")}' AS ${name}`)
      for (const each of statements) sql.exec(each)
      return true
    } catch (error) {
      try {
        sql.exec(`DETACH ${name}`)
      } catch {
        // It was locked before it was attached.
      }
      if (isDamage(error))
        throw usageError(`not an empty file: ${path}`, 'remove it when no command works')
      const explained = explain(path, error)
      if (isLocked(explained)) return false
      throw explained
    }
  }

  #pathOf(number: number) {
    return `${this.#record}-lock${number}`
  }

  /** Frees the lock. */
  close() {
    this.#sql?.close()
    this.#sql = undefined
    this.#own = undefined
  }
}
