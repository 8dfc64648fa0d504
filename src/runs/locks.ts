/**
 * The locks of the commands that work: files next to the record, `runs.db-lock1` and so on, with
 * nothing in them. The system frees the lock of a process that ends, however it ends.
 */
import { checkOwn } from '../config/places.ts'
import { messageOf } from '../errors.ts'
import type { Host, SqlDatabase } from '../host.ts'
import { isBusy, unusableError } from './database.ts'

/** More commands than a machine runs at once. On a disk without locks, every file looks taken. */
const mostLocks = 1000

/** The write proves the lock, because on a file that is only readable SQLite takes a weaker one. */
const lockAlone = 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; PRAGMA user_version = 0'
/** Several commands can hold this read lock at once, so it never looks like work on a run. */
const lockToLook = 'SELECT * FROM sqlite_master'

export class Locks {
  readonly #host: Host
  readonly #record: string
  /**
   * The locked file of this command. Closing it frees the lock, and Node closes files that nothing
   * refers to.
   */
  #own: SqlDatabase | undefined

  constructor(host: Host, record: string) {
    this.#host = host
    this.#record = record
  }

  /**
   * Acquires the first free lock, which this command keeps until it ends. Returns its number.
   */
  async acquire(): Promise<number> {
    let reason: unknown
    for (let number = 1; number < mostLocks; number += 1)
      try {
        this.#own = await this.#open(number, lockAlone)
        return number
      } catch (error) {
        reason = error
      }
    throw unusableError(
      this.#record,
      `svc cannot lock a file next to it: ${messageOf(reason)}`,
      reason,
    )
  }

  /** Whether a command has this lock: another one, which works or is suspended. */
  async isInUse(number: number): Promise<boolean> {
    const path = this.#pathOf(number)
    if (this.#statsOf(path) === undefined) return false
    try {
      const free = await this.#open(number, lockToLook)
      free.close()
      return false
    } catch (error) {
      if (isBusy(error)) return true
      throw unusableError(path, messageOf(error), error)
    }
  }

  /** Opens a file with a statement that locks it. Throws if it cannot be locked. */
  async #open(number: number, statement: string) {
    const path = this.#pathOf(number)
    const { disk } = this.#host
    const stats = this.#statsOf(path)
    // Only a new file is opened here: closing it frees every lock of this process on it.
    if (stats === undefined) disk.closeSync(disk.openSync(path, 'ax', 0o600))
    else if (!stats.isFile() || stats.size > 0)
      throw new Error(`${path} is not an empty file`)
    else checkOwn(this.#host, path, stats)
    const file = await this.#host.openDatabase(path)
    try {
      // A prepared statement would keep the lock after `close`.
      file.exec(statement)
      return file
    } catch (error) {
      file.close()
      throw error
    }
  }

  #statsOf(path: string) {
    return this.#host.disk.lstatSync(path, { throwIfNoEntry: false })
  }

  #pathOf(number: number) {
    return `${this.#record}-lock${number}`
  }

  close() {
    this.#own?.close()
  }
}
