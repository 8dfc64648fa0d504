/**
 * A disk in memory that does what a real one does: to processes that are killed at a write, to all of them when the power goes, and
 * when it is full or broken. Chance comes from one generator, so that a seed gives the same disk again.
 */
import type { Disk } from '../../src/world.ts'
import { Calls } from './disk-calls.ts'
import { nodeDisk } from './disk-node.ts'
import { anyLoss, FileNode, FolderNode, type EntryChange, type Inode } from './inodes.ts'

/** Thrown by what a killed process would still do at once. What it waits for never comes. */
export class Killed extends Error {}

/** When a process dies: before its `nth` change of the disk (from 1), after it, or in its middle with a share of its bytes written. */
export interface Death {
  readonly nth: number
  readonly where: 'before' | 'within' | 'after'
  readonly share: number
}

export interface OpenFile {
  readonly node: FileNode | FolderNode
  readonly reads: boolean
  readonly writes: boolean
  readonly appends: boolean
  position: number
}

export interface DiskProcess {
  readonly id: number
  readonly files: Map<number, OpenFile>
  isAlive: boolean
  /** How often it changed the disk. */
  changes: number
  death: Death | undefined
}

export interface DiskWorld {
  /** The time of the disk in milliseconds since 1970; 0 unless given. */
  now?(): number
  /** Before and after each call that is waited for; microtasks alone unless given. */
  pause?(processId: number): Promise<void>
  /** A process was killed by the disk: at its write, or with the power. */
  onDeath?(processId: number): void
}

const pages = [512, 4096]

export class SimulatedDisk {
  readonly root: FolderNode
  /** Bytes that files may still grow by; undefined: any number. */
  bytesLeft: number | undefined
  /** A file may have several names; it may not on FAT. */
  hasLinks = true
  /** Chance that the answer to a creation is lost, as on a network disk: asked again, it says that the name is in use. */
  losesAnswers = 0
  /** The error of every change. */
  failure: 'EIO' | 'EROFS' | undefined
  readonly #world: DiskWorld
  readonly #random: () => number
  readonly #processes = new Map<number, DiskProcess>()
  #ids = 1

  constructor(world: DiskWorld, random: () => number) {
    this.#world = world
    this.#random = random
    this.root = this.make((id) => new FolderNode(0o755, id))
    this.put('/tmp', undefined, 0o1777)
  }

  /** The disk as one process has it: Node's `fs`. */
  as(processId: number): Disk {
    const process: DiskProcess = {
      id: processId,
      files: new Map(),
      isAlive: true,
      changes: 0,
      death: undefined,
    }
    this.#processes.set(processId, process)
    return nodeDisk(new Calls(this, process), {
      isAlive: () => process.isAlive,
      pause: async () => this.#world.pause?.(processId),
    })
  }

  /** Nothing that this process does happens any more. */
  kill(processId: number): void {
    const process = this.#processes.get(processId)
    if (process?.isAlive !== true) return
    process.isAlive = false
    process.files.clear()
    this.#processes.delete(processId)
  }

  /** The process dies at its nth change from now on, before, within or after it. */
  killAt(processId: number, nth: number, where?: Death['where'], share = this.#random()): void {
    const process = this.#processes.get(processId)
    const chance = this.#random()
    const chosen = where ?? (chance < 0.4 ? 'before' : chance < 0.7 ? 'within' : 'after')
    if (process !== undefined) process.death = { nth: process.changes + nth, where: chosen, share }
  }

  /** Throws in place of the answer to a creation, now and then. */
  loseAnswer(error: () => Error): void {
    if (this.losesAnswers > 0 && this.#random() < this.losesAnswers) throw error()
  }

  now(): number {
    return this.#world.now?.() ?? 0
  }

  /** Every process dies. What was not synced may be lost: any pages, any names. */
  losePower(): void {
    for (const id of this.#processes.keys()) this.#end(id)
    const loss = anyLoss(this.#random)
    const page = pages[Math.floor(this.#random() * pages.length)] ?? 4096
    const linked = new Set<Inode>([this.root])
    // A set grows while it is walked: what a folder has is looked at after it.
    for (const node of linked) {
      if (node instanceof FileNode) node.lose(loss, page)
      if (!(node instanceof FolderNode)) continue
      node.lose(loss)
      for (const below of node.entries.values()) {
        below.links = below instanceof FolderNode || !linked.has(below) ? 1 : below.links + 1
        linked.add(below)
      }
    }
  }

  /** One byte of a file is another one from now on, and all others are on disk. */
  spoil(path: string, at: number): void {
    const node = this.#at(path)
    if (!(node instanceof FileNode)) return
    node.write(at, Buffer.from([(node.content[at] ?? 0) ^ 1]))
    node.endSync(node.beginSync())
  }

  /** The content of a file; undefined where there is none. */
  readFile(path: string): Buffer | undefined {
    const node = this.#at(path)
    return node instanceof FileNode ? Buffer.from(node.content) : undefined
  }

  /** The inode number of a file; undefined where there is none. */
  numberOf(path: string): number | undefined {
    const node = this.#at(path)
    return node instanceof FileNode ? node.id : undefined
  }

  /** Every path, sorted: folders end in `/`. */
  tree(folder = '/'): string[] {
    const start = this.#at(folder)
    const found: string[] = []
    const walk = (from: FolderNode, path: string): void => {
      for (const [name, node] of from.entries) {
        found.push(`${path}${name}${node instanceof FolderNode ? '/' : ''}`)
        if (node instanceof FolderNode) walk(node, `${path}${name}/`)
      }
    }
    if (start instanceof FolderNode) walk(start, folder.endsWith('/') ? folder : `${folder}/`)
    return found.sort()
  }

  /** Puts a file there, or a folder without a content; the folders above it too. It is on disk. */
  put(path: string, content: string | undefined, mode?: number): void {
    let folder = this.root
    const names = path.split('/').filter((name) => name !== '')
    for (const [index, name] of names.entries()) {
      const isLast = index === names.length - 1
      const node = isLast
        ? this.#made(content, mode)
        : (folder.entries.get(name) ?? this.#made(undefined))
      if (folder.entries.get(name) !== node) {
        node.links = 1
        this.enter({ entries: [{ folder, name, node }], isSynced: false })
        folder.endSync(folder.beginSync())
      }
      if (node instanceof FolderNode) folder = node
    }
  }

  /** For `Calls`: a new inode. */
  make<T extends Inode>(build: (id: number) => T): T {
    return build(this.#ids++)
  }

  /** For `Calls`: names come and go. */
  enter(change: EntryChange): void {
    for (const folder of new Set(change.entries.map(({ folder }) => folder))) folder.join(change)
  }

  /** For `Calls`: files grew by so many bytes. */
  grow(bytes: number): void {
    if (this.bytesLeft !== undefined) this.bytesLeft -= bytes
  }

  /** For `Calls`: a change by a process, which may be its last act. `torn` does a share of it. */
  change<T>(process: DiskProcess, work: () => T, torn?: (share: number) => void): T {
    this.check(process)
    process.changes += 1
    const death = process.death?.nth === process.changes ? process.death : undefined
    if (death === undefined) return work()
    try {
      if (death.where === 'within') torn?.(death.share)
      if (death.where === 'after') work()
    } finally {
      this.#end(process.id)
    }
    throw new Killed()
  }

  check(process: DiskProcess): void {
    if (!process.isAlive) throw new Killed()
  }

  #end(processId: number): void {
    this.kill(processId)
    this.#world.onDeath?.(processId)
  }

  #made(content: string | undefined, mode?: number): Inode {
    if (content === undefined) return this.make((id) => new FolderNode(mode ?? 0o755, id))
    const file = this.make((id) => new FileNode(mode ?? 0o644, id))
    file.write(0, Buffer.from(content))
    file.endSync(file.beginSync())
    return file
  }

  #at(path: string): Inode | undefined {
    let node: Inode | undefined = this.root
    for (const name of path.split('/').filter((part) => part !== ''))
      node = node instanceof FolderNode ? node.entries.get(name) : undefined
    return node
  }
}
