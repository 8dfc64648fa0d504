/** Answers that need neither a configuration nor a service: the words for a mistake, and help beside other options. */
import type { Host } from '../host.ts'
import { version } from '../version.ts'
import { errorFormatOf } from './before-parsing.ts'
import type { Call } from './call.ts'
import { readCommandLine, type CommandLine } from './command-line.ts'
import { withGlobalOptions } from './global-options.ts'
import { helpFor, type Answer } from './help/answer.ts'
import { nouns } from './nouns.ts'

/** The text that is asked for, or the verb to run. Throws exit 2 for a mistake. */
export async function answer(host: Host): Promise<Answer | Call> {
  const line = await readCommandLine(withGlobalOptions(nouns), host.argv)
  if (line.asksVersion) return { text: `${version}\n`, to: 'stdout' }
  if (!line.asksHelp) {
    if (isUnknownFirst(line)) throw (await import('./usage.ts')).unknownOption(line)
    const call = await (await import('./call.ts')).callOf(line)
    if (call !== undefined) return call
    // A noun alone: its help, but as a mistake. Help is no JSON: with JSON it is an error document.
    if (errorFormatOf(host) === 'json') throw (await import('./usage.ts')).missingCommand(line)
  }
  return helpFor(host, line, line.asksHelp ? 'stdout' : 'stderr')
}

/** Whether an unknown option is the first mistake for certain, without the parser, which takes long to load: nothing else was typed. */
function isUnknownFirst({ command, unknown, given, problem, awaiting }: CommandLine): boolean {
  if (unknown === undefined || problem !== undefined || awaiting !== undefined || given.size > 0)
    return false
  return (
    command.command !== undefined && !command.options.some(({ isRequired }) => isRequired === true)
  )
}
