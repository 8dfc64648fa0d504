/**
 * Compiled code that is kept from one process to the next: half of what a command with one request runs is the compiling of functions that
 * run once. It lies in the user's cache folder, and is used where nobody else can write, since it is run. `main.ts` calls it before a verb
 * that sends, and again when the output is written.
 */
import { dirname, join } from 'node:path'
import { cacheFolder } from '../config/environment.ts'
import { findOpenPlace, missingFolders } from '../disk/way.ts'
import type { Host } from '../host.ts'
import type { Call } from './call.ts'

/** Whether a verb sends requests of its own, right away: nothing else is worth the keeping of code. */
export function usesKeptCode({ command: { path, effect } }: Call): boolean {
  return effect !== 'local' && /^(?:lists|contacts|tickets|employees) /.test(path)
}

/**
 * Loads the pieces of the build that requests need, as they were compiled before. Those that it does not load are loaded as ever. Returns
 * what keeps the code of a command that is done, where none was kept.
 */
export async function loadKeptCode(host: Host): Promise<() => void> {
  const { build } = host
  if (build === undefined) return () => undefined
  const { loadPieces } = await import('../compiled.ts')
  return (
    attempt(() => {
      const path = placeForCode(host, build.node)
      if (path === undefined) return undefined
      const compiled = loadPieces(host, build.folder, path)
      return compiled && (() => attempt(() => writeCode(host, path, compiled)))
    }) ?? (() => undefined)
  )
}

/** No command fails for its code: without it everything is compiled anew. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}

/**
 * Writes the file as a draft of this process alone, which comes to its place whole. Drafts that a kill left behind go. Throws the system's
 * error, before the code is made if there can be no draft.
 */
function writeCode(host: Host, path: string, compiled: () => Uint8Array): void {
  const { disk } = host
  const draft = `${path}.${host.pid}.draft`
  const folder = dirname(path)
  for (const name of disk.readdirSync(folder)) {
    const other = join(folder, name)
    if (name.endsWith('.draft') && host.now() - disk.lstatSync(other).mtimeMs > oldDraft)
      disk.unlinkSync(other)
  }
  const file = disk.openSync(draft, 'wx', 0o600)
  try {
    disk.writeFileSync(file, compiled())
  } finally {
    disk.closeSync(file)
  }
  disk.renameSync(draft, path)
}

/** Milliseconds after which nobody writes a draft anymore. One that is still written then is no file afterwards. */
const oldDraft = 3_600_000

/**
 * The file for code, in a folder that is there. Undefined where none is kept: without a home, with SVC_NO_CACHE, and where others can
 * write. Throws the system's error where it cannot be made.
 */
function placeForCode(host: Host, fileName: string): string | undefined {
  const cache = cacheFolder(host)
  if (cache === undefined) return undefined
  const path = join(cache, 'code', fileName)
  const missing = missingFolders(host, path)
  const there = missing[0] === undefined ? path : dirname(missing[0])
  if (findOpenPlace(host, there) !== undefined) return undefined
  const folders = missing.filter((each) => each !== path)
  for (const folder of folders) host.disk.mkdirSync(folder, { mode: 0o700 })
  return path
}
