/**
 * Snapshots: contacts with their lists, one per line, and a last line about all of them. It ends with a checksum of every byte
 * before the checksum, so that a file that was cut or changed is never taken for what the service said.
 */
import { createHash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import * as v from 'valibot'
import { findList } from '../api/names.ts'
import type { PagesRead } from '../api/paginate.ts'
import { Contact, type ContactList } from '../api/schemas.ts'
import { fileError } from '../errno.ts'
import { SvcError, usageError } from '../errors.ts'
import type { FoundContact } from '../resources/found-contact.ts'
import type { People } from './people.ts'
import { inert } from '../output/text/safe.ts'
import { relativeTime } from '../output/text/time.ts'
import { formatDuration } from '../values.ts'
import { counted, extent } from './reading.ts'
import type { DirectoryChoice, DirectoryRead, NamedList, Snapshot, VisitContact } from './reading.ts'

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const List = v.object({ id: v.string(), name: v.string() })
const Facts = v.object({
  schema: v.literal('svc.snapshot/1'),
  baseUrl: v.string(),
  key: v.string(),
  lists: v.array(List),
  allLists: v.boolean(),
  complete: v.literal(true),
  contacts: count,
  listsMoved: v.boolean(),
  changed: count,
  madeAt: v.pipe(v.string(), v.isoTimestamp()),
})
const Line = v.looseObject({ ...Contact.entries, lists: v.array(List) })
type Facts = v.InferOutput<typeof Facts>

/** Whose contacts a snapshot has, or has to have. */
export interface Owner {
  readonly baseUrl: string
  readonly key: string
}

export interface SnapshotOptions extends Owner {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Milliseconds. */
  readonly maxAge: number
  readonly newKey: boolean
}

const checksum = /^,"sha256":"([0-9a-f]{64})"\}\n$/
const checksumLength = ',"sha256":""}\n'.length + 64
const longestLine = 1 << 28
/** What JSON leaves as it is, and a terminal does not show: hardly any line has it, and to look is much faster than to escape. */
const hidden = /[\p{C}\p{Zl}\p{Zp}]/u

/** The bytes of a snapshot. `now`: milliseconds since 1970. */
export async function* snapshotPieces(
  people: People,
  read: DirectoryRead,
  { baseUrl, key, now, allLists }: Owner & { readonly now: number; readonly allLists: boolean },
): AsyncGenerator<Buffer> {
  const sum = createHash('sha256')
  let text = ''
  for (let index = 0; index < people.size; index += 1) {
    const json = people.json(index)
    text += `${hidden.test(json) ? inert(json) : json}\n`
    if (text.length < 1 << 16) continue
    const piece = Buffer.from(text)
    sum.update(piece)
    yield piece
    text = ''
  }
  const facts: Facts = {
    schema: 'svc.snapshot/1',
    baseUrl,
    key,
    lists: read.lists.map(({ id, name }) => ({ id, name })),
    allLists,
    complete: true,
    contacts: people.size,
    listsMoved: read.listsMoved,
    changed: read.changed,
    madeAt: new Date(now).toISOString(),
  }
  const last = Buffer.from(text + inert(JSON.stringify(facts)).slice(0, -1))
  yield Buffer.concat([last, Buffer.from(`,"sha256":"${sum.update(last).digest('hex')}"}\n`)])
}

/** Throws exit 2 for a file that is no whole snapshot, of another service or key, or too old. */
export async function openSnapshot(path: string, options: SnapshotOptions): Promise<SavedDirectory> {
  const file = await open(path).catch((error: unknown) => {
    throw fileError('usage', `cannot read the snapshot "${path}"`, error)
  })
  try {
    const checked = await checkedFacts(path, file)
    const age = options.now - Date.parse(checked.facts.madeAt)
    checkBelongs(checked, age, options)
    return new SavedDirectory({ ...checked, age })
  } catch (error) {
    await file.close()
    throw fileError('usage', `cannot read the snapshot "${path}"`, error)
  }
}

function damagedError(path: string): SvcError {
  return usageError(
    `"${path}" is not a snapshot, or is damaged`,
    'make it again:\n  svc contacts list --snapshot <file>',
  )
}

/** What the last line says, once every byte was found to be the one that was written. `end`: where that line begins. */
async function checkedFacts(path: string, file: FileHandle) {
  const damaged = damagedError(path)
  const stats = await file.stat()
  const size = stats.size - checksumLength
  if (!stats.isFile() || size < 0) throw damaged
  const sum = createHash('sha256')
  let [end, at] = [0, 0]
  for await (const chunk of chunksOf(file, 0, size)) {
    sum.update(chunk)
    const newline = chunk.lastIndexOf(0x0a)
    if (newline >= 0) end = at + newline + 1
    at += chunk.length
  }
  const tail = (await bytesOf(file, size, stats.size)).toString('latin1')
  if (checksum.exec(tail)?.[1] !== sum.digest('hex') || size - end > longestLine) throw damaged
  const facts = v.safeParse(Facts, JSON.parse(`${(await bytesOf(file, end, size)).toString('utf8')}}`))
  if (!facts.success) throw damaged
  return { path, file, facts: facts.output, end }
}

type CheckedFile = Awaited<ReturnType<typeof checkedFacts>>

async function bytesOf(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of chunksOf(file, from, to)) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

/** A chunk is valid until the next one is asked for. */
async function* chunksOf(file: FileHandle, from: number, to: number): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(1 << 18)
  for (let at = from; at < to;) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, to - at), at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

function checkBelongs({ path, facts }: CheckedFile, age: number, wanted: SnapshotOptions): void {
  const { baseUrl, key, maxAge, newKey } = wanted
  const again = `make it again:\n  svc contacts list --snapshot <file>`
  if (facts.baseUrl !== baseUrl)
    throw usageError(
      `the snapshot "${path}" is of ${facts.baseUrl}, not of ${baseUrl}`,
      'choose its profile with -p <name>',
    )
  if (facts.key !== key && !newKey)
    throw usageError(`the snapshot "${path}" was made with another key`, 'if it is of the same company, add --new-key')
  if (age > maxAge)
    throw usageError(
      `the snapshot "${path}" was made on ${facts.madeAt}, more than ${formatDuration(maxAge)} ago`,
      `${again}\nor accept its age: --max-age <duration>`,
    )
  if (age < -maxAge) throw usageError(`the snapshot "${path}" is from the future: check this machine's clock`, again)
}

export class SavedDirectory implements Snapshot {
  readonly #opened: CheckedFile & { readonly age: number }

  constructor(opened: CheckedFile & { readonly age: number }) {
    this.#opened = opened
  }

  /** Reads it once, and closes it. */
  async read(choice: DirectoryChoice, visit: VisitContact): Promise<DirectoryRead> {
    const { file, facts } = this.#opened
    try {
      const lists = await this.#chosen(choice)
      const wanted = new Set(lists.map(({ id }) => id))
      let members = 0
      for await (const { lists: on, ...contact } of this.#contacts()) {
        for (const list of on.filter(({ id }) => wanted.has(id))) {
          members += 1
          visit(contact, list)
        }
        if (choice.isEnough?.() === true) break
      }
      const { listsMoved, changed } = facts
      const read = { lists, members, listsMoved, changed }
      return { ...read, notes: () => this.#notes(read, choice.within.length > 0) }
    } finally {
      await file.close()
    }
  }

  /** Its lists, or those of them that are named. Throws exit 6 for one that it does not have. */
  async #chosen({ within, accept }: DirectoryChoice): Promise<readonly NamedList[]> {
    const { lists } = this.#opened.facts
    if (within.length === 0) return lists
    const chosen = new Set<NamedList>()
    for (const text of within) {
      const { id } = await findList({ lists: { all: () => asPages(lists) } }, text, accept)
      const list = lists.find((each) => each.id.toLowerCase() === id.toLowerCase())
      if (list === undefined) throw new SvcError('rejected', `the snapshot does not have the list ${id}`)
      chosen.add(list)
    }
    return lists.filter((list) => chosen.has(list))
  }

  async *#contacts(): AsyncGenerator<FoundContact> {
    const { path, file, end } = this.#opened
    let rest = Buffer.alloc(0)
    for await (const chunk of chunksOf(file, 0, end)) {
      const bytes = Buffer.concat([rest, chunk])
      const whole = bytes.lastIndexOf(0x0a) + 1
      for (const line of bytes.toString('utf8', 0, whole).split('\n')) {
        const parsed = line === '' ? undefined : v.safeParse(Line, JSON.parse(line))
        if (parsed?.success === false) throw damagedError(path)
        if (parsed !== undefined) yield parsed.output
      }
      rest = bytes.subarray(whole)
    }
  }

  #notes(read: Omit<DirectoryRead, 'notes'>, isPart: boolean): string[] {
    const { path, facts, age } = this.#opened
    const names = facts.lists.map(({ name }) => `"${name}"`)
    const where = isPart
      ? `not on ${read.lists.length === 1 ? 'it' : 'them'} then`
      : facts.allLists
        ? 'on no list then'
        : 'not on them then'
    return [
      ...(read.listsMoved || read.changed > 0
        ? [`lists changed while the snapshot was made (${counted(read.changed, 'list')}): some members may be missing`]
        : []),
      ...(facts.allLists
        ? []
        : [`the snapshot knows only ${names.length > 5 ? counted(names.length, 'list') : names.join(', ')}`]),
      `read ${extent(read)} from "${path}", made ${relativeTime(0, Math.max(0, age))}; a contact that was ${where} cannot be found`,
    ]
  }
}

async function* asPages(lists: readonly NamedList[]): AsyncGenerator<ContactList, PagesRead> {
  for (const { id, name } of lists) yield { id, name, contactsCount: 0 }
  return { shown: lists.length, total: lists.length, missing: undefined, moved: undefined }
}
