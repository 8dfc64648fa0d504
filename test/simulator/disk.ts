/**
 * A disk that can lose power: of files the bytes that were not synced, of folders the names that were not. It can be full, fail,
 * or turn read-only without an error. `perform` is one call of Node's `fs`, which no other call interrupts.
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

export interface Folder {
  kind: 'folder'
  ino: number
  entries: Map<string, Inode>
  synced: Map<string, Inode>
  /** The changes since the last sync: a name with what it stands for then, and the name that goes with the same rename. */
  changes: { name: string; to: Inode | undefined; from?: string }[]
  mtimeMs: number
  bornAt: number
  /** The step at which it was renamed away. */
  goneAt?: number
}
export type Inode = DiskFile | Folder

/** `quiet`: writes and syncs report success, and nothing reaches the disk. */
export type Health = 'well' | 'full' | 'failing' | 'quiet'

export interface Call {
  op: string
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

export interface Facts {
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
  /** In one of so many calls that change something, the health changes to `illness`. */
  chance: number
  illness: Health
  /** Writes that end early although the disk is well. */
  shortWrites: number
  dice: DiceState
  nextIno: number
  nextFd: number
}

export class Disk {
  state: DiskState
  /** Counts the changes. */
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

  /** Makes a folder, synced. */
  makeFolder(path: string) {
    this.perform({ op: 'mkdir', path }, 0, 0)
    for (const inode of this.all()) if (inode.kind === 'folder') sync(inode)
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

  /** Also what only a synced folder still has. */
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

  /** Keeps the first changes, or any of them. */
  #forget(folder: Folder, isInOrder: boolean) {
    const kept = below(this.#roll, folder.changes.length + 1)
    const entries = new Map(folder.synced)
    for (const [n, { name, to, from }] of folder.changes.entries()) {
      if (isInOrder ? n >= kept : this.#roll() < 0.5) continue
      if (from !== undefined) entries.delete(from)
      if (to === undefined) entries.delete(name)
      else entries.set(name, to)
    }
    folder.entries = entries
    for (const [name, inode] of entries)
      if (inode.kind === 'folder' && !name.startsWith('.')) delete inode.goneAt
    sync(folder)
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
    if (isChange(call) && this.#roll() < this.state.chance) this.state.health = this.state.illness
    const { op, fd } = call
    if (fd !== undefined) return this.#performOnFile(call, fd, now)
    if (op === 'open') return this.#openFile(call, step, now)
    if (op === 'lstat') return factsOf(this.find(call.path ?? ''))
    if (op === 'readdir') {
      const folder = this.#there(call)
      if (folder.kind !== 'folder') throw new DiskError('ENOTDIR', call)
      return [...folder.entries.keys()]
    }
    if (op === 'access') {
      this.#there(call)
      if (this.state.health === 'quiet') throw new DiskError('EROFS', call)
      return undefined
    }
    return this.#changeNames(call, step, now)
  }

  #there(call: Call, path = call.path ?? ''): Inode {
    const inode = this.find(path)
    if (inode === undefined) throw new DiskError('ENOENT', call)
    return inode
  }

  #parent(call: Call, path = call.path ?? '') {
    const end = path.lastIndexOf('/')
    const folder = this.#there(call, path.slice(0, end))
    if (folder.kind !== 'folder') throw new DiskError('ENOTDIR', call)
    return { folder, name: path.slice(end + 1) }
  }

  /** Throws if no name can be made or removed. */
  #refuseIfIll(call: Call) {
    if (this.state.health === 'quiet') throw new DiskError('EROFS', call)
    if (this.state.health === 'failing') throw new DiskError('EIO', call)
    const isFull = this.state.health === 'full' && /open|mkdir|link/.test(call.op)
    if (isFull && call.op !== 'unlink') throw new DiskError('ENOSPC', call)
  }

  #openFile(call: Call, step: number, now: number): number {
    const { path = '', flags = 0 } = call
    if ((flags & O_TMPFILE) === O_TMPFILE) {
      this.#refuseIfIll(call)
      return this.state.nextFd++
    }
    let inode = this.find(path)
    if ((flags & constants.O_CREAT) !== 0) {
      const isExclusive = (flags & constants.O_EXCL) !== 0
      if (inode !== undefined && isExclusive) throw new DiskError('EEXIST', call)
    }
    if ((flags & constants.O_CREAT) !== 0 && inode === undefined) {
      const { folder, name } = this.#parent(call)
      this.#refuseIfIll(call)
      const none = Buffer.alloc(0)
      const ino = this.state.nextIno++
      inode = { kind: 'file', ino, data: none, synced: none, mtimeMs: now, bornAt: step }
      change(folder, { name, to: inode })
      folder.mtimeMs = now
    }
    if (inode === undefined) throw new DiskError('ENOENT', call)
    const fd = this.state.nextFd++
    this.state.open.set(fd, { inode, path })
    return fd
  }

  #performOnFile(call: Call, fd: number, now: number): unknown {
    const open = this.state.open.get(fd)
    if (call.op === 'close') return void this.state.open.delete(fd)
    if (open === undefined) throw new DiskError('EBADF', call)
    const { inode } = open
    if (call.op === 'fstat') return factsOf(inode)
    if (call.op === 'fsync') return this.sync(inode)
    if (inode.kind === 'folder') throw new DiskError('EISDIR', call)
    if (call.op === 'futimes') return void (inode.mtimeMs = call.ms ?? 0)
    if (call.op === 'read') {
      const from = call.position ?? 0
      return inode.data.toString('latin1', from, from + (call.length ?? 0))
    }
    return this.#write(call, inode, now)
  }

  #write(call: Call, file: DiskFile, now: number): number {
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

  /** Syncs what a file had at that time. */
  sync(inode: Inode, data = inode.kind === 'file' ? inode.data : undefined) {
    if (this.state.health === 'failing') throw new DiskError('EIO', { op: 'fsync' })
    if (this.state.health === 'quiet') return undefined
    if (inode.kind === 'folder') return sync(inode)
    if (data !== undefined && data.length > inode.synced.length) inode.synced = data
    return undefined
  }

  #changeNames(call: Call, step: number, now: number): undefined {
    const { folder, name } = this.#parent(call)
    folder.mtimeMs = now
    const inode = folder.entries.get(name)
    if (call.op === 'mkdir') {
      if (inode !== undefined) throw new DiskError('EEXIST', call)
      this.#refuseIfIll(call)
      return change(folder, { name, to: newFolder(this.state.nextIno++, step, now) })
    }
    if (inode === undefined) throw new DiskError('ENOENT', call)
    this.#refuseIfIll(call)
    if (call.op === 'unlink' || call.op === 'rmdir') {
      if (inode.kind === 'folder' && inode.entries.size > 0) throw new DiskError('ENOTEMPTY', call)
      return change(folder, { name, to: undefined })
    }
    const there = this.#parent(call, call.to)
    if (there.folder !== folder) throw new DiskError('EXDEV', call)
    const other = folder.entries.get(there.name)
    if (call.op === 'link') {
      if (other !== undefined) throw new DiskError('EEXIST', call)
      return change(folder, { name: there.name, to: inode })
    }
    if (other?.kind === 'folder' && other.entries.size > 0) throw new DiskError('ENOTEMPTY', call)
    if (inode.kind === 'folder') {
      if (there.name.startsWith('.')) inode.goneAt = step
      else delete inode.goneAt
    }
    return change(folder, { name: there.name, to: inode, from: name })
  }
}

function newFolder(ino: number, bornAt: number, mtimeMs: number): Folder {
  const entries = new Map<string, Inode>()
  return { kind: 'folder', ino, entries, synced: new Map(), changes: [], mtimeMs, bornAt }
}

function change(folder: Folder, one: Folder['changes'][number]): undefined {
  folder.changes.push(one)
  if (one.from !== undefined) folder.entries.delete(one.from)
  if (one.to === undefined) folder.entries.delete(one.name)
  else folder.entries.set(one.name, one.to)
  return undefined
}

function sync(folder: Folder): undefined {
  folder.synced = new Map(folder.entries)
  folder.changes = []
  return undefined
}

function factsOf(inode: Inode | undefined): Facts | undefined {
  if (inode === undefined) return undefined
  const { ino, mtimeMs, kind } = inode
  const size = inode.kind === 'file' ? inode.data.length : 0
  return { ino, size, mtimeMs, isFolder: kind === 'folder' }
}

const isChange = ({ op, flags = 0 }: Call) =>
  /^(?:write|fsync|mkdir|rename|unlink|rmdir|link)$/.test(op) ||
  (op === 'open' && flags !== constants.O_RDONLY)
