/**
 * Answers to the completion scripts of the shells, `svc __complete -- words...`: the candidates for the last
 * word of a command line. Reads the configuration file at most; sends and runs nothing.
 */
import type { Host } from '../host.ts'
import { globalOptions } from '../cli/global-options.ts'
import { namesBelow, type Verb } from '../cli/verb.ts'
import type { TextAnswer } from './parse.ts'
import { commands } from './verbs.ts'
import { optionText, type Option, type Options, longFlag } from '../options.ts'

const { nouns, verbs } = commands

/** A word that can follow a line, and what it does. */
type Completion = readonly [value: string, description: string]

/** The possible values at a position: candidates, or a file, which the shell completes best. */
type CompletionValues = readonly Completion[] | 'files'

/** `value<TAB>description` lines, or the line `:files`. `asked`: `--` and the words. */
export async function complete(host: Host, asked: readonly string[]): Promise<TextAnswer> {
  const line = await readLine(asked.slice(1, -1))
  const values = await candidates(line, asked.at(-1) ?? '', host)
  const lines =
    values === 'files' ? [':files'] : values.map(([value, text]) => `${value}\t${text}`)
  return { kind: 'text', text: lines.map((each) => `${each}\n`).join(''), to: 'stdout' }
}

/** The words before the cursor, as typed so far. Nothing is refused. */
interface UnfinishedLine {
  /** The command that they name so far: nothing, `lists`, `lists list`. */
  path: string
  verb: Verb | undefined
  /** Those of the verb and of the program. */
  options: Options
  /** How many arguments come after the path. */
  count: number
  /** The option whose value is next. */
  awaiting: Option | undefined
}

async function readLine(words: readonly string[]): Promise<UnfinishedLine> {
  const rows = { ...nouns, ...verbs }
  let path = ''
  let verb: Verb | undefined
  let options: Options = globalOptions
  let count = 0
  let awaiting: Option | undefined
  for (const word of words) {
    const below = `${path} ${word}`.trim()
    if (awaiting !== undefined) awaiting = undefined
    else if (isOption(word)) {
      const option = findOption(options, word)
      awaiting = option?.value === undefined ? undefined : option
    } else if (verb === undefined && count === 0 && Object.hasOwn(rows, below)) {
      path = below
      verb = (await verbs[path]?.load())?.verb
      options = { ...globalOptions, ...verb?.options }
    } else count += 1
  }
  return { path, verb, options, count, awaiting }
}

/** A dash alone is standard input. */
function isOption(word: string) {
  return word.startsWith('-') && word !== '-'
}

function findOption(options: Options, flag: string): Option | undefined {
  const isNamed = ([key, option]: [string, Option]) =>
    longFlag(key, option) === flag || `-${option.short ?? ''}` === flag
  return Object.entries(options).find(isNamed)?.[1]
}

/** Candidates for the next word of a line. */
async function candidates(
  line: UnfinishedLine,
  word: string,
  host: Host,
): Promise<CompletionValues> {
  const { awaiting, count, path, verb } = line
  if (awaiting !== undefined) return valuesOf(awaiting, host)
  if (isOption(word)) return optionCandidates(line, word, host)
  if (verb === undefined) {
    const names = count > 0 ? [] : namesBelow(commands, path)
    return names.map(([name, { summary }]) => [name, summary])
  }
  const places = verb.arguments ?? []
  const place = places[count] ?? places.findLast(({ isVariadic }) => isVariadic)
  return place === undefined ? [] : valuesOf(place, host)
}

/** Candidates for a word that begins as an option: `--li`, or `--limit=` with the value behind it. */
async function optionCandidates(
  { options, verb }: UnfinishedLine,
  word: string,
  host: Host,
): Promise<CompletionValues> {
  const [flag = '', begun] = word.split(/=(.*)/s)
  if (begun === undefined) {
    // The options of the program are offered once a letter of one is typed.
    const named: Options = { ...verb?.options, ...(/^--./.test(word) && globalOptions) }
    const names = Object.entries(named).map(([key, option]): Completion => [
      longFlag(key, option),
      optionText(option),
    ])
    return [...names, ['--help', 'print the help of a command']]
  }
  const option = findOption(options, flag)
  const values = option === undefined ? [] : await valuesOf(option, host)
  if (values === 'files') return values
  return values.map(([value, text]) => [`${flag}=${value}`, text])
}

/** Values of an option or argument. */
async function valuesOf(place: Option, host: Host): Promise<CompletionValues> {
  const { takes, choices = [], suggestions = [] } = place
  if (takes === 'file') return 'files'
  // Without a profile, or with a broken configuration, there are no names to offer.
  if (takes === 'profile') return profileNames(host).catch(() => [])
  return [...choices, ...suggestions].map((value) => [value, ''])
}

/** Profiles of the configuration file. */
async function profileNames(host: Host): Promise<Completion[]> {
  const { readUserFile } = await import('../config/file.ts')
  const file = await readUserFile(host)
  const profiles = [...(file?.content.profiles ?? [])]
  return profiles.map(([name, { baseUrl }]) => [name, new URL(baseUrl).host])
}
