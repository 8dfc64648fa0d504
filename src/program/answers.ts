/** What a command line gets without the parser, which takes long to load: help, completion, and mistakes that are certain. */
import type { Host } from '../host.ts'
import { version } from '../version.ts'
import type { Completion } from './argv.ts'
import { readCommandLine, type CommandLine } from './command-line.ts'
import { program } from './nouns.ts'
import { optionsOf } from './tree.ts'

/** The text that is asked for, or the line for the parser. Throws exit 2 for a mistake that is certain. */
export async function answer(host: Host): Promise<string | CommandLine> {
  const line = await readCommandLine(program, host.argv)
  if (line.asksVersion) return `${version}\n`
  if (line.asksHelp || host.argv.length === 0) return helpFor(host, line)
  const mistake = line.problem ?? certainMistake(line)
  if (mistake === undefined) return line
  const { explain } = await import('./usage.ts')
  throw await explain(line, mistake)
}

/** What a shell offers for the last of these words. */
export async function completions(host: Host, { words, isBrief }: Completion): Promise<string> {
  const { complete } = await import('./completion/complete.ts')
  return complete(program, words, host, isBrief)
}

/** The help of the command that the words name. Throws exit 2 when they name none. */
async function helpFor(host: Host, line: CommandLine): Promise<string> {
  const { command, operands } = line
  if (command.commands.length > 0 && operands.length > 0) {
    const { unknownCommand } = await import('./usage.ts')
    throw await unknownCommand(line)
  }
  const [{ helpOf }, { withHeadings }] = await Promise.all([import('./help/page.ts'), import('./help/headings.ts')])
  const text = await helpOf(command, { columns: host.columns(), isAll: host.argv.includes('--all') })
  return withHeadings(host, text)
}

/** What the parser would say, by its codes. Undefined when only it can tell: it reads the values of options first. */
function certainMistake(line: CommandLine): { readonly code: string } | undefined {
  const { afterDashes, awaiting, command, commands, given, operands, unknown } = line
  const hasMore = awaiting !== undefined || afterDashes || operands.some((word) => word.startsWith('-'))
  if (hasMore || [...given.values()].some((value) => value !== true)) return undefined
  if (optionsOf(commands).some(({ isRequired, key }) => isRequired === true && !given.has(key))) return undefined
  if (command.commands.length > 0)
    return operands.length > 0 && unknown === undefined ? { code: 'commander.unknownCommand' } : undefined
  if (unknown !== undefined) return { code: 'commander.unknownOption' }
  if (command.arguments.some(({ isRequired }, at) => isRequired === true && at >= operands.length))
    return { code: 'commander.missingArgument' }
  const isTooMany = operands.length > command.arguments.length && command.arguments.at(-1)?.isVariadic !== true
  return isTooMany ? { code: 'commander.excessArguments' } : undefined
}
