/**
 * Compiled code that is kept from one process to the next: half of what a command with one request runs is the compiling of functions that
 * run once. It lies in the user's cache folder, and is used where nobody else can write, since it is run.
 */
import { dirname, join } from 'node:path'
import { cacheFolder } from '../config/environment.ts'
import { findOpenPlace, missingFolders } from '../disk/way.ts'
import type { Host } from '../host.ts'

/** Loads the pieces of the build that requests need, as they were compiled before. Those that it does not load are loaded as ever. */
export async function loadKeptCode(host: Host): Promise<void> {
  const { build } = host
  if (build === undefined) return
  try {
    const path = placeForCode(host, build.node)
    if (path === undefined) return
    const { loadPieces } = await import('../compiled.ts')
    await loadPieces(host.disk, build.folder, path, `${path}.${host.pid}`)
  } catch {
    // No command fails for it: everything is compiled anew.
  }
}

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
