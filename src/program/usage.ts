/**
 * Mistakes of a command line in words that help: what was probably meant, and which help to read. `answers.ts` and `call.ts` throw them,
 * and `invoke.ts` adds help to those that a verb throws.
 */
import { join, say, svc, svcAsItIs, type Message, type ShownCommand } from '../message.ts'
import { closest, joinOr, shellWord } from '../words.ts'
import { SvcError, usageError } from '../errors.ts'
import { readCommandLine, type CommandLine } from './command-line.ts'
import {
  findCommand,
  findOption,
  flagsOf,
  optionsOf,
  type Branch,
  type Tree,
  type TreeOption,
} from './tree.ts'

/** Words of people who come from other tools. */
const otherWords: Readonly<Record<string, readonly string[]>> = {
  ls: ['list'],
  show: ['get', 'show'],
  describe: ['get', 'show'],
  new: ['create', 'add'],
  add: ['add-contacts', 'create'],
  edit: ['update'],
  rename: ['update'],
  rm: ['delete', 'remove'],
  del: ['delete', 'remove'],
  remove: ['delete'],
  delete: ['remove'],
  messages: ['history'],
  search: ['find', 'list'],
  reassign: ['assign'],
  switch: ['use'],
  login: ['profiles'],
  auth: ['profiles'],
  config: ['profiles'],
  configure: ['profiles'],
  version: ['--version'],
}

/** A usage error with what was meant, or the help to read where it has no hint of its own; any other error as it is. */
export async function withHelp(
  line: CommandLine,
  error: unknown,
  isFile: (path: string) => boolean = () => false,
): Promise<unknown> {
  if (!(error instanceof SvcError) || error.category !== 'usage') return error
  const { hint, notIds = [] } = error.details
  const usual = hint ?? seeHelp(line.command)
  if (notIds.length === 0) return error.withHint(usual)
  const { meantByNoIds } = await import('./meant.ts')
  const meant = meantByNoIds(line, notIds, isFile)
  return error.withHint(meant ?? usual)
}

export function missingCommand({ command }: CommandLine): SvcError {
  return usageError(`a command of "${command.path}" is missing`, seeHelp(command))
}

/** An option that lacks its value, or that is not there at all. */
export function missingValue(
  { command }: CommandLine,
  option?: TreeOption,
  lack = 'needs a value',
): SvcError {
  const name = option === undefined ? 'an option' : flagsOf(option)
  return usageError(`${name} ${lack}`, seeHelp(command))
}

export function missingArgument({ command, operands }: CommandLine): SvcError {
  const name = command.arguments[operands.length]?.name ?? ''
  return usageError(`the argument <${name}> is missing`, seeHelp(command))
}

export function mistake({ command }: CommandLine, message: string): SvcError {
  return usageError(message, seeHelp(command))
}

/** A noun, or svc itself, was followed by a word that is none of its commands. */
export async function unknownCommand({
  commands,
  command,
  operands,
}: CommandLine): Promise<SvcError> {
  const [word = '', ...rest] = operands.map((each) => each.word)
  const meant = await meantCommand(commands, [word, ...rest])
  const advice = hint(meant, seeHelp(command), verbsOf(command))
  return usageError(`unknown command "${word}"`, advice)
}

export function unknownOption(line: CommandLine): SvcError {
  const { commands, command, unknown = '' } = line
  if (unknown.startsWith('--json=')) return valueOfJson(line)
  const message = `unknown option "${unknown}"`
  const way = otherWays[`${command.path} ${nameOfOption(unknown)}`]
  if (way !== undefined) return usageError(message, way)
  const meant = meantOption(commands, unknown)
  return usageError(message, hint(meant, seeHelp(command)))
}

export async function excessArgument(line: CommandLine): Promise<SvcError> {
  const { command, operands, jsonValue } = line
  const first = operands[0]?.word ?? ''
  const word = operands.at(-1)?.word ?? ''
  if (operands.length > 0 && word === jsonValue) return valueOfJson(line)
  const { meantByExcess } = await import('./meant.ts')
  const meant = meantByExcess(line)
  const isMethod = /^(?:get|post|put|patch|delete)$/i.test(first)
  const method = isMethod ? `a method is an option: -X ${first.toUpperCase()}\n` : ''
  const usual = say`${method}${seeHelp(command)}`
  return usageError(`too many arguments for ${command.path}: "${word}"`, meant ?? usual)
}

/** A habit from gh, whose `--json` takes the names of fields. */
function valueOfJson({ command, jsonValue = '' }: CommandLine): SvcError {
  return usageError(
    `--json takes no value; choose fields with --fields ${shellWord(jsonValue)}`,
    seeHelp(command),
  )
}

export function seeHelp({ path }: Tree): Message {
  return say`see: ${commandNamed(path, '--help')}`
}

/** A command by its path (`svc lists list`), which is the same everywhere. */
function commandNamed(path: string, ...more: readonly string[]): ShownCommand {
  const [, ...words] = path.split(' ')
  return svcAsItIs([...words, ...more].join(' '))
}

/** Verbs of a noun, and whether that is all that the service can do with it. */
function verbsOf({ name, path, commands }: Tree): Message {
  if (name === path) return ''
  const isOfService = ['lists', 'contacts', 'tickets', 'employees'].includes(name)
  const limit = isOfService ? '; the service allows nothing else' : ''
  const verbs = commands.map(({ name }) => name).join(', ')
  return say`${path} has: ${verbs}${limit}`
}

function hint(meant: Message | undefined, see: Message, otherwise: Message = ''): Message {
  const first = meant === undefined ? otherwise : say`did you mean ${meant}?`
  return join([first, see], '\n')
}

/** Names of options in other tools, and which option is meant, where the command has it. */
const otherOptions: Readonly<Record<string, readonly string[]>> = {
  '--assignee': ['--to'],
  '--employee': ['--to'],
  '--target': ['--into', '--to'],
  '--force': ['--yes'],
  '-f': ['--file', '--yes'],
  '--format': ['--output'],
  '-n': ['--limit'],
  '--count': ['--limit'],
  '--query': ['--search'],
  '--filter': ['--search'],
  '--input': ['--file'],
  '--secret': ['--secret-stdin', '--secret-env', '--secret-file', '--secret-command'],
}

/** Options that a command could be thought to have, and how the same is reached. */
const otherWays: Readonly<Record<string, Message>> = {
  'svc contacts match --where': say`every row is matched; --where chooses rows of the table that --annotate writes:\n  ${svc`contacts delete --file matched.xlsx --where <column>=<value>`}`,
  'svc runs undo --annotate':
    'the tickets that go back are those of the run; their outcomes as a table: --receipts <file>.xlsx',
}

const nameOfOption = (typed: string): string => typed.replace(/=.*$/s, '')

/** The option that was probably meant, under another name or misspelled. */
function meantOption(commands: readonly Tree[], typed: string): string | undefined {
  const name = nameOfOption(typed)
  const known = wordsLike(otherOptions, name).filter(
    (option) => findOption(commands, option) !== undefined,
  )
  if (known.length > 0) return joinOr(known)
  if (!name.startsWith('--')) return undefined
  const word = name.slice(2)
  const names = optionsOf(commands).map(({ long }) => long.slice(2))
  names.push('help')
  if (commands.length === 1) names.push('version')
  const near = closest(word, names)
  const longer = word.length < 2 ? [] : names.filter((each) => each.startsWith(word))
  const meant = near === undefined ? longer : [near]
  if (meant.length === 0 || meant.length > 3) return undefined
  return joinOr(meant.map((each) => `--${each}`))
}

/** Entry of a table of other tools' words; empty for any other word. */
function wordsLike(
  table: Readonly<Record<string, readonly string[]>>,
  word: string,
): readonly string[] {
  // `constructor` is in every object.
  return Object.hasOwn(table, word) ? (table[word] ?? []) : []
}

/**
 * The command that was probably meant: of this noun, a near or another word for it; for svc itself, a verb of some noun.
 * @param words the unknown one, and those behind it, which are taken along as far as they name commands.
 */
export async function meantCommand(
  commands: readonly [Tree, ...Tree[]],
  [word, ...rest]: readonly [string, ...string[]],
): Promise<Message | undefined> {
  const isRoot = commands.length === 1
  const here = commands.at(-1) ?? commands[0]
  const near = nearCommand(here, word)
  if (near !== undefined) {
    const { command } = await readCommandLine(await near.load(), rest)
    return [commandNamed(command.path)]
  }
  for (const other of wordsLike(otherWords, word)) {
    if (other.startsWith('--') && isRoot) return [svcAsItIs(other)]
    const found = findCommand(here, other)
    if (found !== undefined) return [commandNamed(found.path)]
  }
  if (!isRoot) return undefined
  const nouns = await Promise.all(here.commands.map(({ load }) => load()))
  const elsewhere = nouns.flatMap((noun) => findCommand(noun, word)?.path ?? [])
  if (elsewhere.length === 0) return undefined
  const meant = elsewhere.map((path) => [commandNamed(path)])
  const first = join(meant.slice(0, -1), ', ')
  return join([first, meant.at(-1)], ' or ')
}

/** A command that the word is a misspelling of, or the only one that it is short for: `lst`, `emp`. */
function nearCommand({ commands }: Tree, word: string): Branch | undefined {
  const names = commands.map(({ name }) => name)
  const near = closest(word, names)
  if (near !== undefined) return findCommand({ commands }, near)
  if (word.length < 3) return undefined
  const longer = commands.filter(({ name }) => isShortFor(word, name))
  return longer.length === 1 ? longer[0] : undefined
}

/** Whether a word begins as the name does and has none but its letters, in their order. */
function isShortFor(word: string, name: string): boolean {
  let at = 0
  for (const letter of name) if (letter === word[at]) at += 1
  return at === word.length && name[0] === word[0]
}
