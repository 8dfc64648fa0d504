/**
 * A folder of conversations, a file for each ticket, whole or not at all. What the files hold is kept in a file beside them, so
 * that the same command, whenever it is given again, adds to them what is missing and nothing of another kind.
 */
import { constants } from 'node:fs'
import { lstat, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Writable } from 'node:stream'
import * as v from 'valibot'
import { createFile, noFollow, replaceFile, syncFolder, writeAll } from '../../bulk/disk.ts'
import { ownTag } from '../../bulk/output-file.ts'
import { fileError } from '../../errno.ts'
import { messageOf, systemCode, usageError } from '../../errors.ts'
import { makeFolders } from '../../folder.ts'
import type { Host } from '../../host.ts'

const markerName = '.svc-history.json'
const longestMarker = 1 << 16

const Span = v.nullable(v.object({ typed: v.string(), at: v.number() }))
const Marker = v.object({
  schema: v.literal('svc.history/1'),
  format: v.string(),
  limit: v.union([v.literal('all'), v.number()]),
  order: v.string(),
  fields: v.nullable(v.array(v.string())),
  since: Span,
  until: Span,
})
type Marker = v.InferOutput<typeof Marker>

/** What this command line asks of each file. */
export interface Asked {
  readonly format: string
  readonly limit: number | 'all'
  readonly order: string
  readonly fields: readonly string[] | undefined
  /** As typed, and the moment that it means now. */
  readonly since: v.InferOutput<typeof Span>
  readonly until: v.InferOutput<typeof Span>
}

/**
 * Makes the folder where it is missing and takes it up where it is not; ages go on to count from when it was begun, unless its
 * files are replaced. Throws exit 2 when it cannot be used or was begun with other options.
 */
export async function openFolder(host: Host, path: string, asked: Asked, isReplaced: boolean): Promise<Folder> {
  const folder = resolve(path)
  try {
    makeFolders(folder)
    const stats = await lstat(folder)
    if (stats.isSymbolicLink()) throw usageError(`"${path}" is a symbolic link`, 'name the folder itself')
    const before = await readMarker(join(folder, markerName))
    if (before !== undefined) refuseOther(path, before, asked)
    const marker: Marker =
      before === undefined || isReplaced
        ? { schema: 'svc.history/1', ...asked, fields: asked.fields === undefined ? null : [...asked.fields] }
        : before
    const tag = ownTag(host)
    if (marker !== before) {
      const text = `${JSON.stringify(marker, undefined, 2)}\n`
      await replaceFile(join(folder, markerName), join(folder, `${markerName}.${tag}.part`), [Buffer.from(text)])
    }
    return new Folder(path, marker, tag, await filesIn(host, folder))
  } catch (error) {
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

function refuseOther(path: string, before: Marker, asked: Asked): void {
  const options: readonly [option: string, before: string | number | undefined, now: string | number | undefined][] = [
    ['-o', before.format, asked.format],
    ['--limit', before.limit, asked.limit],
    ['--order', before.order, asked.order],
    ['--fields', before.fields?.join(','), asked.fields?.join(',')],
    ['--since', before.since?.typed, asked.since?.typed],
    ['--until', before.until?.typed, asked.until?.typed],
  ]
  for (const [option, then, now] of options) {
    if (then === now) continue
    const words = (value: string | number | undefined): string =>
      value === undefined ? `without ${option}` : `with ${option} ${value}`
    throw usageError(
      `the folder "${path}" was started ${words(then)}, and this command runs ${words(now)}`,
      'use the same options, or another folder',
    )
  }
}

const draftName = /^\..+\.(\d+)-\d+\.part$/

/** Names of what is there, without drafts that processes left which are no more. */
async function filesIn(host: Host, folder: string): Promise<Set<string>> {
  const names = new Set<string>()
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const { name } = entry
    const owner = draftName.exec(name)?.[1]
    // Anything else that has a ticket's name is replaced by its file.
    if (owner === undefined && entry.isFile()) names.add(name)
    if (owner !== undefined && !host.isRunning(Number(owner))) await rm(join(folder, name), { force: true })
  }
  return names
}

/** One that is in use. */
export class Folder {
  /** As it was typed. */
  readonly name: string
  readonly #path: string
  readonly marker: Marker
  readonly #tag: string
  readonly #names: ReadonlySet<string>

  constructor(name: string, marker: Marker, tag: string, names: ReadonlySet<string>) {
    this.name = name
    this.#path = resolve(name)
    this.marker = marker
    this.#tag = tag
    this.#names = names
  }

  /** Whether the ticket was written before this command. */
  has(ticketId: string): boolean {
    return this.#names.has(this.#nameOf(ticketId))
  }

  /** Writes a ticket's file and moves it to its place when all of it is on disk. Throws exit 10, and what `print` throws. */
  async write(ticketId: string, print: (stream: Writable) => Promise<void>): Promise<void> {
    const name = this.#nameOf(ticketId)
    const place = join(this.#path, name)
    const draft = join(this.#path, `.${name}.${this.#tag}.part`)
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
      await rename(draft, place)
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined)
      throw failed(error)
    }
  }

  /** Makes the names of what was written last; without it, a loss of power makes them missing, and none of them half. */
  async finish(): Promise<void> {
    await syncFolder(this.#path).catch((error: unknown) => {
      throw fileError('local', `${this.#path} cannot be written`, error)
    })
  }

  /** An id has nothing in it that means something in a path. */
  #nameOf(ticketId: string): string {
    return `${ticketId.toLowerCase()}.${this.marker.format}`
  }
}

function streamTo(file: FileHandle, failed: (error: unknown) => Error): Writable {
  return new Writable({
    write: (chunk: Buffer, _encoding, callback) => {
      writeAll(file, chunk).then(
        () => {
          callback()
        },
        (error: unknown) => {
          callback(failed(error))
        },
      )
    },
  })
}
