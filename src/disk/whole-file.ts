/**
 * Files that are written whole: as a draft beside their place, synced, and moved there. After a failure there is none, or the one before.
 * `bulk/files/output-file.ts`, plans, evidence and `--out` (`program/run.ts`) write by it, and the record of runs its small files.
 */
import { type Message } from '../message.ts'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Writable } from 'node:stream'
import { fileError, isLostCreation } from '../errno.ts'
import { systemCode, usageError } from '../errors.ts'
import { syncFolder } from './folder.ts'
import type { Host } from '../host.ts'
import type { DiskHost } from '../world.ts'

export type DraftHost = Pick<Host, 'disk' | 'randomBytes'>

/** A new file of this user alone, created exclusively. What fails is the system's error, or what `explain` makes of it. */
export class Draft {
  readonly path: string
  readonly #disk: Host['disk']
  readonly #file: FileHandle
  readonly #refuse: (error: unknown) => never

  private constructor(
    { disk }: DiskHost,
    path: string,
    file: FileHandle,
    refuse: (error: unknown) => never,
  ) {
    this.#disk = disk
    this.path = path
    this.#file = file
    this.#refuse = refuse
  }

  static async create(
    host: DiskHost,
    path: string,
    explain = (error: unknown) => error,
  ): Promise<Draft> {
    return new Draft(host, path, await host.disk.promises.open(path, 'wx', 0o600), (error) => {
      throw explain(error)
    })
  }

  /** Writes all of it: a disk that fills up can take a part of a buffer without an error. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      at += (await this.#file.write(bytes, at, bytes.length - at).catch(this.#refuse)).bytesWritten
    }
  }

  /** It is on disk, but for its name, when this resolves. */
  async close(): Promise<void> {
    await this.#file.sync().catch(this.#refuse)
    await this.#file.close().catch(this.#refuse)
  }

  /** Moves it to a place; never over a file that came there meanwhile (EEXIST), unless it is to be replaced. */
  async move(place: string, isReplacing: boolean): Promise<void> {
    const { rename, unlink } = this.#disk.promises
    try {
      const isLinked = !isReplacing && (await this.#link(place))
      await (isLinked ? unlink(this.path) : rename(this.path, place))
      await syncFolder({ disk: this.#disk }, dirname(resolve(place)))
    } catch (error) {
      this.#refuse(error)
    }
  }

  /** False where the file system knows no links. */
  async #link(place: string): Promise<boolean> {
    const { link, lstat } = this.#disk.promises
    try {
      await link(this.path, place)
      return true
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') return false
      // Nobody else has the name of the draft: a second link to it is ours, and a network disk lost the answer.
      if ((await lstat(this.path)).nlink === 2) return true
      throw error
    }
  }

  /** Closes what will not be moved by this process. */
  release(): Promise<void> {
    return this.#file.close().catch(() => undefined)
  }

  async remove(): Promise<void> {
    await this.release()
    await this.#disk.promises.rm(this.path, { force: true })
  }
}

export type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** A new file that is on disk, but for its name, when this resolves; after a failure there is none. */
export async function writeNew(host: DiskHost, path: string, pieces: Pieces): Promise<Draft> {
  const draft = await Draft.create(host, path)
  try {
    for await (const piece of pieces) await draft.write(piece)
    await draft.close()
    return draft
  } catch (error) {
    await draft.remove()
    throw error
  }
}

/** A part of a name that tells the drafts of this process from those of others. */
export function newToken({ randomBytes }: Pick<Host, 'randomBytes'>): string {
  return randomBytes(8).toString('hex')
}

/** A file for its user. `what` begins errors: `the output`. `taken`: the error of a file that came to its place meanwhile. */
export interface UserPlace {
  readonly path: string
  readonly what: string
  readonly hint: Message
  readonly taken: Error
}

/** Creates the draft, so that what cannot be written is known before the first request. Throws exit 2, and later exit 10. */
export async function draftBeside(
  host: DiskHost,
  { path, what, hint, taken }: UserPlace,
  tag: string,
): Promise<Draft> {
  const words = `${what} cannot be written to "${path}"`
  const explain = (error: unknown) =>
    systemCode(error) === 'EEXIST' ? taken : fileError('local', words, error, hint)
  try {
    return await Draft.create(host, join(dirname(path), `.${basename(path)}.${tag}.part`), explain)
  } catch (error) {
    throw fileError(isLostCreation(error) ? 'local' : 'usage', words, error)
  }
}

interface FileToWrite {
  readonly path: string
  readonly what: string
  readonly isReplacing?: boolean
  /** Advice when there is such a file already. */
  readonly takenHint?: string
}

/** Writes a file, which comes to its place when `write` resolves. Throws exit 2 for what it must not replace, and exit 10. */
export async function writeWhole<T>(
  host: DraftHost,
  file: FileToWrite,
  write: (draft: Draft) => Promise<T>,
): Promise<T> {
  const { path, what, isReplacing = false, takenHint = 'name another file, or remove it' } = file
  const taken = usageError(`${what} "${path}" exists already`, takenHint)
  try {
    const stats = host.disk.lstatSync(path, { throwIfNoEntry: false })
    if (stats !== undefined && !isReplacing) throw taken
    if (stats?.isFile() === false) {
      throw usageError(`${what} cannot replace "${path}", which is no regular file`)
    }
  } catch (error) {
    throw fileError('usage', `${what} cannot be written to "${path}"`, error)
  }
  const hint = 'free some space, or name another place'
  const draft = await draftBeside(host, { path, what, hint, taken }, newToken(host))
  try {
    const result = await write(draft)
    await draft.close()
    await draft.move(path, isReplacing)
    return result
  } catch (error) {
    // The first error is the one to tell: a disk that fails may not let the draft be removed either.
    await draft.remove().catch(() => undefined)
    throw error
  }
}

export function streamOf(file: { write(bytes: Buffer): Promise<void> }): Writable {
  return new Writable({
    write: (chunk: Buffer, _encoding, callback) =>
      void file.write(chunk).then(() => callback(), callback),
  })
}
