/**
 * A file that a run writes for its user: receipts, rejects, annotated rows. It is written next to its final place and moved there whole, so that
 * after a kill or on a full disk there is either no file or a whole one. A file that this run did not write is never replaced; one that
 * the same run wrote is, which its journal knows by path and checksum.
 */
import { createHash, randomBytes, type Hash } from 'node:crypto'
import { createReadStream, realpathSync, statSync } from 'node:fs'
import { link, lstat, rename, unlink, type FileHandle } from 'node:fs/promises'
import { platform } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { Writable } from 'node:stream'
import { fileError } from '../../errno.ts'
import { SvcError, systemCode, usageError } from '../../errors.ts'
import { shellWord } from '../../words.ts'
import { createFile, syncFolder, writeAll } from '../record/disk.ts'
import type { DraftsEvent, FileEvent } from '../record/events.ts'
import type { Guard } from '../record/journal.ts'

/** Checksums of the files that a run wrote, by absolute path. */
export type OwnFiles = ReadonlyMap<string, ReadonlySet<string>>

export const noFiles: OwnFiles = new Map()

const nameOf: Readonly<Record<FileEvent['kind'], string>> = {
  receipts: 'receipts',
  rejects: 'rejects',
  annotate: 'annotated rows',
}

/** Tells the drafts of this process from those of others, where no lock does. */
export function newToken(): string {
  return randomBytes(8).toString('hex')
}

export function isDraft(path: string, run: string): boolean {
  return new RegExp(`^\\..+\\.${run}\\.[0-9a-f]{16}\\.part$`).test(basename(path))
}

/** Throws exit 2 when two outputs, or one and an input, are one file, by any path. `outputs`: by their options. */
export function checkDistinct(outputs: Readonly<Record<string, string | undefined>>, inputs: readonly string[]): void {
  const seen = new Map<string, string>()
  const named = [...inputs.map((path) => ['the input', path] as const), ...Object.entries(outputs)]
  for (const [name, path] of named) {
    if (path === undefined || (name === 'the input' && path === '-')) continue
    const keys = keysOf(path)
    const other = keys.map((key) => seen.get(key)).find((each) => each !== undefined)
    if (other !== undefined && name !== 'the input') {
      throw usageError(`"${path}" is named for two files: ${other} and ${name}`)
    }
    for (const key of keys) seen.set(key, name)
  }
}

/** What tells a file from others: its name in its folder, links followed, and its number where it is there. */
function keysOf(path: string): string[] {
  let place = resolve(path)
  try {
    place = join(realpathSync(dirname(place)), basename(place))
    const { dev, ino } = statSync(place)
    return [nameKey(place), `${dev}:${ino}`]
  } catch {
    // A folder that is not there is refused where the file is created.
    return [nameKey(place)]
  }
}

/** In most file systems of these letter case and composition do not tell names apart; elsewhere the number does, once it is there. */
function nameKey(path: string): string {
  return ['darwin', 'win32'].includes(platform()) ? path.normalize('NFC').toLowerCase() : path
}

/** The lock under which a file is written. `recheck` rejects with exit 11 when the lock does not have its token any more. */
export interface DraftGuard extends Guard {
  recheck(): Promise<void>
}

/** Throws exit 2, or 10 while working, when a file is in the place that this run did not write. */
export async function checkPlace(
  path: string,
  kind: FileEvent['kind'],
  own: OwnFiles,
  category: 'usage' | 'local' = 'usage',
): Promise<void> {
  const what = nameOf[kind]
  const known = own.get(resolve(path))
  try {
    // Only a file that this run may have written is read: a FIFO would never end.
    const stats = await lstat(path)
    if (stats.isDirectory()) throw new SvcError(category, `the ${what} cannot be written to "${path}": it is a folder`)
    if (known !== undefined && stats.isFile() && known.has(await sha256Of(path))) return
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return
    throw fileError(category, `the ${what} cannot be written to "${path}"`, error)
  }
  const another = path.replace(/(?=\.[^./\\]*$|$)/, '-2')
  const changed = known === undefined ? 'exists already' : 'was changed since this run wrote it'
  throw new SvcError(category, `the ${what} file "${path}" ${changed}`, {
    hint: `${what} never replace a file that this run did not write; name another one, for example:\n  --${kind} ${shellWord(another)}`,
  })
}

export async function sha256Of(path: string): Promise<string> {
  const sum = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 })) sum.update(chunk as Buffer)
  return sum.digest('hex')
}

export class OutputFile {
  readonly path: string
  readonly kind: FileEvent['kind']
  readonly #draft: string
  readonly #file: FileHandle
  readonly #sum: Hash = createHash('sha256')
  #isOpen = true
  isEmpty = true
  /** Without one, the file is this process's alone. */
  guard: DraftGuard | undefined

  private constructor(path: string, kind: FileEvent['kind'], draft: string, file: FileHandle) {
    this.path = path
    this.kind = kind
    this.#draft = draft
    this.#file = file
  }

  /**
   * Creates the draft, so that a folder that cannot be written is known before the first request. `tag`: the id of the run and
   * the token of its lock, or a token alone: a draft belongs to the process that writes it. Throws exit 2.
   */
  static async open(path: string, kind: FileEvent['kind'], tag: string): Promise<OutputFile> {
    const draft = join(dirname(path), `.${basename(path)}.${tag}.part`)
    try {
      return new OutputFile(path, kind, draft, await createFile(draft))
    } catch (error) {
      throw fileError('usage', `the ${nameOf[kind]} cannot be written to "${path}"`, error)
    }
  }

  /** Throws exit 10. */
  async write(text: string | Buffer): Promise<void> {
    this.isEmpty = false
    const bytes = typeof text === 'string' ? Buffer.from(text) : text
    try {
      await writeAll(this.#file, bytes)
    } catch (error) {
      throw this.#failed(error)
    }
    this.#sum.update(bytes)
  }

  stream(): Writable {
    return new Writable({
      write: (chunk: Buffer, _encoding, callback) => {
        this.write(chunk).then(() => {
          callback()
        }, callback)
      },
    })
  }

  /** What the journal says of it; the file is on disk, but not in its place. Throws exit 10. */
  async finish(at: number): Promise<FileEvent> {
    try {
      await this.#file.sync()
      await this.#close()
    } catch (error) {
      throw this.#failed(error)
    }
    return { t: 'file', at, kind: this.kind, path: resolve(this.path), sha256: this.#sum.digest('hex') }
  }

  /** For the journal: the holder of the lock after this one removes the draft by it. */
  draftsEvent(at: number): DraftsEvent {
    return { t: 'drafts', at, paths: [resolve(this.#draft)] }
  }

  /** Moves it to its place, where nothing is that this run did not write, while the lock is held. Throws exit 10 or 11. */
  async place(own: OwnFiles): Promise<void> {
    try {
      await checkPlace(this.path, this.kind, own, 'local')
      // The last look. docs/reliability.md says what can happen between it and the move.
      await this.guard?.recheck()
      if (own.has(resolve(this.path))) await rename(this.#draft, this.path)
      else await moveTo(this.#draft, this.path)
      await syncFolder(dirname(resolve(this.path)))
    } catch (error) {
      // A successor removes the drafts of those before it.
      await this.guard?.recheck()
      throw this.#failed(error)
    }
  }

  /** Removes the draft, while the lock is held: the run did not begin, or it ended badly. */
  async discard(): Promise<void> {
    await this.#close().catch(() => undefined)
    try {
      await this.guard?.check()
      await unlink(this.#draft)
    } catch {
      // It was moved, or it is the business of the process that has the lock.
    }
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await this.#file.close()
  }

  #failed(error: unknown): SvcError {
    const hint = 'free some space; svc runs export writes what became of each id again'
    return fileError('local', `the ${nameOf[this.kind]} cannot be written to "${this.path}"`, error, hint)
  }
}

/** Never over a file that came there meanwhile, where the file system knows links. */
async function moveTo(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path)
    await unlink(draft)
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw new SvcError('local', `the file "${path}" exists already`)
    await rename(draft, path)
  }
}
