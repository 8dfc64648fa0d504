/**
 * The folder in which Node keeps the compiled code of svc. Compiled code is run, so the folder is used only where nobody
 * else can write. `bin/svc.js` asks for it at the start, where Node has a compile cache (22.1 and later).
 */
import { join } from 'node:path'
import { platformFolder, variable } from './environment.ts'
import { findDistrust } from './trust.ts'
import { missingFolders } from '../output/whole.ts'
import type { Host } from '../host.ts'

/**
 * Undefined where no code is kept: without a home, with SVC_NO_CACHE, where others can write, and where the folder cannot be
 * made or looked at. No command fails for it: without the folder everything is compiled again.
 */
export function codeFolder(host: Host): string | undefined {
  const cache = platformFolder(host, 'cache')
  if (cache === undefined || variable(host, 'SVC_NO_CACHE') !== undefined) return undefined
  const path = join(cache, 'code')
  try {
    const missing = missingFolders(host, path)
    if (findDistrust(host, missing[0] ?? path) !== undefined) return undefined
    // Node makes its own folder below this one with the umask, which may let others write.
    for (const folder of missing) host.disk.mkdirSync(folder, { mode: 0o700 })
    return path
  } catch {
    return undefined
  }
}
