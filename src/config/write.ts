/**
 * Changing the user's configuration file: one process at a time, all of it or nothing of it. The new text goes into a
 * file of its own, is synced, and takes the old one's place by a rename; a crash at any moment leaves one whole file.
 */
import { randomBytes } from 'node:crypto'
import { linkSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { fileError } from '../errno.ts'
import { SvcError, systemCode } from '../errors.ts'
import { makeFolders, syncFolder } from '../folder.ts'
import type { Host } from '../host.ts'
import { checkConfigFolder, readUserFileAt, type UserFile } from './load.ts'
import { homeVariable, userFilePlace, type Place } from './paths.ts'
import type { GlobalOptions } from './settings.ts'

type Raw = Readonly<Record<string, unknown>>

/** A lock that stands unchanged for so long was left behind: it is held for milliseconds. */
const staleAfterMs = 5_000
const waitMs = 20_000

/** The file that svc would write. Throws exit 2 without a home. */
export function writablePlace(host: Host, options: Pick<GlobalOptions, 'config'>): Place {
  const place = userFilePlace(host, options)
  if (place !== undefined) return place
  throw new SvcError('config', `${homeVariable(host)} is not set, so there is no place for a configuration file`, {
    hint: `set ${homeVariable(host)}, or name a file with --config or SVC_CONFIG`,
  })
}

/** Whether svc can write this file: it writes JSON only, so a YAML file stays as it was written by hand. */
export function isWritableFormat({ path }: Place): boolean {
  return extname(path) === '.json'
}

/**
 * Reads the file under a lock, hands it to `change`, and writes what that returns. A file that was not there is made,
 * with mode 0600 in a folder with 0700. Throws exit 2 for a broken file or a symbolic link, exit 10 when it cannot be
 * written.
 */
export async function changeUserFile(
  host: Host,
  place: Place,
  change: (file: UserFile | undefined) => Raw,
): Promise<void> {
  const { path } = place
  await locally(path, async () => {
    makeFolders(dirname(path))
    if (!place.named) checkConfigFolder(host, dirname(path))
    const lock = await takeLock(host, path)
    try {
      refuseLink(path)
      const exists = lstatSync(path, { throwIfNoEntry: false }) !== undefined
      const file = exists ? await readUserFileAt(host, { ...place, exists }) : undefined
      const raw = change(file)
      const { checkUserFile } = await import('./schema.ts')
      const result = checkUserFile(raw)
      if (!result.ok) throw new SvcError('config', `nothing was written: ${result.problem}`, { hint: result.hint })
      await replace(path, `${JSON.stringify(raw, null, 2)}\n`, lock)
    } finally {
      lock.release()
    }
  })
}

/** Runs `action`; a failure of the file system becomes exit 10. */
async function locally(path: string, action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    throw fileError('local', `${path} cannot be written`, error)
  }
}

/** A link could lead the write, and the secret, anywhere. Throws exit 2. */
export function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return
  throw new SvcError('config', `${path} is a symbolic link, and svc writes no configuration through one`, {
    hint: 'edit the file that it leads to, or name that file with --config',
  })
}

async function replace(path: string, text: string, lock: Lock): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    createWhole(temporary, text)
    if (!lock.isOurs()) {
      throw new SvcError('local', `another svc has changed ${path} in the meantime; nothing was written`, {
        hint: 'give the command again',
      })
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  // The new file is there and synced by now, so a folder that cannot be synced is no failure.
  await syncFolder(dirname(path)).catch(() => undefined)
}

/** Exclusively: whatever already has this name is neither followed nor overwritten. */
function createWhole(path: string, text: string): void {
  writeFileSync(path, text, { flag: 'wx', mode: 0o600, flush: true })
}

interface Lock {
  isOurs(): boolean
  release(): void
}

async function takeLock(host: Host, path: string): Promise<Lock> {
  const lockPath = `${path}.lock`
  const token = randomBytes(12).toString('hex')
  const started = host.monotonic()
  let seen = contentOf(lockPath)
  let seenSince = started
  for (;;) {
    if (create(lockPath, token)) {
      return {
        isOurs: () => contentOf(lockPath) === token,
        release: () => {
          if (contentOf(lockPath) === token) rmSync(lockPath, { force: true })
        },
      }
    }
    const now = host.monotonic()
    const current = contentOf(lockPath)
    if (current !== seen) {
      seen = current
      seenSince = now
    } else if (current !== undefined && now - seenSince > staleAfterMs) {
      removeStale(lockPath, current, token)
    }
    if (now - started > waitMs) {
      throw new SvcError('local', `${path} is being changed by another svc`, {
        hint: `give the command again; if no other svc is running, remove ${lockPath}`,
      })
    }
    await host.sleep(20 + Math.floor(host.random() * 30))
  }
}

function create(path: string, text: string): boolean {
  try {
    createWhole(path, text)
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
}

/** The text of a lock: different for each one who took it. Undefined when there is none. */
function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Takes the lock file away in one step, and puts it back when it was not the one that had been watched. */
function removeStale(path: string, stale: string, token: string): void {
  const aside = `${path}.${token}`
  try {
    renameSync(path, aside)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return
    throw error
  }
  try {
    if (contentOf(aside) !== stale) linkSync(aside, path)
  } catch (error) {
    // Somebody has taken the lock already; the other one will see, before it writes, that it has lost it.
    if (systemCode(error) !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}
