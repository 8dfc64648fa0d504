/**
 * Answers to the completion scripts of the shells, `svc __complete -- words...`: the candidates for the last word of a command line. Reads
 * the configuration file at most; sends and runs nothing. `main.ts` calls it for every press of the tab key.
 */
import type { Host } from '../host.ts'
import { isOperand, type Completion } from './shortcuts.ts'
import { readCommandLine, type CommandLine } from './command-line.ts'
import { withGlobalOptions } from './global-options.ts'
import type { Answer } from './help/answer.ts'
import { nouns } from './nouns.ts'
import type { Argument } from '../cli/command.ts'
import { type Option, typedText } from '../cli/option.ts'
import type { Format, View } from '../output/result.ts'
import type { ValueKind } from '../values.ts'
import { findOption, optionsOf, summariesOf, type Tree } from './tree.ts'

/** More are not offered before a letter is typed, where that is asked for. */
const mostBrief = 20

/** `value<TAB>description` lines, or the line `:files`. With `isBrief` a line `:note<TAB>text` says that there are more. */
export async function complete(host: Host, { words, isBrief }: Completion): Promise<Answer> {
  const line = await readCommandLine(withGlobalOptions(nouns), words.slice(0, -1))
  const word = words.at(-1) ?? ''
  const values = await candidates(line, word, host)
  if (values === 'files') return answerWith(':files\n')
  const isOfFields = line.awaiting?.takes === 'fields'
  const isBeforeLetter = isBrief && word === ''
  const isCut = isBeforeLetter && !isOfFields && values.length > mostBrief
  if (!isCut) return answerWith(linesOf(values))
  const newest = values.slice(0, mostBrief)
  const note = `:note\tthe newest ${mostBrief} of ${values.length}; type a letter for the others\n`
  return answerWith(note + linesOf(newest))
}

function answerWith(text: string): Answer {
  return { kind: 'text', text, to: 'stdout' }
}

function linesOf(values: readonly Candidate[]): string {
  let lines = ''
  for (const [value, description] of values) {
    if (!isPrintable(value)) continue
    const oneLine = description.replaceAll(/\s+/g, ' ')
    lines += `${value}\t${oneLine}\n`
  }
  return lines
}

/** Whether nothing in a value commands the terminal or ends the line. */
function isPrintable(value: string): boolean {
  if (/^[\x20-\x7e]*$/.test(value)) return true
  // These classes cost a millisecond to compile, and an ordinary value does not need them.
  return !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value)
}

/** A word that can follow a line: the name of a command or option, or a value of one that says what it takes. */
type Candidate = readonly [value: string, description: string]

/** Values of a position: candidates, or a file, which the shell knows best. */
type Values = readonly Candidate[] | 'files'

/** Position behind a line: what completion knows of the option or argument there, and the word so far. */
interface CompletionRequest {
  readonly line: CommandLine
  readonly position: Pick<Argument & Option, 'takes' | 'choices' | 'suggestions' | 'isSeparated'>
  readonly word: string
  readonly host: Host
}

/** Candidates for a word behind a line. */
export async function candidates(line: CommandLine, word: string, host: Host): Promise<Values> {
  const { command, awaiting, operands, dashes } = line
  if (awaiting !== undefined) return valuesOf({ line, position: awaiting, word, host })
  const isOption = dashes === undefined && !isOperand(word)
  if (isOption) return optionCandidates(line, word, host)
  if (command.commands.length > 0) {
    const isBehindCommand = operands.length > 0 || dashes !== undefined
    return isBehindCommand ? [] : summariesOf(command)
  }
  const next = command.arguments[operands.length]
  const argument = next ?? command.arguments.findLast(({ isVariadic }) => isVariadic)
  if (argument === undefined) return []
  return valuesOf({ line, position: argument, word, host })
}

/** Names of options; the values of one behind `--option=`. */
async function optionCandidates(line: CommandLine, word: string, host: Host): Promise<Values> {
  const { commands } = line
  const equals = word.startsWith('--') ? word.indexOf('=') : -1
  if (equals < 0) return optionNames(commands)
  const flag = word.slice(0, equals)
  const begun = word.slice(equals + 1)
  const option = findOption(commands, flag)
  if (option?.value === undefined) return []
  const values = await valuesOf({ line, position: option, word: begun, host })
  if (values === 'files') return values
  return values.map(([value, description]) => [`${flag}=${value}`, description])
}

function optionNames(commands: readonly Tree[]): Candidate[] {
  const names = optionsOf(commands).map(({ long, text }): Candidate => [long, text])
  names.push(['--help', 'print the help of a command'])
  const isRoot = commands.length === 1
  if (isRoot) names.push(['--version', 'print the version'])
  return names
}

async function valuesOf(request: CompletionRequest): Promise<Values> {
  const { takes, choices, suggestions = [], isSeparated = false } = request.position
  // Without a profile, or with a broken configuration, there are no names to offer.
  if (takes !== undefined) return finders[takes](request).catch(() => [])
  if (isSeparated) return listOf(suggestions, request.word)
  return valuesAlone(choices ?? suggestions)
}

function valuesAlone(values: readonly string[]): Candidate[] {
  return values.map((value) => [value, ''])
}

const nothing = (): Promise<Values> => Promise.resolve([])

const finders: Readonly<Record<ValueKind, (request: CompletionRequest) => Promise<Values>>> = {
  text: nothing,
  word: nothing,
  contact: nothing,
  ticket: nothing,
  file: () => Promise.resolve('files'),
  list: nothing,
  employee: nothing,
  profile: profileNames,
  run: runNames,
  country: countries,
  format: async ({ line }) => valuesAlone(await formatsShown(line)),
  fields: fieldLists,
  'path of the API': apiPaths,
  'shell command': shellCommand,
  'words of help': ({ line }) => helpWords(line),
}

function shellCommand({ line }: CompletionRequest): Promise<Values> {
  const isBehindDashes = line.dashes !== undefined
  return Promise.resolve(isBehindDashes ? 'files' : [['--', 'the command follows']])
}

/** Paths as far as they can be typed without an id. */
async function apiPaths(): Promise<Values> {
  const { operations } = await import('../api/operations.ts')
  const withoutIds = Object.values(operations).map(({ path }) => path.replaceAll(/\{\w+\}/g, ''))
  const begun = Array.from(new Set(withoutIds), (path) => path.replace(/\/\/.*$/, '/'))
  return valuesAlone(begun)
}

/** From the configuration file that the line so far names. */
async function profileNames({ line, host }: CompletionRequest): Promise<Values> {
  const config = typedText(line, 'config')
  const { readUserFile } = await import('../config/load.ts')
  const file = await readUserFile(host, config === undefined ? {} : { config })
  const candidates: Candidate[] = []
  for (const [name, { baseUrl }] of file?.content.profiles ?? []) {
    const { host } = new URL(baseUrl)
    candidates.push([name, host])
  }
  return candidates
}

/** Names of folders only; no journal is opened. Newest first. */
async function runNames({ line, host }: CompletionRequest): Promise<Values> {
  const typed = typedText(line, 'stateDir')
  const [{ stateDir }, { isRunId }, { runsFolder }] = await Promise.all([
    import('../config/paths.ts'),
    import('../bulk/record/run.ts'),
    import('../bulk/runs/folders.ts'),
  ])
  const options = typed === undefined ? {} : { stateDir: typed }
  const { value: folder } = stateDir(host, options)
  const names = await host.disk.promises.readdir(runsFolder(folder))
  const newestFirst = names.filter(isRunId).sort().reverse()
  return valuesAlone(newestFirst)
}

async function countries(): Promise<Values> {
  const { getCountries } = await import('../directory/phone-numbers.ts')
  const names = new Intl.DisplayNames(['en'], { type: 'region' })
  return getCountries().map((code) => [code, names.of(code) ?? ''])
}

/** `error,unk` is completed by every value that is not there yet. */
function listOf(values: readonly string[], word: string): Candidate[] {
  const before = word.slice(0, word.lastIndexOf(',') + 1)
  const given = before.split(',')
  const others = values.filter((value) => !given.includes(value))
  return valuesAlone(others.map((value) => before + value))
}

/** The view of its rows, of a bulk run where a file makes it one; undefined of a noun. */
function viewShown({ command: { command }, given }: CommandLine): View<never> | undefined {
  const { shows, bulkShows } = command ?? {}
  return given.has('file') ? (bulkShows ?? shows) : shows
}

/** The formats that the command of a line has; all of them before there is a command. */
async function formatsShown(line: CommandLine): Promise<readonly Format[]> {
  const view = viewShown(line)
  const { plain } = line.command.command ?? {}
  if (plain === 'json') return ['table', 'json']
  if (plain !== undefined) return ['table']
  if (view === undefined) {
    const { formats } = await import('../output/result.ts')
    return formats
  }
  const { formatsOf } = await import('../output/formats/choice.ts')
  return formatsOf(view)
}

async function fieldLists({ line, word }: CompletionRequest): Promise<Values> {
  const view = viewShown(line)
  if (view === undefined) return []
  const { fieldsOf } = await import('../output/fields.ts')
  const ofTables = await fieldsOf(view, 'table')
  const ofJson = await fieldsOf(view, 'json')
  const fields = new Set([...ofTables, ...ofJson])
  return listOf([...fields], word)
}

async function helpWords({ commands: [program], operands }: CommandLine): Promise<Values> {
  const words = operands.map(({ word }) => word)
  const { command, operands: others } = await readCommandLine(program, words)
  const isCommand = others.length === 0
  const names = isCommand ? await summariesOf(command) : []
  if (operands.length > 0) return names
  const { topics } = await import('./help/topics.ts')
  const pages: Candidate[] = [
    ['options', 'the global options'],
    ['topics', 'all topics'],
  ]
  const titles = topics.map(({ name, title }): Candidate => [name, title])
  return [...names, ...pages, ...titles]
}
