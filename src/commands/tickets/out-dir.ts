/**
 * A folder of conversations, a file for each ticket, whole or not at all. What the files hold is kept in a file beside them, so
 * that the same command, whenever it is given again, adds to them what is missing and nothing of another kind. One process at a
 * time writes there, under a lock in a folder of its own.
 */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open, readdir, readFile, rename, rm, type FileHandle } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Writable } from 'node:stream'
import * as v from 'valibot'
import { createFile, noFollow, replaceFile, syncFolder, writeAll } from '../../bulk/record/disk.ts'
import { Holdings } from '../../bulk/sessions/holdings.ts'
import type { Context } from '../../cli/verb.ts'
import { fileError } from '../../errno.ts'
import { messageOf, systemCode, usageError } from '../../errors.ts'
import { makeFolders } from '../../folder.ts'
import { indexPage } from '../../output/formats/index-page.ts'

const markerName = '.svc-history.json'
const longestMarker = 1 << 16
/** Of a page, in which its title and facts are. */
const longestHead = 1 << 16

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const Marker = v.object({
  schema: v.literal('svc.history/2'),
  /** Whose drafts may lie in the folder: a part of their names. */
  token: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/)),
  format: v.string(),
  limit: v.union([v.literal('all'), v.number()]),
  /** What the ages meant when the folder was begun, in milliseconds since 1970. */
  since: v.optional(v.number()),
  until: v.optional(v.number()),
  /** Whatever else decides what the files hold, by its name on the command line, as typed. */
  options: v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])),
})
type Marker = v.InferOutput<typeof Marker>

/** What this command line asks of each file. */
export type Asked = Omit<Marker, 'schema' | 'token'>

/**
 * Makes the folder where it is missing and continues it where it is not; ages go on to count from when it was begun, unless its
 * files are replaced. Throws exit 2 when it cannot be used or was begun with other options, exit 11 when another process uses it.
 */
export async function openFolder(
  context: Context,
  path: string,
  asked: Asked,
  { isReplaced, takeOver }: { readonly isReplaced: boolean; readonly takeOver: boolean },
): Promise<Folder> {
  const folder = resolve(path)
  const held = new Holdings(context, takeOver)
  try {
    const locks = join(folder, '.svc-lock')
    for (const at of [folder, locks]) {
      makeFolders(at)
      if ((await lstat(at)).isSymbolicLink()) throw usageError(`"${at}" is a symbolic link`, 'name the folder itself')
    }
    const token = await held.takeFolder(locks, `the folder "${path}"`)
    const before = await readMarker(join(folder, markerName))
    if (before !== undefined) refuseOther(path, before.options, asked.options)
    const names = await filesIn(folder, before?.token)
    const kept = before === undefined || isReplaced ? asked : before
    const marker: Marker = { ...kept, schema: 'svc.history/2', token }
    const text = Buffer.from(`${JSON.stringify(marker, undefined, 2)}\n`)
    await replaceFile(join(folder, markerName), join(folder, markerName), [text], () => held.recheck())
    return new Folder(path, marker, held, names)
  } catch (error) {
    await held.release()
    throw fileError('usage', `the folder "${path}" cannot be used`, error)
  }
}

async function readMarker(path: string): Promise<Marker | undefined> {
  let file: FileHandle
  try {
    file = await open(path, constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    const stats = await file.stat()
    if (!stats.isFile() || stats.size > longestMarker) throw new Error('it is too large, or no file')
    return v.parse(Marker, JSON.parse(await file.readFile('utf8')))
  } catch (error) {
    throw usageError(`"${path}" is not what svc wrote there: ${messageOf(error)}`, 'name another folder')
  } finally {
    await file.close()
  }
}

type Options = Marker['options']

function refuseOther(path: string, before: Options, asked: Options): void {
  const words = (option: string, value: Options[string] | undefined): string => {
    if (value === undefined) return `without ${option}`
    return value === true ? `with ${option}` : `with ${option} ${value}`
  }
  for (const option of new Set([...Object.keys(asked), ...Object.keys(before)])) {
    const [then, now] = [before[option], asked[option]]
    if (then === now) continue
    throw usageError(
      `the folder "${path}" was started ${words(option, then)}, and this command runs ${words(option, now)}`,
      'use the same options, or another folder',
    )
  }
}

/** Names of what is there, without the drafts of the process before, whose lock is ours now. */
async function filesIn(folder: string, token: string | undefined): Promise<Set<string>> {
  const names = new Set<string>()
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const { name } = entry
    if (name.startsWith('.') && name.endsWith(`.${token}.part`)) await rm(join(folder, name), { force: true })
    // Anything else that has a ticket's name is replaced by its file.
    else if (entry.isFile()) names.add(name)
  }
  return names
}

/** One that is in use. */
export class Folder {
  /** As it was typed. */
  readonly name: string
  readonly #path: string
  readonly marker: Marker
  readonly #held: Holdings
  readonly #names: ReadonlySet<string>

  constructor(name: string, marker: Marker, held: Holdings, names: ReadonlySet<string>) {
    this.name = name
    this.#path = resolve(name)
    this.marker = marker
    this.#held = held
    this.#names = names
  }

  /** Whether the ticket was written before this command. */
  has(ticketId: string): boolean {
    return this.#names.has(this.#nameOf(ticketId))
  }

  /** Writes a ticket's file and moves it to its place when all of it is on disk. Throws exit 10 or 11, and what `print` throws. */
  async write(ticketId: string, print: (stream: Writable) => Promise<void>): Promise<void> {
    const name = this.#nameOf(ticketId)
    const place = join(this.#path, name)
    const draft = join(this.#path, `.${name}.${this.marker.token}.part`)
    const failed = (error: unknown): Error =>
      fileError('local', `"${place}" cannot be written`, error, 'fix that and run the same command again')
    try {
      const file = await createFile(draft)
      try {
        await print(streamTo(file, failed))
        await file.sync()
      } finally {
        await file.close()
      }
      await this.#held.check()
      await rename(draft, place)
    } catch (error) {
      // Where the lock is lost, that is the error, and its present holder removes the draft.
      await this.#held.check()
      await rm(draft, { force: true }).catch(() => undefined)
      throw failed(error)
    }
  }

  /** Writes the contents page, then syncs the folder: otherwise a loss of power could remove the files that were written last, each of them whole. */
  async finish(): Promise<void> {
    const path = this.#path
    try {
      if (this.marker.format === 'html') await this.#writeContents()
      await syncFolder(path)
    } catch (error) {
      throw fileError('local', `${path} cannot be written`, error)
    }
  }

  /** What is in it, and by what others see that nothing was changed: both of the pages that are there now. */
  async #writeContents(): Promise<void> {
    const names = (await readdir(this.#path)).filter((name) => /^[0-9a-f]{24}\.html$/.test(name)).sort()
    const pages: { name: string; head: string; sum: string }[] = []
    for (const name of names) {
      const bytes = await readFile(join(this.#path, name), { flag: constants.O_RDONLY | noFollow })
      pages.push({ name, head: bytes.toString('utf8', 0, longestHead), sum: sha256(bytes) })
    }
    const index = Buffer.from(indexPage(pages))
    const sums = [...pages, { name: 'index.html', sum: sha256(index) }].map(({ name, sum }) => `${sum}  ${name}\n`)
    await this.#replace('index.html', index)
    await this.#replace('SHA256SUMS', Buffer.from(sums.join('')))
  }

  #replace(name: string, bytes: Buffer): Promise<void> {
    return replaceFile(join(this.#path, name), join(this.#path, markerName), [bytes], () => this.#held.recheck())
  }

  /** Others may use it from here on. */
  release(): Promise<void> {
    return this.#held.release()
  }

  /** An id has nothing in it that means something in a path. */
  #nameOf(ticketId: string): string {
    return `${ticketId.toLowerCase()}.${this.marker.format}`
  }
}

function streamTo(file: FileHandle, failed: (error: unknown) => Error): Writable {
  return new Writable({
    write: (chunk: Buffer, _encoding, callback) =>
      void writeAll(file, chunk).then(
        () => callback(),
        (error: unknown) => callback(failed(error)),
      ),
  })
}
