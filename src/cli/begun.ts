/**
 * Commands in messages can be typed as they are: begun as this process was (`svc …`, or `npx svc …` where only that works), with
 * the profile, the configuration file and the state folder that this command line had, and, where they continue its run, its files.
 */
import { delimiter, join } from 'node:path'
import type { Host } from '../host.ts'
import type { ShownCommand } from '../message.ts'
import { shellWord } from '../words.ts'
import { longFlag } from './option.ts'
import { typedText, type TypedLine } from './line.ts'

type WrittenLine = Pick<TypedLine, 'given' | 'options'>

type BegunHost = Pick<Host, 'env' | 'platform' | 'disk'>

/** Options that say which service and which data are meant, as they are written in a command. */
const places = { profile: '-p', config: '--config', stateDir: '--state-dir' } as const

/** Writes commands. `line`: the one that has the places; undefined where it could not be read. */
export function commandWriter(
  host: BegunHost,
  line: WrittenLine | undefined,
): (command: ShownCommand) => string {
  let program: string | undefined
  return function write(command): string {
    program ??= needsNpx(host) ? 'npx svc' : 'svc'
    const words = [program, ...wordsWithOptions(command, line)]
    const { into } = command
    return [...words, ...(into === undefined ? [] : ['|', write(into)])].join(' ')
  }
}

/** The words of a command, with the files and places that it needs: behind them, but before `--`. */
function wordsWithOptions(command: ShownCommand, line: WrittenLine | undefined): string[] {
  const { text, needsPlaces, isContinuation = false, profile } = command
  if (!needsPlaces) return [text]
  const options = isContinuation && line !== undefined ? fileOptions(line) : []
  for (const [key, flag] of Object.entries(places)) {
    const value = (key === 'profile' ? profile : undefined) ?? (line && typedText(line, key))
    if (value !== undefined) options.push(`${flag} ${shellWord(value)}`)
  }
  const dashes = text.indexOf(' -- ')
  if (dashes < 0) return [text, ...options]
  return [text.slice(0, dashes), ...options, text.slice(dashes + 1)]
}

function fileOptions({ given, options }: WrittenLine): string[] {
  const carried = new Map(
    options.flatMap(({ option }) =>
      option.isCarried === true ? [[option.key, longFlag(option.key, option)]] : [],
    ),
  )
  return Array.from(
    carried,
    ([key, flag]) => `${flag} ${shellWord(typedText({ given }, key) ?? '')}`,
  )
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
