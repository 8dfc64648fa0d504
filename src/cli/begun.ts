/**
 * Commands in messages can be typed as they are: begun as this process was (`svc …`, or `npx svc …` where only that works), and with
 * the profile, the configuration file and the state folder that this command line had.
 */
import { delimiter, join } from 'node:path'
import type { Host } from '../host.ts'
import { shellWord } from '../words.ts'
import { typedText, type TypedLine } from './line.ts'

export type BegunHost = Pick<Host, 'env' | 'platform' | 'disk'>

/** A command of ours with the rest of its line; in a sentence, `svc` is followed by other words. */
const command =
  /(?<!npx |-- |[-\w./])svc (?=(?:lists|contacts|tickets|employees|api|runs|plans|ids|profiles|whoami|doctor|completion|sandbox|help|-p|--help|--version)\b|--help)(.*)/g

/** Options that say which service and which data are meant, as they are written in a command. */
const places = { profile: '-p', config: '--config', stateDir: '--state-dir' } as const

/** A message with its commands begun as this process was. */
export function asBegun(
  host: BegunHost,
  line: Pick<TypedLine, 'given'> | undefined,
  text: string,
): string {
  if (!text.includes('svc ')) return text
  const begin = needsNpx(host) ? 'npx svc ' : 'svc '
  const options = line === undefined ? [] : placesOf(line)
  return begin === 'svc ' && options.length === 0
    ? text
    : text.replaceAll(command, (_, rest: string, at: number) => {
        const isAtStart = text.slice(text.lastIndexOf('\n', at) + 1, at).trim() === ''
        return begin + withPlaces(rest, isAtStart)
      })

  function withPlaces(rest: string, isAtStart: boolean): string {
    const words = asBegun(host, line, rest)
    // Help is the same everywhere, and what the command itself says wins.
    if (/^(?:help\b|(?:[a-z-]+ )*--help|--version)/.test(rest)) return words
    const own = options.filter(([flag]) => !new RegExp(`(?:^| )${flag}(?:[ =]|$)`).test(rest))
    const more = own.map(([flag, value]) => `${flag} ${shellWord(value)}`)
    // At the end of a line that is nothing but the command; in a sentence, which goes on behind it, before the command's words.
    const isAlone =
      isAtStart &&
      !/[:;,?()](?= |$)| (?:--|\||&&|>) |…/.test(rest.replaceAll(/'[^']*'|"[^"]*"/g, ''))
    return isAlone ? [words, ...more].join(' ') : [...more, words].join(' ')
  }
}

/** The options of this command line that say so, with their values. */
function placesOf(line: Pick<TypedLine, 'given'>): [flag: string, value: string][] {
  return Object.entries(places).flatMap(([key, flag]) => {
    const value = typedText(line, key)
    return value === undefined ? [] : [[flag, value]]
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
