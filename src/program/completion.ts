/**
 * Completes command lines of svc for a shell, whose script passes the words so far to `svc __complete -- words...`. Reads at most the
 * configuration file, and sends nothing.
 */
import { longFlag, optionText, type Option, type Options } from '../cli/options.ts'
import { globalOptions } from '../cli/verb.ts'
import { exitCodes } from '../errors.ts'
import type { Host } from '../host.ts'
import { optionOf } from './mistakes.ts'
import { newReading, type LineReading, type TextAnswer } from './parser.ts'

/** A word that can come next. */
interface Candidate {
  word: string
  description: string
}

/** The candidates for a word. The names of files are left to the shell. */
type Candidates = readonly Candidate[] | 'files'

/** Answers with a line `word<TAB>description` for each candidate, or with the line `:files`. `asked` is `--` and the words. */
export async function complete(host: Host, asked: readonly string[]): Promise<TextAnswer> {
  const begun = asked.at(-1) ?? ''
  const found = await candidatesFor(begun, await readTyped(host, asked.slice(1, -1)), host)
  const lines =
    found === 'files'
      ? [':files']
      : found.map(({ word, description }) => `${word}\t${description}`)
  const text = lines.map((line) => `${line}\n`).join('')
  return { kind: 'text', text, to: 'stdout', exitCode: exitCodes.done }
}

/** Reads the words before the one to complete: which command they name, and what options it has. */
async function readTyped(host: Host, words: readonly string[]): Promise<LineReading> {
  const reading = newReading(host, words)
  // An option at the end is left out: commander would refuse it without its value.
  const whole = words.at(-1)?.startsWith('-') === true ? words.slice(0, -1) : words
  // An error is no matter here: the words before it were read.
  await reading.root.parseAsync([...whole], { from: 'user' }).catch(() => undefined)
  return reading
}

/** The candidates for a word of which the beginning is typed: the value of an option, an option, an argument or a command. */
async function candidatesFor(
  begun: string,
  reading: LineReading,
  host: Host,
): Promise<Candidates> {
  const { words, named, verb } = reading
  const optionBefore = optionWithValue(words.at(-1) ?? '', reading)
  if (optionBefore !== undefined) return valuesOf(optionBefore, host)
  if (/^-[^=]*=/.test(begun)) return assignedValues(begun, reading, host)
  if (begun.startsWith('-')) return optionCandidates(begun, verb?.options)
  // Further words belong to the last argument, if it is variadic. Otherwise they are a mistake anyway.
  if (verb !== undefined)
    return valuesOf(
      verb.arguments?.[named.args.length] ?? verb.arguments?.at(-1) ?? {},
      host,
    )
  // Behind a word that names no command, no command can follow.
  const commands = named.args.length === 0 ? named.commands : []
  return commands.map((each) => ({ word: each.name(), description: each.summary() }))
}

/** The option of a flag, if it takes a value. */
function optionWithValue(
  flag: string,
  { verb, root, named }: LineReading,
): Option | undefined {
  const option = optionOf(flag, [...root.options, ...named.options])
  // For commander, `required` says that the option must have a value.
  if (option?.required !== true) return undefined
  const options: Options = { ...globalOptions, ...verb?.options }
  return options[option.attributeName()]
}

/** The candidates for a word such as `--output=js`, whole. */
async function assignedValues(
  begun: string,
  reading: LineReading,
  host: Host,
): Promise<Candidates> {
  const [flag = ''] = begun.split('=')
  const values = await valuesOf(optionWithValue(flag, reading) ?? {}, host)
  return values === 'files'
    ? values
    : values.map((each) => ({ ...each, word: `${flag}=${each.word}` }))
}

/** The options of a verb. Those of the program are offered too once a letter is typed. */
function optionCandidates(begun: string, own?: Options): Candidate[] {
  const { help } = globalOptions
  const offered: Options = { ...own, ...(/^--./.test(begun) ? globalOptions : { help }) }
  return Object.entries(offered).map(([key, option]) => ({
    word: longFlag(key),
    description: optionText(option),
  }))
}

/** The candidates for the value of an option or argument. */
async function valuesOf(
  { takes, choices = [] }: Pick<Option, 'takes' | 'choices'>,
  host: Host,
): Promise<Candidates> {
  if (takes === 'file') return 'files'
  // A broken configuration has no names to offer.
  if (takes === 'profile') return profileCandidates(host).catch(() => [])
  return choices.map((word) => ({ word, description: '' }))
}

async function profileCandidates(host: Host): Promise<Candidate[]> {
  const { readUserFile } = await import('../config/file.ts')
  const file = readUserFile(host)
  const profiles = [...(file?.content.profiles ?? [])]
  return profiles.map(([word, { baseUrl }]) => ({
    word,
    description: new URL(baseUrl).host,
  }))
}
