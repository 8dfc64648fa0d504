/**
 * Answers that need neither a configuration nor a service: the words for a mistake, and help beside other options. `main.ts` asks it before
 * anything that costs more is loaded.
 */
import type { Host } from '../host.ts'
import { version } from '../version.ts'
import type { Call } from './call.ts'
import { readCommandLine, type CommandLine } from './command-line.ts'
import { withGlobalOptions } from './global-options.ts'
import { helpFor, type Answer } from './help/answer.ts'
import { errorFormatOf } from './before-parsing.ts'
import { nouns } from './nouns.ts'

export function readWords(words: readonly string[]): Promise<CommandLine> {
  return readCommandLine(withGlobalOptions(nouns), words)
}

/** The text that is asked for, or the verb to run. Throws exit 2 for a mistake. */
export async function answer(host: Host, line: CommandLine): Promise<Answer | Call> {
  if (line.asksVersion) return { kind: 'text', text: `${version}\n`, to: 'stdout' }
  if (!line.asksHelp) {
    if (isUnknownAlone(line)) throw (await import('./usage.ts')).unknownOption(line)
    const call = await (await import('./call.ts')).callOf(line)
    if (call !== undefined) return call
    // A noun alone: its help, but as a mistake. Help is no JSON: with JSON it is an error document.
    if (errorFormatOf(host, line) === 'json')
      throw (await import('./usage.ts')).missingCommand(line)
  }
  return helpFor(host, line, line.asksHelp ? 'stdout' : 'stderr')
}

/** Whether an unknown option is the first mistake for certain, without the parser, which takes long to load: no other option was typed. */
function isUnknownAlone({ command, unknown, options, problem, awaiting }: CommandLine): boolean {
  const isAlone = problem === undefined && awaiting === undefined && options.length === 0
  return unknown !== undefined && isAlone && command.command !== undefined
}
