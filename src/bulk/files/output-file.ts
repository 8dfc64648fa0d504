/**
 * A file that a run writes for its user: receipts, annotated rows. It is written next to its final place and moved there whole, so
 * that after a kill or on a full disk there is either no file or a whole one. A file that this run did not write is never replaced; one
 * that the same run wrote is, which its journal knows by path and checksum. `sessions/outputs.ts` opens and moves such files, and
 * the annotated tables go through it too.
 */
import { say, svc } from '../../message.ts'
import { createHash, type Hash } from 'node:crypto'
import { basename, dirname, join, resolve } from 'node:path'
import { fileError, isLostCreation } from '../../errno.ts'
import { SvcError, systemCode, usageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { bytesOf } from '../../input/input.ts'
import { Draft, newToken, type DraftHost } from '../../disk/whole.ts'
import { shellWord } from '../../words.ts'
import type { DraftsEvent, FileEvent } from '../record/events.ts'
import type { Guard } from '../record/journal.ts'

/** Checksums of the files that a run wrote, by absolute path. */
export type OwnFiles = ReadonlyMap<string, ReadonlySet<string>>

export const noFiles: OwnFiles = new Map()

const nameOf: Readonly<Record<FileEvent['kind'], string>> = {
  receipts: 'receipts',
  annotate: 'annotated rows',
}

/** Where a file is to be, and which one it is. */
export type OutputPlace = Pick<FileEvent, 'path' | 'kind'>

export function isDraft(path: string, run: string): boolean {
  return new RegExp(`^\\..+\\.${run}\\.[0-9a-f]{16}\\.part$`).test(basename(path))
}

/** Throws exit 2 when two outputs, or one and an input, have one path. `outputs`: by their options. */
export function checkDistinct(
  outputs: Readonly<Record<string, string | undefined>>,
  inputs: readonly string[],
): void {
  const seen = new Map(
    inputs.filter((path) => path !== '-').map((path) => [resolve(path), 'the input']),
  )
  for (const [name, path] of Object.entries(outputs)) {
    if (path === undefined) continue
    const other = seen.get(resolve(path))
    if (other !== undefined)
      throw usageError(`"${path}" is named for two files: ${other} and ${name}`)
    seen.set(resolve(path), name)
  }
}

/** The lock under which a file is written. `recheck` rejects with exit 11 when the lock does not have its token any more. */
export interface DraftGuard extends Guard {
  recheck(): Promise<void>
}

/** Throws exit 2, or 10 while working, when a file is in the place that this run did not write. */
export async function checkPlace(
  host: Pick<Host, 'disk'>,
  { path, kind }: OutputPlace,
  own: OwnFiles,
  category: 'usage' | 'local' = 'usage',
): Promise<void> {
  const what = nameOf[kind]
  const known = own.get(resolve(path))
  try {
    // Only a file that this run may have written is read: a FIFO would never end.
    const stats = await host.disk.promises.lstat(path)
    if (stats.isDirectory())
      throw new SvcError(category, `the ${what} cannot be written to "${path}": it is a folder`)
    if (known !== undefined && stats.isFile() && known.has(await sha256Of(host, path))) return
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

/** SHA-256 of a file's bytes, in hexadecimal. Rejects with the system's error. */
export async function sha256Of({ disk }: Pick<Host, 'disk'>, path: string): Promise<string> {
  const sum = createHash('sha256')
  for await (const chunk of bytesOf(disk, path)) sum.update(chunk)
  return sum.digest('hex')
}

export class OutputFile {
  readonly path: string
  readonly kind: FileEvent['kind']
  readonly #host: DraftHost
  readonly #draft: Draft
  readonly #sum: Hash = createHash('sha256')
  isEmpty = true
  /** Without one, the file is this process's alone. */
  guard: DraftGuard | undefined

  private constructor(host: DraftHost, { path, kind }: OutputPlace, draft: Draft) {
    this.path = path
    this.kind = kind
    this.#host = host
    this.#draft = draft
  }

  /**
   * Creates the draft. `tag`: the id of the run and the token of its lock, or a token alone: a draft belongs to the process
   * that writes it. Throws exit 2.
   */
  static async open(
    host: DraftHost,
    place: OutputPlace,
    tag = newToken(host),
  ): Promise<OutputFile> {
    const { path, kind } = place
    const words = `the ${nameOf[kind]} cannot be written to "${path}"`
    const hint = say`free some space; ${svc`runs export`} writes what became of each id again`
    const taken = new SvcError('local', `the file "${path}" exists already`)
    const explain = (error: unknown) =>
      systemCode(error) === 'EEXIST' ? taken : fileError('local', words, error, hint)
    try {
      const beside = join(dirname(path), `.${basename(path)}.${tag}.part`)
      return new OutputFile(host, place, await Draft.create(host, beside, explain))
    } catch (error) {
      throw fileError(isLostCreation(error) ? 'local' : 'usage', words, error)
    }
  }

  /** Throws exit 10. */
  async write(text: string | Buffer): Promise<void> {
    this.isEmpty = false
    const bytes = typeof text === 'string' ? Buffer.from(text) : text
    await this.#draft.write(bytes)
    this.#sum.update(bytes)
  }

  /** The event for the journal; the file is on disk, but not in its place. Throws exit 10. */
  async finish(at: number): Promise<FileEvent> {
    await this.#draft.close()
    return {
      t: 'file',
      at,
      kind: this.kind,
      path: resolve(this.path),
      sha256: this.#sum.digest('hex'),
    }
  }

  /** For the journal: the holder of the lock after this one removes the draft by it. */
  draftsEvent(at: number): DraftsEvent {
    return { t: 'drafts', at, paths: [resolve(this.#draft.path)] }
  }

  /** Moves it to its place, where nothing is that this run did not write, while the lock is held. Throws exit 10 or 11. */
  async place(own: OwnFiles): Promise<void> {
    try {
      await checkPlace(this.#host, this, own, 'local')
      // The last look. docs/reliability.md says what can happen between it and the move.
      await this.guard?.recheck()
      await this.#draft.move(this.path, own.has(resolve(this.path)))
    } catch (error) {
      // A successor removes the drafts of those before it.
      await this.guard?.recheck()
      throw error
    }
  }

  /** Removes the draft, while the lock is held: the run did not begin, or it ended badly. */
  async discard(): Promise<void> {
    await this.#draft.release()
    try {
      await this.guard?.check()
      await this.#draft.remove()
    } catch {
      // It is the business of the process that has the lock.
    }
  }
}
