/** Options and arguments that take one of a few words: what completion offers, and what the help as JSON tells. */
import { colors, formats, progresses } from '../config/rules.ts'
import { inputFormats } from '../ids/formats.ts'
import { httpMethods } from '../values.ts'

/** Options of a few words each, those of one command alone with its name. A test compares them with the options of all commands. */
export const choices: Readonly<Record<string, readonly string[]>> = {
  '--output': formats,
  '--color': colors,
  '--progress': progresses,
  '--error-format': ['text', 'json'],
  '--input-format': inputFormats,
  '--kind': ['human', 'ai'],
  '--status': ['active', 'inactive'],
  '--order': ['newest', 'oldest'],
  '--limit': ['all'],
  '--method': httpMethods,
  '--port': ['4010', '0'],
  'svc completion shell': ['bash', 'zsh', 'fish'],
}

/** Those of them that only offer what is usual. */
const open: ReadonlySet<string> = new Set(['--status', '--limit', '--port'])

/** What an option or argument of a command is usually given; undefined where nothing is. */
export function choicesOf(command: string, name: string): readonly string[] | undefined {
  const what = [`${command} ${name}`, name].find((key) => Object.hasOwn(choices, key))
  return what === undefined ? undefined : choices[what]
}

/** The only values that it takes; undefined where others are possible. */
export function closedChoices(command: string, name: string): readonly string[] | undefined {
  return open.has(name) || open.has(`${command} ${name}`) ? undefined : choicesOf(command, name)
}
