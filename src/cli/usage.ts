/** From a command line that cannot be read to words that help: what was probably meant, and which help to read. */
import { closest, listed } from '../words.ts'
import { SvcError, usageError } from '../errors.ts'
import { findCommand, findOption, pathOf, readCommandLine, type Tree } from './argv.ts'

/** What people type who come from other tools. */
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
  reassign: ['assign'],
  switch: ['use'],
  login: ['profiles'],
  auth: ['profiles'],
  config: ['profiles'],
  configure: ['profiles'],
  version: ['--version'],
}

/**
 * A usage error of commander or of ours, with a hint.
 * @param program with the nouns among the words at least; `wholeTree` has all of them, and is made when it is needed.
 */
export async function explain(
  program: Tree,
  words: readonly string[],
  error: Error & { code?: string },
  wholeTree: () => Promise<Tree>,
): Promise<SvcError> {
  const { commands, command, operands, given } = readCommandLine(program, words)
  const see = `see: ${pathOf(commands)} --help`
  if (error instanceof SvcError) return error.withHint(see)
  const [said = '', ...rest] = error.message.replace(/^error: /, '').split('\n')
  // Commander names one thing in quotes, whatever that holds.
  const named = /'(.*)'/.exec(said)?.[1] ?? ''
  switch (error.code ?? '') {
    case 'commander.help':
      return usageError(`a command of "${pathOf(commands)}" is missing`, see)
    case 'commander.unknownCommand':
      return usageError(
        `unknown command "${named}"`,
        hint(await meantCommand(commands, named, wholeTree), see, verbsOf(commands)),
      )
    case 'commander.unknownOption':
      return usageError(
        `unknown option "${named}"`,
        hint(otherOption(commands, named) ?? /\(Did you mean (?:one of )?(.+)\?\)/.exec(rest.join(' '))?.[1], see),
      )
    case 'commander.missingArgument':
      return usageError(`the argument <${named}> is missing`, see)
    case 'commander.optionMissingArgument':
      return usageError(`${named} needs a value`, see)
    case 'commander.missingMandatoryOptionValue':
      return usageError(`${named} is required`, see)
    case 'commander.excessArguments':
      return usageError(
        `too many arguments: "${operands.at(-1) ?? ''}" is one more than ${pathOf(commands)} takes`,
        [...excessHints(commands, command, operands, given), see].join('\n'),
      )
    default:
      return usageError(said, see)
  }
}

/** What a noun can do, and whether that is all that the service can do with it. */
function verbsOf(commands: readonly [Tree, ...Tree[]]): string {
  if (commands.length === 1) return ''
  const noun = commands.at(-1) ?? commands[0]
  const ofService = ['lists', 'contacts', 'tickets', 'employees'].includes(noun.name)
  const verbs = noun.commands.map(({ name }) => name).join(', ')
  return `${pathOf(commands)} has: ${verbs}${ofService ? '; the service offers no more' : ''}`
}

function hint(meant: string | undefined, see: string, otherwise = ''): string {
  const first = meant === undefined ? otherwise : `did you mean ${meant}?`
  return first === '' ? see : `${first}\n${see}`
}

/** What people call options who come from other tools, and which is meant, where the command has it. */
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

function otherOption(commands: readonly Tree[], typed: string): string | undefined {
  const name = typed.replace(/=.*$/s, '')
  const meant = Object.hasOwn(otherOptions, name) ? (otherOptions[name] ?? []) : []
  const known = meant.filter((option) => findOption(commands, option) !== undefined)
  return known.length === 0 ? undefined : listed(known)
}

/** Options for what people write as one more argument. */
const takesName: ReadonlySet<string> = new Set(['--to', '--into', '--name', '--search'])

/** Why a word may be one too many: a name without quotes, a method, or what belongs to an option. */
function excessHints(
  commands: readonly Tree[],
  command: Tree,
  operands: readonly string[],
  given: ReadonlyMap<string, string | true>,
): string[] {
  const word = operands.at(-1) ?? ''
  const [first = ''] = operands
  if (/^(get|post|put|patch|delete)$/i.test(first)) return [`a method is an option: -X ${first.toUpperCase()}`]
  const hints = /\s/.test(word) ? [] : ['a name that holds blanks needs quotes: "Spring campaign"']
  const option = command.options.find(({ key, long }) => takesName.has(long ?? '') && !given.has(key))
  if (option !== undefined) hints.push(`as an option: ${pathOf(commands)} ${option.long ?? ''} "${word}"`)
  return hints
}

/** The command that was probably meant: of this noun, another word for it; for svc itself, a verb of some noun. */
export async function meantCommand(
  commands: readonly [Tree, ...Tree[]],
  word: string,
  wholeTree: () => Promise<Tree>,
): Promise<string | undefined> {
  const isRoot = commands.length === 1
  const here = isRoot ? await wholeTree() : (commands.at(-1) ?? commands[0])
  const near = closest(
    word,
    here.commands.map(({ name }) => name),
  )
  if (near !== undefined) return `${pathOf(commands)} ${near}`
  for (const other of Object.hasOwn(otherWords, word) ? (otherWords[word] ?? []) : []) {
    if (other.startsWith('--') && isRoot) return `svc ${other}`
    if (findCommand(here, other) !== undefined) return `${pathOf(commands)} ${other}`
  }
  if (!isRoot) return undefined
  const elsewhere = (await wholeTree()).commands.filter((noun) => findCommand(noun, word) !== undefined)
  return elsewhere.length === 0 ? undefined : listed(elsewhere.map((noun) => `svc ${noun.name} ${word}`))
}
