/**
 * A disk that can lose power: of files the bytes that were not synced, of folders the names that were not. It can be full, fail,
 * or turn read-only. `perform` is one call of Node's `fs`, which no other call interrupts.
 */
import { constants } from 'node:fs'
import { below, diceState, rollOf, type Dice, type DiceState } from './dice.ts'

export interface DiskFile {
  kind: 'file'
  ino: number
  data: Buffer
  synced: Buffer
  mtimeMs: number
  bornAt: number
}

/** Of a folder: a name, what it stands for from then on, and for a rename the old name. */
interface Change {
  name: string
  to: Inode | undefined
  from?: string
}

export interface Folder {
  kind: 'folder'
  ino: number
  entries: Map<string, Inode>
  synced: Map<string, Inode>
  /** The changes since the last sync. */
  changes: Change[]
  mtimeMs: number
  bornAt: number
  /** The step at which it was renamed to a hidden name, which is how svc removes a run. */
  goneAt?: number
}
export type Inode = DiskFile | Folder

/**
 * `quiet` is a disk that turned read-only: writes and syncs of open files report success, and nothing reaches the disk; a
 * change of names is refused.
 */
export type Health = 'well' | 'full' | 'failing' | 'quiet'

type PathOperation =
  'open' | 'lstat' | 'readdir' | 'access' | 'mkdir' | 'unlink' | 'rmdir' | 'link' | 'rename'
type FileOperation = 'close' | 'fstat' | 'fsync' | 'futimes' | 'read' | 'write'

/** Has a path, or the `fd` of an open file. */
export interface Call {
  op: PathOperation | FileOperation
  path?: string
  to?: string
  fd?: number
  flags?: number
  /** Bytes as latin1. */
  text?: string
  length?: number
  position?: number
  ms?: number
}

export interface Stats {
  ino: number
  size: number
  mtimeMs: number
  isFolder: boolean
}

export class DiskError extends Error {
  readonly code: string

  constructor(code: string, { op, path = '' }: Call) {
    super(`${code}: ${op} '${path}'`)
    this.code = code
  }
}

/** Linux's flag for a file without a name. */
const O_TMPFILE = 0o20000000
/** Bytes of a page. */
const page = 64

/** All of a disk, as data. A copy of it takes the same calls with the same results. */
export interface DiskState {
  root: Folder
  open: Map<number, { inode: Inode; path: string }>
  health: Health
  /** How likely the health changes to `illness` at a call that may change something. */
  chance: number
  illness: Health
  /** How likely a write ends early although the disk is well. */
  shortWrites: number
  dice: DiceState
  nextIno: number
  nextFd: number
}

export class Disk {
  state: DiskState
  /** Grows with each call: a copy with an older version is stale. */
  version = 0
  readonly #roll: Dice = () => rollOf(this.state.dice)

  constructor(seed: number) {
    this.state = {
      root: newFolder(0, 0, 0),
      open: new Map(),
      health: 'well',
      chance: 0,
      illness: 'well',
      shortWrites: 0,
      dice: diceState(seed),
      nextIno: 1,
      nextFd: 10,
    }
  }

  /** Makes a folder, and syncs all folders. */
  makeFolder(path: string) {
    this.perform({ op: 'mkdir', path }, 0, 0)
    for (const inode of this.all()) if (inode.kind === 'folder') syncFolder(inode)
  }

  /** Returns what a path stands for; undefined for nothing. */
  find(path: string): Inode | undefined {
    let at: Inode | undefined = this.state.root
    for (const name of path.split('/').filter((each) => each !== ''))
      at = at?.kind === 'folder' ? at.entries.get(name) : undefined
    return at
  }

  /** The inode and path of an open file. */
  opened(fd: number) {
    return this.state.open.get(fd)
  }

  /** A file or folder and what is in it by name. */
  *all(from: Inode = this.state.root): Generator<Inode> {
    yield from
    if (from.kind === 'folder') for (const each of from.entries.values()) yield* this.all(each)
  }

  /** All power is gone: what was not synced comes or stays away at random. */
  losePower({ hasZeros = false } = {}) {
    this.version += 1
    this.state.open.clear()
    const isInOrder = this.#roll() < 0.5
    for (const inode of [...this.#everything()]) {
      if (inode.kind === 'file') this.#cut(inode, hasZeros)
      else this.#forget(inode, isInOrder)
    }
  }

  /** All that a path stands for now, at the last sync, or between. */
  *#everything(from: Inode = this.state.root, seen = new Set<Inode>()): Generator<Inode> {
    if (seen.has(from)) return
    seen.add(from)
    yield from
    if (from.kind === 'file') return
    const later = from.changes.flatMap(({ to }) => to ?? [])
    for (const each of [...from.synced.values(), ...from.entries.values(), ...later])
      yield* this.#everything(each, seen)
  }

  #cut(file: DiskFile, hasZeros: boolean) {
    const { synced } = file
    const length = synced.length + below(this.#roll, file.data.length - synced.length + 1)
    const data = Buffer.from(file.data.subarray(0, length))
    for (let at = synced.length; hasZeros && at < length; at += page)
      if (this.#roll() < 0.3) data.fill(0, at, Math.min(at + page, length))
    Object.assign(file, { data, synced: data })
  }

  /** Keeps the first changes since the last sync, or any of them. */
  #forget(folder: Folder, isInOrder: boolean) {
    // Rolled even if it is not used: a seed plays the same world for ever.
    const kept = below(this.#roll, folder.changes.length + 1)
    const entries = new Map(folder.synced)
    for (const [n, change] of folder.changes.entries()) {
      if (isInOrder ? n >= kept : this.#roll() < 0.5) continue
      applyTo(entries, change)
    }
    folder.entries = entries
    for (const [name, inode] of entries)
      if (inode.kind === 'folder' && !isHidden(name)) delete inode.goneAt
    syncFolder(folder)
  }

  /** The disk is well again. What a quiet one seemed to take is gone. */
  repair() {
    this.version += 1
    if (this.state.health === 'quiet')
      for (const inode of this.#everything()) if (inode.kind === 'file') inode.data = inode.synced
    this.state.health = 'well'
    this.state.chance = 0
  }

  /** Makes a call. Throws a `DiskError`. `step` counts the steps of the world, `now` is its time in milliseconds. */
  perform(call: Call, step: number, now: number): unknown {
    this.version += 1
    if (isRisky(call) && this.#roll() < this.state.chance) this.state.health = this.state.illness
    switch (call.op) {
      case 'open':
        return this.#openFile(call, step, now)
      case 'lstat':
        return statsOf(this.find(call.path ?? ''))
      case 'readdir':
        return [...this.#folder(call).entries.keys()]
      case 'access':
        this.#there(call)
        if (this.state.health === 'quiet') throw new DiskError('EROFS', call)
        return undefined
      case 'mkdir':
        return this.#makeFolder(call, step, now)
      case 'unlink':
      case 'rmdir':
        return this.#removeName(call, now)
      case 'link':
      case 'rename':
        return this.#giveName(call, step, now)
      case 'close':
        return void this.state.open.delete(call.fd ?? 0)
      case 'fstat':
      case 'fsync':
      case 'futimes':
      case 'read':
      case 'write':
        return this.#performOnFile(call, now)
    }
  }

  #there(call: Call, path = call.path ?? ''): Inode {
    const inode = this.find(path)
    if (inode === undefined) throw new DiskError('ENOENT', call)
    return inode
  }

  #folder(call: Call, path = call.path ?? ''): Folder {
    const folder = this.#there(call, path)
    if (folder.kind !== 'folder') throw new DiskError('ENOTDIR', call)
    return folder
  }

  #parent(call: Call, path = call.path ?? '') {
    const end = path.lastIndexOf('/')
    return { folder: this.#folder(call, path.slice(0, end)), name: path.slice(end + 1) }
  }

  /** Throws if no name can be made or removed. */
  #refuseIfIll(call: Call) {
    if (this.state.health === 'quiet') throw new DiskError('EROFS', call)
    if (this.state.health === 'failing') throw new DiskError('EIO', call)
    const needsSpace = call.op === 'open' || call.op === 'mkdir' || call.op === 'link'
    if (this.state.health === 'full' && needsSpace) throw new DiskError('ENOSPC', call)
  }

  #openFile(call: Call, step: number, now: number): number {
    const { path = '', flags = 0 } = call
    if ((flags & O_TMPFILE) === O_TMPFILE) {
      this.#refuseIfIll(call)
      // Opened to see whether the folder takes files, and only closed: it needs no inode.
      return this.state.nextFd++
    }
    const isCreation = (flags & constants.O_CREAT) !== 0
    let inode = this.find(path)
    if (inode !== undefined && isCreation && (flags & constants.O_EXCL) !== 0)
      throw new DiskError('EEXIST', call)
    if (inode === undefined && isCreation) {
      const { folder, name } = this.#parent(call)
      this.#refuseIfIll(call)
      const none = Buffer.alloc(0)
      const ino = this.state.nextIno++
      inode = { kind: 'file', ino, data: none, synced: none, mtimeMs: now, bornAt: step }
      record(folder, { name, to: inode }, now)
    }
    if (inode === undefined) throw new DiskError('ENOENT', call)
    const fd = this.state.nextFd++
    this.state.open.set(fd, { inode, path })
    return fd
  }

  #performOnFile(call: Call, now: number): unknown {
    const inode = this.state.open.get(call.fd ?? 0)?.inode
    if (inode === undefined) throw new DiskError('EBADF', call)
    if (call.op === 'fstat') return statsOf(inode)
    if (call.op === 'fsync') return this.sync(inode)
    if (inode.kind === 'folder') throw new DiskError('EISDIR', call)
    if (call.op === 'futimes') return void (inode.mtimeMs = call.ms ?? 0)
    if (call.op === 'write') return this.#append(call, inode, now)
    const { position = 0, length = 0 } = call
    return inode.data.toString('latin1', position, position + length)
  }

  /** Writes at the end, where the engine always writes: a position and O_TRUNC are ignored. */
  #append(call: Call, file: DiskFile, now: number): number {
    const bytes = Buffer.from(call.text ?? '', 'latin1')
    const isIll = this.state.health === 'full' || this.state.health === 'failing'
    const isShort = isIll ? this.#roll() < 0.5 : this.#roll() < this.state.shortWrites
    if (isIll && !isShort)
      throw new DiskError(this.state.health === 'full' ? 'ENOSPC' : 'EIO', call)
    const count = isShort ? below(this.#roll, bytes.length) : bytes.length
    file.data = Buffer.concat([file.data, bytes.subarray(0, count)])
    file.mtimeMs = now
    return count
  }

  /** Syncs a file up to `data`, what it had when the sync began, or a folder. */
  sync(inode: Inode, data = inode.kind === 'file' ? inode.data : undefined) {
    if (this.state.health === 'failing') throw new DiskError('EIO', { op: 'fsync' })
    if (this.state.health === 'quiet') return undefined
    if (inode.kind === 'folder') return syncFolder(inode)
    if (data !== undefined && data.length > inode.synced.length) inode.synced = data
    return undefined
  }

  #makeFolder(call: Call, step: number, now: number) {
    const { folder, name } = this.#parent(call)
    if (folder.entries.has(name)) throw new DiskError('EEXIST', call)
    this.#refuseIfIll(call)
    record(folder, { name, to: newFolder(this.state.nextIno++, step, now) }, now)
  }

  #removeName(call: Call, now: number) {
    const { folder, name } = this.#parent(call)
    const inode = this.#there(call)
    this.#refuseIfIll(call)
    if (inode.kind === 'folder' && call.op === 'unlink') throw new DiskError('EISDIR', call)
    if (inode.kind === 'file' && call.op === 'rmdir') throw new DiskError('ENOTDIR', call)
    if (inode.kind === 'folder' && inode.entries.size > 0) throw new DiskError('ENOTEMPTY', call)
    record(folder, { name, to: undefined }, now)
  }

  /** Gives a file or folder another name in its folder, or a second one. */
  #giveName(call: Call, step: number, now: number) {
    const { folder, name } = this.#parent(call)
    const inode = this.#there(call)
    this.#refuseIfIll(call)
    const there = this.#parent(call, call.to)
    if (there.folder !== folder) throw new DiskError('EXDEV', call)
    const other = folder.entries.get(there.name)
    if (call.op === 'link') {
      if (other !== undefined) throw new DiskError('EEXIST', call)
      return record(folder, { name: there.name, to: inode }, now)
    }
    if (other?.kind === 'folder' && other.entries.size > 0) throw new DiskError('ENOTEMPTY', call)
    if (inode.kind === 'folder') {
      if (isHidden(there.name)) inode.goneAt = step
      else delete inode.goneAt
    }
    return record(folder, { name: there.name, to: inode, from: name }, now)
  }
}

function newFolder(ino: number, bornAt: number, mtimeMs: number): Folder {
  const entries = new Map<string, Inode>()
  return { kind: 'folder', ino, entries, synced: new Map(), changes: [], mtimeMs, bornAt }
}

function record(folder: Folder, change: Change, now: number) {
  folder.changes.push(change)
  folder.mtimeMs = now
  applyTo(folder.entries, change)
}

function applyTo(entries: Folder['entries'], { name, to, from }: Change) {
  if (from !== undefined) entries.delete(from)
  if (to === undefined) entries.delete(name)
  else entries.set(name, to)
}

function syncFolder(folder: Folder) {
  folder.synced = new Map(folder.entries)
  folder.changes = []
}

function statsOf(inode: Inode | undefined): Stats | undefined {
  if (inode === undefined) return undefined
  const { ino, mtimeMs, kind } = inode
  const size = inode.kind === 'file' ? inode.data.length : 0
  return { ino, size, mtimeMs, isFolder: kind === 'folder' }
}

const isHidden = (name: string) => name.startsWith('.')

/** The calls at which the health may change. An open with flags is one even if it only reads: a disk falls ill at any time. */
const isRisky = ({ op, flags = 0 }: Call) =>
  /^(?:write|fsync|mkdir|rename|unlink|rmdir|link)$/.test(op) ||
  (op === 'open' && flags !== constants.O_RDONLY)
