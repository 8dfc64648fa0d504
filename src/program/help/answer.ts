/** The help that a command line asks for. `main.ts` asks it first, since a page needs no configuration. */
import type { Host } from '../../host.ts'
import { readCommandLine, type CommandLine } from '../command-line.ts'
import { nouns } from '../nouns.ts'
import { helpOf } from './page.ts'

/** A text that needs nothing to be run: for stdout, or for stderr with exit 2. */
export interface Answer {
  readonly kind: 'text'
  readonly text: string
  readonly to: 'stdout' | 'stderr'
}

/** Reads a line that has no options but those that ask for help: without the global ones it takes less time. */
export function readWords(words: readonly string[]): Promise<CommandLine> {
  return readCommandLine(nouns, words)
}

/** The help of the command that the words name. Throws exit 2 when they name none. */
export async function helpFor(host: Host, line: CommandLine, to: Answer['to']): Promise<Answer> {
  const { command, operands } = line
  if (command.commands.length > 0 && operands.length > 0) {
    const { unknownCommand } = await import('../usage.ts')
    throw unknownCommand(line)
  }
  const isAll = line.asksAll || line.given.has('all')
  const text = await helpOf(command, { columns: host.columns(), isAll })
  if (!host.isTerminal[to]) return { kind: 'text', text, to }
  const { withHeadings } = await import('../before-parsing.ts')
  return { kind: 'text', text: withHeadings(host, line, text, to), to }
}
