/**
 * Answers to the completion scripts of the shells, `svc __complete -- words...`: the candidates for the last word of a command line. Reads
 * the configuration file at most; sends and runs nothing. `main.ts` calls it for every press of the tab key.
 */
import type { Host } from '../host.ts'
import { globalOptions } from '../cli/global-options.ts'
import { longFlag, optionText, typedText, type Option, type Options } from '../cli/options.ts'
import type { Argument, Verb } from '../cli/verb.ts'
import type { ValueKind } from '../values.ts'
import type { Answer } from './parse.ts'
import { commands } from './verbs.ts'

const { nouns, verbs } = commands

/** `value<TAB>description` lines, or the line `:files`. `asked`: `--` and the words. */
export async function complete(host: Host, asked: readonly string[]): Promise<Answer> {
  const words = asked.slice(1)
  const line = await readLine(words.slice(0, -1))
  const values = await candidates(line, words.at(-1) ?? '', host)
  const text = values === 'files' ? ':files\n' : linesOf(values)
  return { kind: 'text', text, to: 'stdout' }
}

/** The words before the cursor. */
interface Line {
  /** The command that they name so far: nothing, `lists`, `lists list`. */
  path: string
  verb: Verb | undefined
  options: Options
  operands: number
  hasDashes: boolean
  /** The option whose value is next. */
  awaiting: Option | undefined
  readonly given: Map<string, string | true>
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
  let key = ''
  for (const word of words) {
    if (line.awaiting !== undefined) {
      line.given.set(key, word)
      line.awaiting = undefined
    } else if (line.hasDashes || !isOption(word)) await takeOperand(line, word)
    else if (word === '--') line.hasDashes = true
    else {
      const [flag = '', text] = word.split(/=(.*)/s)
      const [found, option] = findOption(line.options, flag) ?? []
      if (found === undefined || option === undefined) continue
      key = found
      line.given.set(key, text ?? true)
      if (option.value !== undefined && text === undefined) line.awaiting = option
    }
  }
  return line
}

async function takeOperand(line: Line, word: string): Promise<void> {
  const path = `${line.path} ${word}`.trim()
  const row = line.operands === 0 && !line.hasDashes ? verbs[path] : undefined
  if (row !== undefined && line.verb === undefined) {
    line.verb = await row.load()
    line.options = { ...globalOptions, ...line.verb.options }
    line.path = path
  } else if (line.path === '' && Object.hasOwn(nouns, path)) line.path = path
  else line.operands += 1
}

/** A dash alone is standard input. */
function isOption(word: string): boolean {
  return word.startsWith('-') && word !== '-'
}

function findOption(options: Options, flag: string): [key: string, option: Option] | undefined {
  return Object.entries(options).find(
    ([key, option]) => longFlag(key, option) === flag || `-${option.short ?? ''}` === flag,
  )
}

/** The names that can follow a path, with what they do. */
function namesBelow(path: string): Candidate[] {
  const prefix = path === '' ? '' : `${path} `
  return Object.entries({ ...(path === '' ? nouns : {}), ...verbs }).flatMap(
    ([each, { summary }]): Candidate[] => {
      const name = each.startsWith(prefix) ? each.slice(prefix.length) : ' '
      return name.includes(' ') ? [] : [[name, summary]]
    },
  )
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
  readonly line: Line
  readonly position: Pick<Argument & Option, 'takes' | 'choices' | 'suggestions' | 'isSeparated'>
  readonly word: string
  readonly host: Host
}

/** Candidates for a word behind a line. */
function candidates(line: Line, word: string, host: Host): Promise<Values> | Values {
  const { awaiting, operands, verb, hasDashes } = line
  if (awaiting !== undefined) return valuesOf({ line, position: awaiting, word, host })
  if (!hasDashes && isOption(word)) return optionCandidates(line, word, host)
  if (verb === undefined) return operands > 0 || hasDashes ? [] : namesBelow(line.path)
  const places = verb.arguments ?? []
  const argument = places[operands] ?? places.findLast(({ isVariadic }) => isVariadic)
  return argument === undefined ? [] : valuesOf({ line, position: argument, word, host })
}

/** Names of options; the values of one behind `--option=`. */
async function optionCandidates(line: Line, word: string, host: Host): Promise<Values> {
  const [flag = '', begun] = word.startsWith('--') ? word.split(/=(.*)/s) : [word]
  if (begun === undefined) return optionNames(line)
  const [, option] = findOption(line.options, flag) ?? []
  if (option?.value === undefined) return []
  const values = await valuesOf({ line, position: option, word: begun, host })
  if (values === 'files') return values
  return values.map(([value, description]) => [`${flag}=${value}`, description])
}

function optionNames({ options, path, verb }: Line): Candidate[] {
  const own = Object.entries({ ...verb?.options, ...options })
  const names = own.map(([key, option]): Candidate => [longFlag(key, option), optionText(option)])
  names.push(['--help', 'print the help of a command'])
  if (path === '') names.push(['--version', 'print the version'])
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
  'words of help': ({ line }) => helpWords(line.operands),
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

/** `error,unk` is completed by every value that is not there yet. */
function listOf(values: readonly string[], word: string): Candidate[] {
  const before = word.slice(0, word.lastIndexOf(',') + 1)
  const given = before.split(',')
  const others = values.filter((value) => !given.includes(value))
  return valuesAlone(others.map((value) => before + value))
}

/** `operands`: how many words were typed behind `help`. */
async function helpWords(operands: number): Promise<Values> {
  if (operands > 0) return []
  const { topics } = await import('./help/topics.ts')
  const pages: Candidate[] = [
    ['options', 'the global options'],
    ['topics', 'all topics'],
  ]
  const titles = topics.map(({ name, title }): Candidate => [name, title])
  return [...namesBelow(''), ...pages, ...titles]
}
