/** Where the paths of a process lead on the simulated disk, what it has open, and the system's errors. */
import { constants as os } from 'node:os'
import { getSystemErrorMap } from 'node:util'
import type { DiskProcess, OpenFile, SimulatedDisk } from './disk.ts'
import { FolderNode, type Inode } from './inodes.ts'

/** The call, and its paths, as its error names them. */
export interface Call {
  readonly syscall: string
  readonly path?: string | undefined
  readonly dest?: string | undefined
}

const numbers = new Map(Object.entries(os.errno))
const wordsOf = getSystemErrorMap()

export function systemError(code: string, { syscall, path, dest }: Call): Error {
  const errno = -(numbers.get(code) ?? 0)
  const words = wordsOf.get(errno)?.[1] ?? 'unknown error'
  const where = [path, dest].filter((each) => each !== undefined).map((each) => `'${each}'`)
  const text = `${code}: ${words}, ${syscall} ${where.join(' -> ')}`.trimEnd()
  // Most are thrown for a file that may be missing, and nobody looks where.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  const error = new Error(text)
  Error.stackTraceLimit = stackTraceLimit
  return Object.assign(error, {
    errno,
    code,
    syscall,
    ...(path === undefined ? {} : { path }),
    ...(dest === undefined ? {} : { dest }),
  })
}

/** The last name of a path, the folder that it is in, and what has it. */
export interface Place {
  readonly folder: FolderNode
  readonly name: string
  readonly node: Inode | undefined
  /** The folders on the way there. */
  readonly way: readonly FolderNode[]
}

export class Paths {
  protected readonly disk: SimulatedDisk
  protected readonly process: DiskProcess

  constructor(disk: SimulatedDisk, process: DiskProcess) {
    this.disk = disk
    this.process = process
  }

  protected change<T>(call: Call, work: () => T, torn?: (share: number) => void): T {
    return this.disk.change(
      this.process,
      () => {
        if (this.disk.failure !== undefined) throw systemError(this.disk.failure, call)
        return work()
      },
      this.disk.failure === undefined ? torn : undefined,
    )
  }

  protected file(file: number, call: Call): OpenFile {
    this.disk.check(this.process)
    const open = this.process.files.get(file)
    if (open === undefined) throw systemError('EBADF', call)
    return open
  }

  protected there(call: Call): Place & { node: Inode } {
    const place = this.locate(call, call.path ?? '')
    if (place.node === undefined) throw systemError('ENOENT', call)
    return { ...place, node: place.node }
  }

  /** The place of an absolute path. */
  protected locate(call: Call, path: string): Place {
    this.disk.check(this.process)
    if (path === '') throw systemError('ENOENT', call)
    const way = [this.disk.root]
    const todo = path.split('/')
    for (;;) {
      const folder = way.at(-1) ?? this.disk.root
      const name = todo.shift()
      if (name === undefined) return { folder, name: '.', node: folder, way }
      if (name === '' || name === '.') continue
      if (name === '..') {
        if (way.length > 1) way.pop()
        continue
      }
      if (Buffer.byteLength(name) > 255) throw systemError('ENAMETOOLONG', call)
      const isLast = todo.length === 0
      const node = folder.entries.get(name)
      if (isLast) return { folder, name, node, way }
      if (node === undefined) throw systemError('ENOENT', call)
      if (!(node instanceof FolderNode)) throw systemError('ENOTDIR', call)
      way.push(node)
    }
  }
}
