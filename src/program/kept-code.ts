/**
 * Compiled code that is kept from one process to the next, on Node 22 and later: a quarter of what a command with one request runs is the
 * compiling of functions that run once. It lies in the user's cache folder, and is used where nobody else can write, since it is run.
 */
import { dirname, join } from 'node:path'
import { cacheFolder } from '../config/paths.ts'
import { makeFolders, missingFolders, soleWriterProblem } from '../disk/folder.ts'
import type { Host } from '../host.ts'

/** Loads the pieces of the build that every request needs. What is loaded later is kept too, as far as it was compiled. */
export async function loadKeptCode(host: Host): Promise<void> {
  const folder = folderForCode(host)
  if (folder !== undefined) await host.keepCode?.(folder)
}

/** Undefined where none is kept: without a home, with SVC_NO_CACHE, and where it cannot be made or others can write. No command fails for that. */
function folderForCode(host: Host): string | undefined {
  const cache = cacheFolder(host)
  if (cache === undefined) return undefined
  const folder = join(cache, 'code')
  try {
    const [missing] = missingFolders(host, folder)
    const there = missing === undefined ? folder : dirname(missing)
    if (soleWriterProblem(host, there) !== undefined) return undefined
    makeFolders(host, folder)
    return folder
  } catch {
    // Everything is compiled anew.
    return undefined
  }
}
