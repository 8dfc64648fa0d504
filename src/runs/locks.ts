/**
 * The locks of the commands that work: files next to the record, `runs.db-lock1` and so on, with
 * nothing in them. The system frees the lock of a process that ends, however it ends.
 */
import { usageError } from '../errors.ts'
import type { Host, SqlDatabase } from '../host.ts'
import { explain, isDamage, isLocked, noLocks } from './database.ts'

/** More commands than a machine runs at once. On a disk without locks, none is ever free. */
const mostLocks = 1000

/** The write proves the lock: on a file that it cannot write, SQLite takes one others share. */
const ownLock = 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; PRAGMA user_version = 0'

const notEmptyFile = (path: string) =>
  usageError(`not an empty file: ${path}`, 'remove it when no command works')

export class Locks {
  readonly #host: Host
  readonly #record: string
  /**
   * The file whose lock this command has. To close it frees the lock, and Node closes what nothing
   * refers to.
   */
  #own: SqlDatabase | undefined

  constructor(host: Host, record: string) {
    this.#host = host
    this.#record = record
  }

  /** Takes a free lock, which this command keeps until it ends. Returns its number. */
  async take(): Promise<number> {
    for (let number = 1; number < mostLocks; number += 1) {
      this.#own = await this.#open(number, ownLock)
      if (this.#own !== undefined) return number
    }
    throw noLocks(this.#record)
  }

  /** Whether a command has this lock: this one, or another that works or is suspended. */
  async isTaken(number: number): Promise<boolean> {
    if (!this.#host.disk.existsSync(this.#pathOf(number))) return false
    // Several commands may read at once, so that none seems to have a lock for a moment.
    const free = await this.#open(number, 'SELECT * FROM sqlite_master')
    free?.close()
    return free === undefined
  }

  /** Opens a file with a statement that locks it. Returns undefined if a command has its lock. */
  async #open(number: number, statement: string) {
    const path = this.#pathOf(number)
    const { disk } = this.#host
    let file: SqlDatabase | undefined
    try {
      if (disk.lstatSync(path, { throwIfNoEntry: false })?.isFile() === false)
        throw notEmptyFile(path)
      // Only a new file is opened here: closing it frees every lock of this process on it.
      if (!disk.existsSync(path)) disk.closeSync(disk.openSync(path, 'a', 0o600))
      file = await this.#host.openDatabase(path)
      // A prepared statement would keep the lock after `close`.
      file.exec(statement)
      return file
    } catch (error) {
      file?.close()
      if (isDamage(error)) throw notEmptyFile(path)
      const explained = explain(path, error)
      if (isLocked(explained)) return undefined
      throw explained
    }
  }

  #pathOf(number: number) {
    return `${this.#record}-lock${number}`
  }

  close() {
    this.#own?.close()
  }
}
