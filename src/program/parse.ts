/** Reads a command line: returns the verb that it names with its arguments and options, or the help or version that it asks for. */
import { stripVTControlCharacters } from 'node:util'
import { CommanderError } from 'commander'
import type { TypedLine } from '../cli/options.ts'
import { SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import { mistakeError, withHelp } from './mistakes.ts'
import { asksHelp, newReading, type Call, type LineReading } from './parser.ts'

/** A text to print instead of running a verb. If it goes to stderr, the exit code is 2. */
export interface TextAnswer {
  kind: 'text'
  text: string
  to: 'stdout' | 'stderr'
}

/** Reads the words of a line, and fills in its `path`, `options` and `values`. Throws a usage error. */
export async function parse(host: Host, line: TypedLine): Promise<Call | TextAnswer> {
  const reading = newReading(host, line)
  const refusal = await readWords(reading)
  if (refusal?.code === 'commander.version')
    return { kind: 'text', text: reading.printed, to: 'stdout' }
  // With --help, missing words are no mistake, but unknown ones are.
  const hasUnknownWord = refusal?.code.startsWith('commander.unknown') === true
  const isHelp = asksHelp(reading.root) || line.words.length === 0
  if (isHelp && !hasUnknownWord)
    return { kind: 'text', text: helpText(reading), to: 'stdout' }
  if (reading.call !== undefined) return reading.call
  // A noun without a verb: its help is the answer, but nothing was done.
  if (refusal?.code === 'commander.help')
    return { kind: 'text', text: reading.printed, to: 'stderr' }
  if (refusal === undefined) throw new TypeError('commander read the line without a result')
  throw mistakeError(reading, refusal)
}

/** Lets commander read the words. Returns what it throws in place of a call. Throws a usage error for a wrong value. */
async function readWords({ root, line }: LineReading): Promise<CommanderError | undefined> {
  try {
    await root.parseAsync([...line.words], { from: 'user' })
    return undefined
  } catch (error) {
    if (error instanceof CommanderError) return error
    throw error instanceof SvcError ? withHelp(line.path, error) : error
  }
}

/** Returns the help of the named command. */
function helpText(reading: LineReading) {
  // commander may have printed some of it already.
  reading.printed = ''
  reading.named.outputHelp()
  return reading.printed
}

/** Returns the help of a command, without styles: an output of a verb cannot have escape sequences. */
export async function helpOf(host: Host, words: readonly string[]): Promise<string> {
  const line = { words: [...words, '--help'], path: '', options: {}, values: {} }
  const answer = await parse(host, line)
  if (answer.kind !== 'text') throw new TypeError('--help ran a command')
  return stripVTControlCharacters(answer.text)
}
