/** Files and folders of the simulated disk, each with what a power loss may leave of it. */
export type Inode = FileNode | FolderNode

/** The surviving state of a unit that can be lost by itself: 0 is the last synced one, `states` the newest. */
export type Loss = (states: number, unit: 'page' | 'length' | 'entry') => number

const types = { file: 0o100000, folder: 0o040000 }

abstract class Node {
  readonly id: number
  readonly type: number
  mode: number
  /** Names that lead to it. */
  links = 0
  /** Modification time in milliseconds. */
  time = 0

  constructor(type: keyof typeof types, mode: number, id: number) {
    this.id = id
    this.type = types[type]
    this.mode = mode
  }
}

/** Bytes with more room than they need, so that appending costs little. */
class Bytes {
  #room = Buffer.alloc(0)
  size = 0

  get content(): Buffer {
    return this.#room.subarray(0, this.size)
  }

  /** Writes, or with `bytes` undefined cuts to the length `at`. */
  apply({ at, bytes }: Write): void {
    const end = at + (bytes?.length ?? 0)
    if (end > this.#room.length) {
      const grown = Buffer.alloc(Math.max(end, this.#room.length * 2, 1024))
      this.content.copy(grown)
      this.#room = grown
    }
    bytes?.copy(this.#room, at)
    if (bytes === undefined && at < this.size) this.#room.fill(0, at, this.size)
    this.size = bytes === undefined ? end : Math.max(this.size, end)
  }
}

interface Write {
  readonly at: number
  readonly bytes: Buffer | undefined
}

export class FileNode extends Node {
  #now = new Bytes()
  /** The state that survives a power loss. */
  readonly #synced = new Bytes()
  /** The writes after it, each with the length that it led to. */
  #writes: (Write & { readonly length: number })[] = []
  /** How many came before those. */
  #done = 0

  constructor(mode: number, id: number) {
    super('file', mode, id)
  }

  get content(): Buffer {
    return this.#now.content
  }

  get size(): number {
    return this.#now.size
  }

  write(at: number, bytes: Uint8Array | undefined): void {
    const write = { at, bytes: bytes && Buffer.from(bytes) }
    this.#now.apply(write)
    this.#writes.push({ ...write, length: this.size })
  }

  /** How often it was written; it stands for the time of its last change. */
  get changes(): number {
    return this.#done + this.#writes.length
  }

  /** A sync that begins now writes so much; `endSync` with it when it has ended. */
  beginSync(): number {
    return this.changes
  }

  endSync(begun: number): void {
    for (const write of this.#writes.splice(0, Math.max(0, begun - this.#done))) {
      this.#synced.apply(write)
      this.#done += 1
    }
  }

  /** From now on it is what is left, and that is synced. */
  lose(loss: Loss, page: number): void {
    const left = this.#left(loss, page)
    this.#writes = [
      { at: 0, bytes: undefined, length: 0 },
      { at: 0, bytes: left, length: left.length },
    ]
    this.#done = 0
    this.endSync(2)
    this.#now = new Bytes()
    this.#now.apply({ at: 0, bytes: left })
  }

  #left(loss: Loss, page: number): Buffer {
    const states = this.#writes.length
    const synced = this.#synced.content
    const length = loss(states, 'length')
    const left = Buffer.alloc(this.#writes[length - 1]?.length ?? synced.length)
    synced.copy(left)
    for (const start of this.#pagesWritten(page)) {
      const end = Math.min(start + page, left.length)
      const writes = this.#writes.slice(0, loss(states, 'page'))
      if (start >= end) continue
      const part = left.subarray(start, end).fill(0)
      part.set(synced.subarray(start, end))
      for (const { at, bytes } of writes) {
        if (bytes === undefined) part.fill(0, Math.min(part.length, Math.max(0, at - start)))
        else if (at < end && at + bytes.length > start)
          bytes.copy(
            part,
            Math.max(0, at - start),
            Math.max(0, start - at),
            Math.min(bytes.length, end - at),
          )
      }
    }
    return left
  }

  /** Where the pages begin that were written since the last sync. */
  #pagesWritten(page: number): Set<number> {
    const found = new Set<number>()
    for (const { at, bytes, length } of this.#writes) {
      const end = bytes === undefined ? Math.max(length, this.#synced.size) : at + bytes.length
      for (let start = Math.floor(at / page) * page; start < end; start += page) found.add(start)
    }
    return found
  }
}

/** Names that come and go together: both of a rename. */
export interface EntryChange {
  readonly entries: readonly {
    readonly folder: FolderNode
    readonly name: string
    readonly node: Inode | undefined
  }[]
  isSynced: boolean
  /** Decided once for a power loss. */
  isLost?: boolean
}

export class FolderNode extends Node {
  readonly entries = new Map<string, Inode>()
  #synced = new Map<string, Inode>()
  #changes: EntryChange[] = []
  #done = 0

  constructor(mode: number, id: number) {
    super('folder', mode, id)
    this.links = 1
  }

  get size(): number {
    return 4096
  }

  /** Takes part in a change, each folder of it once. */
  join(change: EntryChange): void {
    this.#apply(change, this.entries)
    this.#changes.push(change)
  }

  beginSync(): number {
    return this.#done + this.#changes.length
  }

  endSync(begun: number): void {
    for (const change of this.#changes.splice(0, Math.max(0, begun - this.#done))) {
      change.isSynced = true
      this.#apply(change, this.#synced)
      this.#done += 1
    }
  }

  lose(loss: Loss): void {
    for (const change of this.#changes) {
      change.isLost ??= !change.isSynced && loss(1, 'entry') === 0
      if (!change.isLost) this.#apply(change, this.#synced)
    }
    this.#done += this.#changes.length
    this.#changes = []
    this.entries.clear()
    for (const [name, node] of this.#synced) this.entries.set(name, node)
  }

  #apply(change: EntryChange, to: Map<string, Inode>): void {
    for (const { folder, name, node } of change.entries) {
      if (folder !== this) continue
      if (node === undefined) to.delete(name)
      else to.set(name, node)
    }
  }
}

/** How much a power loss takes: nothing, everything, all content but no name, or any set. */
export function anyLoss(random: () => number): Loss {
  const kind = random()
  if (kind < 0.1) return (states) => states
  if (kind < 0.25) return () => 0
  if (kind < 0.35) return (states, unit) => (unit === 'page' ? 0 : states)
  const share = random()
  return (states) =>
    random() < share ? states : random() < 0.5 ? 0 : Math.floor(random() * (states + 1))
}
