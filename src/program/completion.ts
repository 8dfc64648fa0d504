/**
 * Answers the completion scripts of the shells: `svc __complete -- words...` prints the candidates for the last word. It
 * reads at most the configuration file, and sends nothing.
 */
import type { Host } from '../host.ts'
import {
  longFlag,
  optionText,
  type Option,
  type Options,
  type TypedLine,
} from '../options.ts'
import { commands } from './commands.ts'
import { optionOf } from './mistakes.ts'
import { commonOptions, newReading, type TextAnswer } from './parse.ts'

/** A word that can follow a line. */
interface Candidate {
  word: string
  description: string
}

/** Candidates, or files, which the shell itself completes best. */
type Candidates = readonly Candidate[] | 'files'

/** Prints a line `word<TAB>description` for each candidate, or the line `:files`. `asked` is `--` and the words. */
export async function complete(host: Host, asked: readonly string[]): Promise<TextAnswer> {
  const found = await candidatesFor(asked.at(-1) ?? '', asked.slice(1, -1), host)
  const lines =
    found === 'files'
      ? [':files']
      : found.map(({ word, description }) => `${word}\t${description}`)
  return { kind: 'text', text: lines.map((line) => `${line}\n`).join(''), to: 'stdout' }
}

/** The candidates for a word that begins, behind the words that were typed. */
async function candidatesFor(
  begun: string,
  typed: readonly string[],
  host: Host,
): Promise<Candidates> {
  const line: TypedLine = { words: typed, path: '', options: {}, values: {} }
  const reading = newReading(host, commands, line)
  const last = typed.at(-1) ?? ''
  // commander would refuse an option whose value is still to be typed.
  const read = last.startsWith('-') ? typed.slice(0, -1) : typed
  await reading.root.parseAsync([...read], { from: 'user' }).catch(() => undefined)
  const { root, named, verb } = reading
  const valuesFor = async (flag: string) => {
    const option = optionOf(flag, [...root.options, ...named.options])
    if (option?.required !== true) return undefined
    const options: Options = { ...commonOptions, ...line.options }
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
    return valuesOf(all[named.args.length] ?? all.at(-1) ?? {}, host)
  }
  const below = named.args.length === 0 ? named.commands : []
  return below.map((each) => ({ word: each.name(), description: each.summary() }))
}

/** The options of a verb. Those of the program follow once a letter of one is typed. */
function optionCandidates(begun: string, own: Options): Candidate[] {
  const { help } = commonOptions
  const offered: Options = { ...own, ...(/^--./.test(begun) ? commonOptions : { help }) }
  return Object.entries(offered).map(([key, option]) => ({
    word: longFlag(key, option),
    description: optionText(option),
  }))
}

/** The candidates for the value of an option or argument. */
async function valuesOf(
  { takes, choices = [] }: Pick<Option, 'takes' | 'choices'>,
  host: Host,
): Promise<Candidates> {
  if (takes === 'file') return 'files'
  // With a broken configuration there are no names to offer.
  if (takes === 'profile') return profileCandidates(host).catch(() => [])
  return choices.map((word) => ({ word, description: '' }))
}

async function profileCandidates(host: Host): Promise<Candidate[]> {
  const { readUserFile } = await import('../config/file.ts')
  const file = await readUserFile(host)
  const profiles = [...(file?.content.profiles ?? [])]
  return profiles.map(([word, { baseUrl }]) => ({
    word,
    description: new URL(baseUrl).host,
  }))
}
