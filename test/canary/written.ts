/** Files that the commands of a test wrote: records of runs, receipts, pages. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { figure } from '../figures/figure.ts'

/** Hands over each such file below a folder; configurations and what a test wrote itself for svc to read are not among them. */
export function eachWritten(folder: string, look: (text: string, where: string) => void): void {
  for (const entry of existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
    : []) {
    const path = join(entry.parentPath, entry.name)
    if (
      !entry.isFile() ||
      !(path.includes(`${sep}runs${sep}`) || /\.(?:csv|ndjson|html)$/.test(entry.name))
    )
      continue
    figure('files searched for secrets', 1)
    look(readFileSync(path, 'utf8'), path)
  }
}
