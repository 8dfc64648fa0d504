/**
 * Completes command lines of svc for a shell, whose script passes the words so far to `svc __complete -- words...`. Reads at most the
 * configuration file, and sends nothing.
 */
import type { Host } from '../host.ts'
import {
  longFlag,
  optionText,
  type Option,
  type Options,
  type TypedLine,
} from '../cli/options.ts'
import { optionOf } from './mistakes.ts'
import { commonOptions, newReading, type TextAnswer } from './parse.ts'

/** A word that can come next. */
interface Completion {
  word: string
  description: string
}

/** The candidates for a word. The names of files are left to the shell. */
type Candidates = readonly Completion[] | 'files'

/** Answers with a line `word<TAB>description` for each candidate, or with the line `:files`. `asked` is `--` and the words. */
export async function complete(host: Host, asked: readonly string[]): Promise<TextAnswer> {
  const found = await candidatesFor(asked.at(-1) ?? '', asked.slice(1, -1), host)
  const lines =
    found === 'files'
      ? [':files']
      : found.map(({ word, description }) => `${word}\t${description}`)
  return { kind: 'text', text: lines.map((line) => `${line}\n`).join(''), to: 'stdout' }
}

/** The candidates for a word of which the beginning is typed, after other words. */
async function candidatesFor(
  begun: string,
  typed: readonly string[],
  host: Host,
): Promise<Candidates> {
  const line: TypedLine = { words: typed, path: '', options: {}, values: {} }
  const reading = newReading(host, line)
  const last = typed.at(-1) ?? ''
  // Parsing notes in `reading` which command the words name, and in `line` the options of its verb. What was noted before an error
  // is enough. An option at the end is left out: commander would refuse it without its value.
  const whole = last.startsWith('-') ? typed.slice(0, -1) : typed
  await reading.root.parseAsync([...whole], { from: 'user' }).catch(() => undefined)
  const { root, named, verb } = reading
  const options: Options = { ...commonOptions, ...line.options }
  /** The candidates for the value of an option. Undefined if no option of this flag takes one. */
  const valuesFor = async (flag: string) => {
    const option = optionOf(flag, [...root.options, ...named.options])
    // For commander, `required` says that the option must have a value.
    if (option?.required !== true) return undefined
    return valuesOf(options[option.attributeName()] ?? {}, host)
  }
  const values = await valuesFor(last)
  if (values !== undefined) return values
  if (begun.startsWith('-')) {
    const [flag = '', value] = begun.split('=')
    if (value === undefined) return optionCandidates(begun, line.options)
    const assigned = (await valuesFor(flag)) ?? []
    if (assigned === 'files') return assigned
    return assigned.map((each) => ({ ...each, word: `${flag}=${each.word}` }))
  }
  if (verb !== undefined) {
    const all = verb.arguments ?? []
    // Further words belong to the last argument, if it is variadic. Otherwise they are a mistake anyway.
    return valuesOf(all[named.args.length] ?? all.at(-1) ?? {}, host)
  }
  // Behind a word that names no command, no command can follow.
  const commands = named.args.length === 0 ? named.commands : []
  return commands.map((each) => ({ word: each.name(), description: each.summary() }))
}

/** The options of a verb. Those of the program are offered too once a letter is typed. */
function optionCandidates(begun: string, own: Options): Completion[] {
  const { help } = commonOptions
  const offered: Options = { ...own, ...(/^--./.test(begun) ? commonOptions : { help }) }
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

async function profileCandidates(host: Host): Promise<Completion[]> {
  const { readUserFile } = await import('../config/file.ts')
  const file = readUserFile(host)
  const profiles = [...(file?.content.profiles ?? [])]
  return profiles.map(([word, { baseUrl }]) => ({
    word,
    description: new URL(baseUrl).host,
  }))
}
