/**
 * The part of a run to which this command appends, and nobody else. While it is open, its file's time is a sign of life. If the disk
 * fails, `touch` does nothing, `isInPlace` may answer false, and the other methods throw its error.
 */
import { dirname } from 'node:path'
import { checkWritable } from '../disk/folders.ts'
import type { Host, Timer } from '../host.ts'
import { encodeLine, type Line, type NewLine } from './lines.ts'

/** A process sets the time of its part this often. */
const touchEveryMs = 4_000

export class OwnPart {
  /** Files that the next sync puts on disk first. */
  syncsFirst: readonly string[] = []
  readonly #host: Host
  #path: string
  /** The checksum of the last line. */
  #checksum: number
  #file: number | undefined
  #touching: Timer | undefined
  #nextSync: Promise<void> | undefined
  #lastSync: Promise<void> = Promise.resolve()

  /** Creates the part, after a line with the checksum `after`. Throws EEXIST if it is there. */
  constructor(host: Host, path: string, after = 0) {
    const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL } = host.disk.constants
    this.#host = host
    this.#path = path
    this.#checksum = after
    this.#open(O_WRONLY | O_APPEND | O_CREAT | O_EXCL)
  }

  /** Opens the part again after `close`, at the path that it has once the folder of the run has its name. */
  openAgain(path: string) {
    const { O_WRONLY, O_APPEND, O_NOFOLLOW } = this.#host.disk.constants
    this.#path = path
    this.#open(O_WRONLY | O_APPEND | O_NOFOLLOW)
  }

  #open(flags: number) {
    const { disk, every, now } = this.#host
    this.#file = disk.openSync(this.#path, flags, 0o600)
    this.#touching = every(touchEveryMs, () => this.touch(now()))
  }

  get #fd() {
    if (this.#file === undefined) throw new TypeError('the part is closed')
    return this.#file
  }

  /** Sets the time of the part, if it is open. */
  touch(ms: number) {
    try {
      if (this.#file !== undefined)
        this.#host.disk.futimesSync(this.#file, new Date(ms), new Date(ms))
    } catch {
      // Without a sign of life, others only wait less.
    }
  }

  /** Whether this part is the file at its path. */
  isInPlace() {
    const { disk } = this.#host
    const own = disk.fstatSync(this.#fd)
    try {
      const there = disk.lstatSync(this.#path, { throwIfNoEntry: false })
      return there?.ino === own.ino && there.dev === own.dev
    } catch {
      return false
    }
  }

  /** Appends the first line. `after`: the last checksum that was read in the parts before. */
  writeOpen(after?: number) {
    const { pid, computer } = this.#host
    this.write({ t: 'open', pid, host: computer.hostname, after })
  }

  /** Appends a line, and returns it with its time. */
  write(newLine: NewLine): Line {
    const line = { ...newLine, at: this.#host.now() }
    const { text, c } = encodeLine(line, this.#checksum)
    const bytes = Buffer.from(text)
    const written = this.#host.disk.writeSync(this.#fd, bytes)
    if (written < bytes.length)
      throw Object.assign(new Error('short write'), { code: 'ENOSPC' })
    this.#checksum = c
    return line
  }

  /** Puts the lines on disk before others can see the run. Blocks. */
  syncNow() {
    this.#host.disk.fsyncSync(this.#fd)
  }

  /** Puts all lines on disk. Workers that call this during a sync share the next one, which begins after all their lines. */
  sync(): Promise<void> {
    this.#nextSync ??= this.#lastSync.then(async () => {
      this.#nextSync = undefined
      await this.#syncAll()
    })
    this.#lastSync = this.#nextSync.catch(() => undefined)
    return this.#nextSync
  }

  async #syncAll() {
    const { disk } = this.#host
    for (const path of this.syncsFirst) syncPath(this.#host, path)
    this.syncsFirst = []
    await new Promise<void>((resolve, reject) => {
      disk.fdatasync(this.#fd, (error) => (error === null ? resolve() : reject(error)))
    })
    // A disk that has become read-only may report success although it synced nothing.
    checkWritable(this.#host, dirname(this.#path))
  }

  close() {
    this.#touching?.cancel()
    if (this.#file !== undefined) this.#host.disk.closeSync(this.#file)
    this.#file = undefined
  }
}

/** Syncs the file at a path. Does not follow a link. */
export function syncPath({ disk }: Host, path: string) {
  const file = disk.openSync(path, disk.constants.O_RDONLY | disk.constants.O_NOFOLLOW)
  try {
    disk.fsyncSync(file)
  } finally {
    disk.closeSync(file)
  }
}
