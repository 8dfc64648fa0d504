/** A file for its user that is written beside its place and moved there whole: after a failure there is none. */
import { link, lstat, open, rename, rm, unlink, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Writable } from 'node:stream'
import { fileError } from '../errno.ts'
import { systemCode, usageError } from '../errors.ts'
import { syncFolder } from '../folder.ts'
import type { Host } from '../host.ts'

export class WholeFile {
  readonly #path: string
  readonly #what: string
  readonly #draft: string
  readonly #file: FileHandle
  readonly #isReplacing: boolean

  private constructor(place: { path: string; what: string; isReplacing: boolean }, draft: string, file: FileHandle) {
    this.#path = place.path
    this.#what = place.what
    this.#isReplacing = place.isReplacing
    this.#draft = draft
    this.#file = file
  }

  /**
   * Creates the draft, mode 0600, so that what cannot be written is known before the first request; `discard` must follow.
   * `what` begins errors: `the output`. `isReplacing`: a file may be in its place. Throws exit 2 for anything else there.
   */
  static async open({ pid, now }: Pick<Host, 'pid' | 'now'>, path: string, what: string, isReplacing = false) {
    const draft = join(dirname(path), `.${basename(path)}.${pid}-${now()}.part`)
    try {
      const found = await lstat(path).catch((error: unknown) => {
        if (systemCode(error) !== 'ENOENT') throw error
      })
      if (found !== undefined && !isReplacing) throw existsAlready(what, path)
      if (found?.isFile() === false) throw usageError(`${what} cannot replace "${path}", which is no regular file`)
      return new WholeFile({ path, what, isReplacing }, draft, await open(draft, 'wx', 0o600))
    } catch (error) {
      throw fileError('usage', `${what} cannot be written to "${path}"`, error)
    }
  }

  /** Throws exit 10. */
  async write(piece: Uint8Array): Promise<void> {
    await this.#file.appendFile(piece).catch(this.#refuse)
  }

  stream(): Writable {
    return new Writable({
      write: (chunk: Buffer, _encoding, callback) => void this.write(chunk).then(() => callback(), callback),
    })
  }

  /** Moves it to its place, never over a file that came there meanwhile unless it is to be replaced. Throws exit 2 or 10. */
  async place(): Promise<void> {
    await this.#file.sync().catch(this.#refuse)
    await this.#file.close()
    const move = (): Promise<void> => rename(this.#draft, this.#path).catch(this.#refuse)
    if (this.#isReplacing) await move()
    else
      await link(this.#draft, this.#path).then(
        () => unlink(this.#draft),
        (error: unknown) => {
          if (systemCode(error) === 'EEXIST') throw existsAlready(this.#what, this.#path)
          // Where the file system knows no links.
          return move()
        },
      )
    await syncFolder(dirname(resolve(this.#path)))
  }

  async discard(): Promise<void> {
    await this.#file.close().catch(() => undefined)
    await rm(this.#draft, { force: true })
  }

  readonly #refuse = (error: unknown): never => {
    const hint = 'free some space, or name another place'
    throw fileError('local', `${this.#what} cannot be written to "${this.#path}"`, error, hint)
  }
}

function existsAlready(what: string, path: string): Error {
  const replace = what === 'the output' ? ' (--replace-out replaces it)' : ''
  return usageError(`${what} "${path}" exists already`, `name another file, or remove it${replace}`)
}
