/** Look of messages, known before the command line is parsed so that usage errors look like it too. */
import { rawValue } from '../config/settings.ts'
import type { Host } from '../host.ts'

type Words = Pick<Host, 'argv' | 'env'>

export function errorFormatOf(host: Words): 'text' | 'json' {
  const explicit = rawValue('errorFormat', host)
  if (explicit === 'json' || explicit === 'text') return explicit
  const end = host.argv.indexOf('--')
  const json = host.argv.indexOf('--json')
  const typed = rawValue('output', { argv: host.argv, env: {} })
  if (typed === undefined && json >= 0 && (end < 0 || json < end)) return 'json'
  const output = typed ?? rawValue('output', host)
  return output === 'json' || output === 'ndjson' ? 'json' : 'text'
}

/** Whether messages may have colors. A file's `color: never` is known only later. */
export function allowsColor(host: Words): boolean {
  return rawValue('color', host) !== 'never' && host.env['TERM'] !== 'dumb'
}
