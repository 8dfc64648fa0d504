/** A file for its user that is written beside its place and moved there whole: after a failure there is none. */
import { link, lstat, open, rename, rm, unlink, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileError } from '../errno.ts'
import { systemCode, usageError } from '../errors.ts'
import { syncFolder } from '../folder.ts'
import type { Host } from '../host.ts'

export class WholeFile {
  readonly #path: string
  readonly #what: string
  readonly #draft: string
  readonly #file: FileHandle

  private constructor(path: string, what: string, draft: string, file: FileHandle) {
    this.#path = path
    this.#what = what
    this.#draft = draft
    this.#file = file
  }

  /**
   * Creates the draft, mode 0600, so that what cannot be written is known before the first request; `discard` must follow.
   * `what` begins errors: `the snapshot`. Throws exit 2, also when something is in its place.
   */
  static async open({ pid, now }: Pick<Host, 'pid' | 'now'>, path: string, what: string): Promise<WholeFile> {
    const draft = join(dirname(path), `.${basename(path)}.${pid}-${now()}.part`)
    try {
      const isFree = await lstat(path).then(
        () => false,
        (error: unknown) => systemCode(error) === 'ENOENT',
      )
      if (!isFree) throw existsAlready(what, path)
      return new WholeFile(path, what, draft, await open(draft, 'wx', 0o600))
    } catch (error) {
      throw fileError('usage', `${what} cannot be written to "${path}"`, error)
    }
  }

  /** Writes it and moves it to its place, never over a file that came there meanwhile. Throws exit 2 or 10, and what the pieces throw. */
  async place(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const refuse = (error: unknown): never => {
      const hint = 'free some space, or name another place'
      throw fileError('local', `${this.#what} cannot be written to "${this.#path}"`, error, hint)
    }
    for await (const piece of pieces) await this.#file.appendFile(piece).catch(refuse)
    await this.#file.sync().catch(refuse)
    await this.#file.close()
    await link(this.#draft, this.#path).then(
      () => unlink(this.#draft),
      async (error: unknown) => {
        if (systemCode(error) === 'EEXIST') throw existsAlready(this.#what, this.#path)
        // Where the file system knows no links.
        await rename(this.#draft, this.#path).catch(refuse)
      },
    )
    await syncFolder(dirname(resolve(this.#path)))
  }

  async discard(): Promise<void> {
    await this.#file.close().catch(() => undefined)
    await rm(this.#draft, { force: true })
  }
}

function existsAlready(what: string, path: string): Error {
  return usageError(`${what} "${path}" exists already`, 'name another file, or remove it')
}
