/** What the words of a command line say, and the mistakes among them that are told without the parser, which takes long to load. */
import type { SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import { builtTree } from './built.ts'
import { readCommandLine, type CommandLine } from './command-line.ts'
import { optionsOf } from './tree.ts'

/** The command line as it was read; undefined where the tree of commands is not built. Throws exit 2 for a mistake that is certain. */
export async function checkedLine(host: Host): Promise<CommandLine | undefined> {
  const words = host.argv
  const tree = builtTree(words)
  if (tree === undefined) return undefined
  const line = readCommandLine(tree, words)
  if (line.asksHelp || line.asksVersion) return line
  const mistake = line.problem ?? certainMistake(line)
  if (mistake === undefined) return line
  const { explain } = await import('./usage.ts')
  throw await explain(line, mistake, () => Promise.resolve(builtTree() ?? tree))
}

/**
 * What the parser would say, by its codes. Undefined when only it can tell: it reads the values of options first, knows options
 * that are hidden, and has a command `help` for each noun.
 */
function certainMistake(line: CommandLine): SvcError | { readonly code: string } | undefined {
  const { afterDashes, awaiting, command, commands, given, operands, unknown } = line
  const hasMore = awaiting !== undefined || afterDashes || operands.some((word) => /^(?:-|help$)/.test(word))
  if (hasMore || commands.some(({ hasHidden }) => hasHidden)) return undefined
  if (optionsOf(commands).some(({ mandatory, key }) => mandatory === true && !given.has(key))) return undefined
  if ([...given.values()].some((value) => value !== true)) return undefined
  if (command.commands.length > 0)
    return operands.length > 0 && unknown === undefined ? { code: 'commander.unknownCommand' } : undefined
  if (unknown !== undefined) return { code: 'commander.unknownOption' }
  if (command.arguments.some(({ required }, at) => required && at >= operands.length))
    return { code: 'commander.missingArgument' }
  const isTooMany = operands.length > command.arguments.length && command.arguments.at(-1)?.variadic !== true
  return isTooMany ? { code: 'commander.excessArguments' } : undefined
}
