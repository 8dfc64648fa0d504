/**
 * Commands in messages can be typed as they are: begun as this process was (`svc …`, or `npx svc …` where only that works), and with
 * the profile, the configuration file and the state folder that this command line had.
 */
import { delimiter, join } from 'node:path'
import type { Host } from '../host.ts'
import { shellWord } from '../words.ts'

export type BegunHost = Pick<Host, 'argv' | 'env' | 'platform' | 'disk'>

/** A command of ours with the rest of its line; in a sentence, `svc` is followed by other words. */
const command =
  /(?<!npx |-- |[-\w./])svc (?=(?:lists|contacts|tickets|employees|api|runs|plans|ids|profiles|whoami|doctor|completion|sandbox|help|-p|--help|--version)\b|--help)(.*)/g

/** Options that say which service and which data are meant. */
const places = [
  ['-p', '--profile'],
  ['--config', '--config'],
  ['--state-dir', '--state-dir'],
] as const

/** A message with its commands begun as this process was. */
export function asBegun(host: BegunHost, text: string): string {
  if (!text.includes('svc ')) return text
  const begin = needsNpx(host) ? 'npx svc ' : 'svc '
  const options = placesOf(host.argv)
  return begin === 'svc ' && options.length === 0
    ? text
    : text.replaceAll(command, (_, rest: string, at: number) => {
        const isAtStart = text.slice(text.lastIndexOf('\n', at) + 1, at).trim() === ''
        return begin + withPlaces(rest, isAtStart)
      })

  function withPlaces(rest: string, isAtStart: boolean): string {
    const words = asBegun(host, rest)
    // Help is the same everywhere, and what the command itself says wins.
    if (/^(?:help\b|(?:[a-z-]+ )*--help|--version)/.test(rest)) return words
    const own = options.filter(
      ([short, long]) => !new RegExp(`(?:^| )(?:${short}|${long})(?:[ =]|$)`).test(rest),
    )
    const more = own.map(([short, , value]) => `${short} ${shellWord(value)}`)
    // At the end of a line that is nothing but the command; in a sentence, which goes on behind it, before the command's words.
    const isAlone =
      isAtStart &&
      !/[:;,?()](?= |$)| (?:--|\||&&|>) |…/.test(rest.replaceAll(/'[^']*'|"[^"]*"/g, ''))
    return isAlone ? [words, ...more].join(' ') : [...more, words].join(' ')
  }
}

/** The options of this command line that say so, with their values. */
function placesOf(
  argv: readonly string[],
): (readonly [short: string, long: string, value: string])[] {
  const end = argv.indexOf('--')
  const words = end < 0 ? argv : argv.slice(0, end)
  return places.flatMap(([short, long]) => {
    const values = words.flatMap((word, at) => {
      if (word.startsWith(`${long}=`)) return [word.slice(long.length + 1)]
      return word === short || word === long ? words.slice(at + 1, at + 2) : []
    })
    const value = values.at(-1)
    return value === undefined ? [] : [[short, long, value] as const]
  })
}

/** npx began this process, and the folders of PATH, but for those that npx put there, have no svc. */
function needsNpx({ env, platform, disk }: BegunHost): boolean {
  if (env['npm_command'] !== 'exec' && env['npm_lifecycle_event'] !== 'npx') return false
  const name = platform === 'win32' ? 'svc.cmd' : 'svc'
  return !(env['PATH'] ?? env['Path'] ?? '')
    .split(delimiter)
    .some(
      (folder) =>
        folder !== '' &&
        !/node_modules[/\\]\.bin$/.test(folder) &&
        disk.existsSync(join(folder, name)),
    )
}
