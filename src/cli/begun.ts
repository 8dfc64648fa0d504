/** Commands in messages can be typed as they are: `svc …`, or `npx svc …` where only that works. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Host } from '../host.ts'

/** The words that begin a command of ours; in a sentence, `svc` is followed by others. */
const command =
  /(?<!npx |-- |[-\w./])svc (?=(?:lists|contacts|tickets|employees|api|runs|plans|ids|profiles|whoami|doctor|completion|sandbox|sign|help|-p|--help|--version)\b|--help)/g

/** A message with its commands begun as this process was. */
export function asBegun(host: Pick<Host, 'env' | 'platform'>, text: string): string {
  return text.includes('svc ') && needsNpx(host) ? text.replaceAll(command, 'npx svc ') : text
}

/** npx began this process, and the folders of PATH, but for those that npx put there, have no svc. */
function needsNpx({ env, platform }: Pick<Host, 'env' | 'platform'>): boolean {
  if (env['npm_command'] !== 'exec' && env['npm_lifecycle_event'] !== 'npx') return false
  const name = platform === 'win32' ? 'svc.cmd' : 'svc'
  return !(env['PATH'] ?? env['Path'] ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && !/node_modules[/\\]\.bin$/.test(folder) && existsSync(join(folder, name)))
}
