/** From a command line that cannot be read to words that help: what was probably meant, and which help to read. */
import { closest, listed } from '../../args.ts'
import { SvcError, usageError } from '../../errors.ts'
import { findCommand, pathOf, readCommandLine, type Tree } from '../command-line.ts'

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
  const { commands, operands } = readCommandLine(program, words)
  const see = `see: ${pathOf(commands)} --help`
  if (error instanceof SvcError) return error.withHint(see)
  const [said = '', ...rest] = error.message.replace(/^error: /, '').split('\n')
  // Commander names one thing in quotes, whatever that holds.
  const named = /'(.*)'/.exec(said)?.[1] ?? ''
  switch (error.code ?? '') {
    case 'commander.help':
      return usageError(`a command of "${pathOf(commands)}" is missing`, see)
    case 'commander.unknownCommand':
      return usageError(`unknown command "${named}"`, hint(await meantCommand(commands, named, wholeTree), see))
    case 'commander.unknownOption':
      return usageError(
        `unknown option "${named}"`,
        hint(/\(Did you mean (?:one of )?(.+)\?\)/.exec(rest.join(' '))?.[1], see),
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
        `a name that holds blanks needs quotes: "Spring campaign"\n${see}`,
      )
    default:
      return usageError(said, see)
  }
}

function hint(meant: string | undefined, see: string): string {
  return meant === undefined ? see : `did you mean ${meant}?\n${see}`
}

/** The command that was probably meant: of this noun, another word for it, or a verb of another noun. */
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
  const elsewhere = (await wholeTree()).commands.filter((noun) => findCommand(noun, word) !== undefined)
  return elsewhere.length === 0 ? undefined : listed(elsewhere.map((noun) => `svc ${noun.name} ${word}`))
}
