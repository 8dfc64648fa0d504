/**
 * The folder in which Node keeps the compiled code of svc. `bin/svc.js` asks for it at the start, where Node has a compile
 * cache (22.1 and later).
 */
import { join } from 'node:path'
import { platformFolder } from './environment.ts'
import { refuseWritable } from './trust.ts'
import { missingFolders } from '../output/whole.ts'
import type { Host } from '../host.ts'

/**
 * Undefined where no code is kept: without a home, where others can write (compiled code is run), and where the folder
 * cannot be made. No command fails for it: without the folder everything is compiled again.
 */
export function codeFolder(host: Host): string | undefined {
  const cache = platformFolder(host, 'cache')
  if (cache === undefined) return undefined
  const path = join(cache, 'code')
  try {
    // Node makes its own folder below this one with the umask, which may let others write.
    for (const folder of missingFolders(host, path))
      host.disk.mkdirSync(folder, { mode: 0o700 })
    refuseWritable(host, path, host.disk.lstatSync(path))
    return path
  } catch {
    return undefined
  }
}
