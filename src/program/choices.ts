/** Options and arguments that take one of a few words: what completion offers, and what the help as JSON tells. */
import { colors, formats, progresses } from '../config/rules.ts'
import { inputFormats } from '../ids/formats.ts'
import { sides } from '../resources/list-difference.ts'
import { httpMethods } from '../values.ts'

/** Options of a few words each. A test compares them with the options of all commands. */
export const choices: Readonly<Record<string, readonly string[]>> = {
  '--output': formats,
  '--color': colors,
  '--progress': progresses,
  '--error-format': ['text', 'json'],
  '--input-format': inputFormats,
  '--kind': ['human', 'ai'],
  '--status': ['active', 'inactive'],
  '--only': sides,
  '--order': ['newest', 'oldest'],
  '--limit': ['all'],
  '--method': httpMethods,
  '--port': ['4010', '0'],
  'svc completion shell': ['bash', 'zsh', 'fish', 'powershell'],
  'svc sign method': httpMethods,
}

/** Those of them that only offer what is usual. */
const open: ReadonlySet<string> = new Set(['--status', '--limit', '--port', 'svc sign method'])

/** The only values that an option or argument takes; undefined where others are possible. */
export function closedChoices(what: string): readonly string[] | undefined {
  return open.has(what) || !Object.hasOwn(choices, what) ? undefined : choices[what]
}
