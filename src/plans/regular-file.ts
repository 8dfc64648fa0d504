/** Files that somebody else wrote: what is looked at is what is read, and nothing but a regular file is ever waited for. */
import type { Stats } from 'node:fs'
import type { Host } from '../host.ts'

/** The bytes of a file; undefined for what is no regular file, and for one of more than `most` bytes. Throws the system's error. */
export function readRegular(
  { disk }: Pick<Host, 'disk'>,
  path: string,
  most: number,
): { readonly stats: Stats; readonly bytes: Buffer | undefined } {
  const file = disk.openSync(path, disk.constants.O_RDONLY | (disk.constants.O_NONBLOCK ?? 0))
  try {
    const stats = disk.fstatSync(file)
    return {
      stats,
      bytes: stats.isFile() && stats.size <= most ? disk.readFileSync(file) : undefined,
    }
  } finally {
    disk.closeSync(file)
  }
}
