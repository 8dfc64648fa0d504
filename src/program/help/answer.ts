/** The help that a command line asks for. */
import type { Host } from '../../host.ts'
import { readCommandLine, type CommandLine } from '../command-line.ts'
import { nouns } from '../nouns.ts'
import { helpOf } from './page.ts'

/** A text that needs nothing to be run: for stdout, or for stderr with exit 2. */
export interface Answer {
  readonly text: string
  readonly to: 'stdout' | 'stderr'
}

/** The help of a line without other options. Throws exit 2 when the words name no command. */
export async function help(host: Host): Promise<Answer> {
  return helpFor(host, await readCommandLine(nouns, host.argv), 'stdout')
}

/** The help of the command that the words name. Throws exit 2 when they name none. */
export async function helpFor(host: Host, line: CommandLine, to: Answer['to']): Promise<Answer> {
  const { command, operands } = line
  if (command.commands.length > 0 && operands.length > 0) {
    const { unknownCommand } = await import('../usage.ts')
    throw await unknownCommand(line)
  }
  const text = await helpOf(command, {
    columns: host.columns(),
    isAll: host.argv.includes('--all'),
  })
  if (!host.isTerminal[to]) return { text, to }
  const { withHeadings } = await import('./headings.ts')
  return { text: withHeadings(host, text, to), to }
}
