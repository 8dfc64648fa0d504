/** Answers that need neither a configuration nor a service: help, completion, and the words for a mistake. */
import type { Host } from '../host.ts'
import { version } from '../version.ts'
import type { Completion } from './argv.ts'
import { errorFormatOf } from './before-parsing.ts'
import type { Call } from './call.ts'
import { readCommandLine, type CommandLine } from './command-line.ts'
import { program } from './nouns.ts'

/** A text that needs nothing to be run: for stdout, or for stderr with exit 2. */
export interface Answer {
  readonly text: string
  readonly to: 'stdout' | 'stderr'
}

/** The text that is asked for, or the verb to run. Throws exit 2 for a mistake. */
export async function answer(host: Host): Promise<Answer | Call> {
  const line = await readCommandLine(program, host.argv)
  if (line.asksVersion) return { text: `${version}\n`, to: 'stdout' }
  if (line.asksHelp || host.argv.length === 0) return helpFor(host, line, 'stdout')
  if (isUnknownFirst(line)) throw (await import('./usage.ts')).unknownOption(line)
  const call = await (await import('./call.ts')).callOf(line)
  if (call !== undefined) return call
  // A noun alone: its help, but as a mistake. Help is no JSON: with JSON it is an error document.
  if (errorFormatOf(host) === 'json') throw (await import('./usage.ts')).missingCommand(line)
  return helpFor(host, line, 'stderr')
}

/** Whether an unknown option is the first mistake for certain, without the parser, which takes long to load: nothing else was typed. */
function isUnknownFirst({ command, unknown, given, problem, awaiting }: CommandLine): boolean {
  if (unknown === undefined || problem !== undefined || awaiting !== undefined || given.size > 0) return false
  return command.command !== undefined && !command.options.some(({ isRequired }) => isRequired === true)
}

/** Candidates for the last of these words, for a shell. */
export async function completions(host: Host, { words, isBrief }: Completion): Promise<Answer> {
  const { complete } = await import('./completion/complete.ts')
  return { text: await complete(program, words, host, isBrief), to: 'stdout' }
}

/** The help of the command that the words name. Throws exit 2 when they name none. */
async function helpFor(host: Host, line: CommandLine, to: Answer['to']): Promise<Answer> {
  const { command, operands } = line
  if (command.commands.length > 0 && operands.length > 0) {
    const { unknownCommand } = await import('./usage.ts')
    throw await unknownCommand(line)
  }
  const [{ helpOf }, { withHeadings }] = await Promise.all([import('./help/page.ts'), import('./help/headings.ts')])
  const text = await helpOf(command, { columns: host.columns(), isAll: host.argv.includes('--all') })
  return { text: withHeadings(host, text, to), to }
}
