/**
 * Answers to the completion scripts of the shells, `svc __complete -- words...`: the candidates for the last word of a command line.
 * Reads the configuration file at most; sends and runs nothing.
 */
import type { Host } from '../../host.ts'
import { readCommandLine, type CommandLine } from '../command-line.ts'
import { findOption, optionsOf, summariesOf, type Tree, type TreeOption } from '../tree.ts'
import type { Candidate, Values } from './values.ts'

/** More are not offered before a letter is typed, where that is asked for. */
const mostBrief = 20

/** `value<TAB>description` lines, or the line `:files`. With `isBrief` a line `:note<TAB>text` says that there are more. */
export async function complete(program: Tree, words: readonly string[], host: Host, isBrief = false): Promise<string> {
  const line = await readCommandLine(program, words.slice(0, -1))
  const word = words.at(-1) ?? ''
  const values = await candidates(line, word, host)
  if (values === 'files') return ':files\n'
  const isCut = isBrief && word === '' && values.length > mostBrief && line.awaiting?.long !== '--fields'
  const note = `:note\tthe newest ${mostBrief} of ${values.length}; type a letter for the others\n`
  return (
    (isCut ? note : '') +
    values
      .slice(0, isCut ? mostBrief : Infinity)
      // The Unicode classes cost a millisecond to compile, and an ordinary value does not need them.
      .filter(([value]) => /^[\x20-\x7e]*$/.test(value) || !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value))
      .map(([value, description]) => `${value}\t${description.replaceAll(/\s+/g, ' ')}\n`)
      .join('')
  )
}

async function candidates(line: CommandLine, word: string, host: Host): Promise<Values> {
  const { commands, command, awaiting, operands, afterDashes } = line
  if (awaiting !== undefined) return optionValues(line, awaiting, word, host)
  if (!afterDashes && word.startsWith('-') && word !== '-') {
    const equals = word.startsWith('--') ? word.indexOf('=') : -1
    if (equals < 0) return optionNames(commands)
    const flag = word.slice(0, equals)
    const option = findOption(commands, flag)
    if (option?.value === undefined) return []
    const values = await optionValues(line, option, word.slice(equals + 1), host)
    return values === 'files' ? values : values.map(([value, description]) => [`${flag}=${value}`, description])
  }
  if (command.commands.length === 0) return argumentValues(line, word, host)
  if (operands.length > 0 || afterDashes) return []
  return summariesOf(command)
}

function optionNames(commands: readonly Tree[]): Candidate[] {
  return [
    ...optionsOf(commands).map(({ long, text }): Candidate => [long, text]),
    ['--help', 'print the help of a command'],
    ...(commands.length === 1 ? [['--version', 'print the version'] as const] : []),
  ]
}

async function optionValues(
  line: CommandLine,
  { long, value = '', choices, suggestions }: TreeOption,
  word: string,
  host: Host,
) {
  const { valuesOf } = await import('./values.ts')
  return valuesOf({ line, what: long, placeholder: value, known: choices ?? suggestions, word, host })
}

async function argumentValues(line: CommandLine, word: string, host: Host): Promise<Values> {
  const { command, operands } = line
  const argument = command.arguments[operands.length] ?? command.arguments.findLast(({ isVariadic }) => isVariadic)
  if (argument === undefined) return []
  const what = `${command.path} ${argument.name}`
  const { valuesOf } = await import('./values.ts')
  return valuesOf({ line, what, placeholder: argument.name, known: argument.choices, word, host })
}
