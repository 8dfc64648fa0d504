/**
 * A lock as a file: created whole and exclusively, read without ever waiting, renewed in place by its owner alone.
 *
 * A line of JSON. The counter has a fixed place and width, so that renewing it changes ten bytes and nothing else.
 */
import { constants } from 'node:fs'
import { link, open, unlink, type FileHandle } from 'node:fs/promises'
import * as v from 'valibot'
import { systemCode } from '../../errors.ts'

const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const Text = v.fallback(v.nullable(v.string()), null)

const Lock = v.object({
  counter: v.pipe(v.string(), v.transform(Number), Count),
  pid: Count,
  /** Of the process, in ticks since boot. */
  start: Text,
  machine: Text,
  host: Text,
  boot: Text,
  pidNamespace: Text,
  bootedAt: v.fallback(v.nullable(v.number()), null),
  /** Tells this lock from every other one; it becomes a part of a file's name. */
  token: v.pipe(v.string(), v.regex(/^[0-9a-f]{1,64}$/)),
  /** Milliseconds since 1970, by the holder's clock. */
  since: Count,
})

export type LockRecord = v.InferOutput<typeof Lock>

/** `unreadable`: something that is no lock. */
export type LockFile = LockRecord | 'none' | 'unreadable'

const head = '{"schema":"svc.lock/2","counter":"'
const digits = 10
const longest = 4096
const noWait = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const createNew = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | noWait
/** What opening a symbolic link, a folder, a socket or a device gives. */
const notAFile: ReadonlySet<string | undefined> = new Set(['ELOOP', 'EISDIR', 'ENXIO', 'ENODEV', 'EOPNOTSUPP'])

function counterText(counter: number): string {
  return String(counter).padStart(digits, '0')
}

function encode({ counter, ...rest }: LockRecord): string {
  return `${head}${counterText(counter)}",${JSON.stringify(rest).slice(1)}\n`
}

function decode(text: string): LockRecord | 'unreadable' {
  try {
    return text.startsWith(head) ? v.parse(Lock, JSON.parse(text)) : 'unreadable'
  } catch {
    return 'unreadable'
  }
}

async function readOpened(file: FileHandle): Promise<LockRecord | 'unreadable'> {
  const stat = await file.stat()
  if (!stat.isFile()) return 'unreadable'
  const bytes = Buffer.alloc(longest)
  const { bytesRead } = await file.read(bytes, 0, longest, 0)
  return decode(bytes.toString('utf8', 0, bytesRead))
}

async function openThere(path: string, flags: number): Promise<FileHandle | 'none' | 'unreadable'> {
  try {
    return await open(path, flags | noWait)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 'none'
    if (notAFile.has(systemCode(error))) return 'unreadable'
    throw error
  }
}

/** Whatever stands at `path`; never waits for it. Throws the system's error when it cannot be known. */
export async function readLockFile(path: string): Promise<LockFile> {
  const file = await openThere(path, constants.O_RDONLY)
  if (typeof file === 'string') return file
  try {
    return await readOpened(file)
  } finally {
    await file.close()
  }
}

/**
 * Writes the counter into the lock with this token, through the descriptor by which the token was read: a file that took
 * its place is never touched. False when the lock with this token is not there.
 */
export async function renewLockFile(path: string, token: string, counter: number): Promise<boolean> {
  const file = await openThere(path, constants.O_RDWR)
  if (typeof file === 'string') return false
  try {
    const record = await readOpened(file)
    if (record === 'unreadable' || record.token !== token) return false
    await file.write(counterText(counter), head.length)
    await file.datasync()
    return true
  } finally {
    await file.close()
  }
}

/** False when something is there already. Never a moment with half a lock where hard links are possible. */
export async function createLockFile(path: string, record: LockRecord): Promise<boolean> {
  const draft = `${path}.${record.token}.new`
  await writeNew(draft, record)
  try {
    await link(draft, path)
    return true
  } catch (error) {
    return systemCode(error) === 'EEXIST' ? false : await createWithoutLink(path, record)
  } finally {
    await unlink(draft)
  }
}

async function createWithoutLink(path: string, record: LockRecord): Promise<boolean> {
  try {
    await writeNew(path, record)
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
}

async function writeNew(path: string, record: LockRecord): Promise<void> {
  const file = await open(path, createNew, 0o600)
  try {
    await file.writeFile(encode(record))
    await file.sync()
  } catch (error) {
    await unlink(path)
    throw error
  } finally {
    await file.close()
  }
}

export async function removeLockFile(path: string, token: string): Promise<void> {
  const found = await readLockFile(path)
  if (typeof found === 'object' && found.token === token) await unlink(path)
}
