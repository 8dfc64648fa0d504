/**
 * Answers to the completion scripts of the shells, `svc __complete -- words...`: the candidates for the last word of a command line. Reads
 * the configuration file at most; sends and runs nothing. `main.ts` calls it for every press of the tab key.
 */
import { join } from 'node:path'
import type { Host } from '../host.ts'
import { globalOptions } from '../cli/global-options.ts'
import { longFlag, optionText, typedText, type Option, type Options } from '../cli/options.ts'
import type { Argument, Verb } from '../cli/verb.ts'
import { namesBelow } from './commands.ts'
import type { Answer } from './parse.ts'
import { commands } from './verbs.ts'

const { nouns, verbs } = commands

/** A word that can follow a line, and what it does. */
type Candidate = readonly [value: string, description: string]

/** Values of a position: candidates, or a file, which the shell knows best. */
type Values = readonly Candidate[] | 'files'

/** `value<TAB>description` lines, or the line `:files`. `asked`: `--` and the words. */
export async function complete(host: Host, asked: readonly string[]): Promise<Answer> {
  const line = await readLine(asked.slice(1, -1))
  const values = await candidates(line, asked.at(-1) ?? '', host)
  const lines =
    values === 'files' ? [':files'] : values.map(([value, text]) => `${value}\t${text}`)
  return { kind: 'text', text: lines.map((each) => `${each}\n`).join(''), to: 'stdout' }
}

/** The words before the cursor. */
interface Line {
  /** The command that they name so far: nothing, `lists`, `lists list`. */
  path: string
  verb: Verb | undefined
  options: Options
  operands: number
  hasDashes: boolean
  /** The option whose value is next, with its key. */
  awaiting: readonly [key: string, option: Option] | undefined
  readonly given: Map<string, string>
}

/** Reads unfinished words by the table of commands, which refuses nothing. */
async function readLine(words: readonly string[]): Promise<Line> {
  const line: Line = {
    path: '',
    verb: undefined,
    options: globalOptions,
    operands: 0,
    hasDashes: false,
    awaiting: undefined,
    given: new Map(),
  }
  for (const word of words) {
    const { awaiting, hasDashes } = line
    line.awaiting = undefined
    if (awaiting !== undefined) line.given.set(awaiting[0], word)
    else if (hasDashes || !isOption(word)) await takeOperand(line, word)
    else if (word === '--') line.hasDashes = true
    else takeOption(line, word)
  }
  return line
}

async function takeOperand(line: Line, word: string): Promise<void> {
  const { verb, operands, hasDashes } = line
  const path = `${line.path} ${word}`.trim()
  const row = hasDashes || operands > 0 || verb !== undefined ? undefined : verbs[path]
  line.verb = (await row?.load())?.verb ?? verb
  if (row !== undefined) line.options = { ...globalOptions, ...line.verb?.options }
  if (row !== undefined || Object.hasOwn(nouns, path)) line.path = path
  else line.operands += 1
}

function takeOption(line: Line, word: string): void {
  const [flag = '', text] = word.split(/=(.*)/s)
  const found = findOption(line.options, flag)
  if (found?.[1].value === undefined) return
  if (text === undefined) line.awaiting = found
  else line.given.set(found[0], text)
}

/** A dash alone is standard input. */
function isOption(word: string): boolean {
  return word.startsWith('-') && word !== '-'
}

function findOption(
  options: Options,
  flag: string,
): [key: string, option: Option] | undefined {
  return Object.entries(options).find(
    ([key, option]) => longFlag(key, option) === flag || `-${option.short ?? ''}` === flag,
  )
}

/** Candidates for a word behind a line. */
async function candidates(line: Line, word: string, host: Host): Promise<Values> {
  const { awaiting, operands, verb, hasDashes, options } = line
  if (awaiting !== undefined) return valuesOf(awaiting[1], line, host, word)
  if (hasDashes || !isOption(word)) {
    if (verb === undefined) return operands > 0 || hasDashes ? [] : commandNames(line.path)
    const places = verb.arguments ?? []
    const place = places[operands] ?? places.findLast(({ isVariadic }) => isVariadic)
    return place === undefined ? [] : valuesOf(place, line, host)
  }
  const [flag = '', begun] = word.split(/=(.*)/s)
  if (begun === undefined) return optionNames(line)
  const [, option] = findOption(options, flag) ?? []
  const values = option === undefined ? [] : await valuesOf(option, line, host, begun)
  return values === 'files'
    ? values
    : values.map(([value, text]) => [`${flag}=${value}`, text])
}

function commandNames(path: string): Candidate[] {
  return namesBelow(commands, path).map(([name, { summary }]) => [name, summary])
}

function optionNames({ options, path }: Line): Candidate[] {
  const names = Object.entries(options).map(([key, option]): Candidate => [
    longFlag(key, option),
    optionText(option),
  ])
  names.push(['--help', 'print the help of a command'])
  if (path === '') names.push(['--version', 'print the version'])
  return names
}

type Place = Pick<Option & Argument, 'takes' | 'choices' | 'suggestions' | 'isSeparated'>

/** Values of an option or argument. `word`: as far as it is typed, of several values the ones before the last comma as they are. */
async function valuesOf(place: Place, line: Line, host: Host, word = ''): Promise<Values> {
  const { takes, choices = [], suggestions = [], isSeparated } = place
  if (takes === 'file') return 'files'
  if (takes === 'words of help') return line.operands > 0 ? [] : helpWords()
  // Without a profile, or with a broken configuration, there are no names to offer.
  if (takes === 'profile') return profileNames(line, host).catch(() => [])
  if (takes === 'run') return runNames(line, host).catch(() => [])
  const before = isSeparated === true ? word.replace(/[^,]*$/, '') : ''
  return [...choices, ...suggestions].map((value) => [before + value, ''])
}

/** Profiles of the configuration file that the line so far names. */
async function profileNames({ given }: Line, host: Host): Promise<Candidate[]> {
  const config = typedText({ given }, 'config')
  const { readUserFile } = await import('../config/load.ts')
  const file = await readUserFile(host, config === undefined ? {} : { config })
  const profiles = file?.content.profiles ?? new Map<string, never>()
  return [...profiles].map(([name, { baseUrl }]) => [name, new URL(baseUrl).host])
}

/** Names of folders only; no journal is opened. Newest first. */
async function runNames({ given }: Line, host: Host): Promise<Candidate[]> {
  const typed = typedText({ given }, 'stateDir')
  const [{ stateDir }, { isRunId }] = await Promise.all([
    import('../config/paths.ts'),
    import('../bulk/record/names.ts'),
  ])
  const { value: folder } = stateDir(host, typed === undefined ? {} : { stateDir: typed })
  const folders = await host.disk.promises.readdir(join(folder, 'runs'))
  const names = folders.filter((name) => name.startsWith('@')).map((name) => name.slice(1))
  const newestFirst = folders.filter(isRunId).sort().reverse()
  return [...newestFirst, ...names.sort()].map((name) => [name, ''])
}

async function helpWords(): Promise<Candidate[]> {
  const { topics } = await import('./help/topics.ts')
  const titles = topics.map(({ name, title }): Candidate => [name, title])
  return [
    ...commandNames(''),
    ['options', 'the global options'],
    ['topics', 'all topics'],
    ...titles,
  ]
}
