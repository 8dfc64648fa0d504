/**
 * Mistakes of a command line in words that help: what was probably meant, and which help to read. `answers.ts` and `call.ts` throw them,
 * and `invoke.ts` adds help to those that a verb throws.
 */
import { join, say, svcAsItIs, type Message, type ShownCommand } from '../message.ts'
import { closest } from '../words.ts'
import { SvcError, usageError } from '../errors.ts'
import type { CommandLine } from './command-line.ts'
import { findCommand, findOption, flagsOf, optionsOf, type Tree, type TreeOption } from './tree.ts'

/** A usage error with the help to read where it has no hint of its own; any other error as it is. */
export function withHelp({ command }: CommandLine, error: unknown): unknown {
  if (!(error instanceof SvcError) || error.category !== 'usage') return error
  return error.withHint(error.details.hint ?? seeHelp(command))
}

export function missingCommand({ command }: CommandLine): SvcError {
  return usageError(`a command of "${command.path}" is missing`, seeHelp(command))
}

/** An option that lacks its value, or that is not there at all. */
export function missingValue(
  { command }: CommandLine,
  option?: TreeOption,
  lack = 'needs a value',
): SvcError {
  const name = option === undefined ? 'an option' : flagsOf(option)
  return usageError(`${name} ${lack}`, seeHelp(command))
}

export function missingArgument({ command, operands }: CommandLine): SvcError {
  const name = command.arguments[operands.length]?.name ?? ''
  return usageError(`the argument <${name}> is missing`, seeHelp(command))
}

export function mistake({ command }: CommandLine, message: string): SvcError {
  return usageError(message, seeHelp(command))
}

/** A noun, or svc itself, was followed by a word that is none of its commands. */
export function unknownCommand({ command, operands }: CommandLine): SvcError {
  const word = operands[0]?.word ?? ''
  const meant = meantCommand(command, word)
  const advice = hint(meant, seeHelp(command), verbsOf(command))
  return usageError(`unknown command "${word}"`, advice)
}

export function unknownOption({ commands, command, unknown = '' }: CommandLine): SvcError {
  const meant = meantOption(commands, unknown)
  return usageError(`unknown option "${unknown}"`, hint(meant, seeHelp(command)))
}

export function excessArgument({ command, operands }: CommandLine): SvcError {
  const word = operands.at(-1)?.word ?? ''
  const file = findOption([command], '--file')
  const hint = file === undefined ? '' : 'files go with --file\n'
  return usageError(
    `too many arguments for ${command.path}: "${word}"`,
    say`${hint}${seeHelp(command)}`,
  )
}

export function seeHelp({ path }: Tree): Message {
  return say`see: ${commandNamed(path, '--help')}`
}

/** A command by its path (`svc lists list`), which is the same everywhere. */
function commandNamed(path: string, ...more: readonly string[]): ShownCommand {
  const [, ...words] = path.split(' ')
  return svcAsItIs([...words, ...more].join(' '))
}

/** Verbs of a noun, and whether that is all that the service can do with it. */
function verbsOf({ name, path, commands }: Tree): Message {
  if (name === path) return ''
  const isOfService = ['lists', 'contacts', 'tickets', 'employees'].includes(name)
  const limit = isOfService ? '; the service allows nothing else' : ''
  const verbs = commands.map(({ name }) => name).join(', ')
  return say`${path} has: ${verbs}${limit}`
}

function hint(meant: Message | undefined, see: Message, otherwise: Message = ''): Message {
  const first = meant === undefined ? otherwise : say`did you mean ${meant}?`
  return join([first, see], '\n')
}

/** The option that was probably misspelled. */
function meantOption(commands: readonly Tree[], typed: string): string | undefined {
  if (!typed.startsWith('--')) return undefined
  const names = optionsOf(commands).map(({ long }) => long.slice(2))
  names.push('help')
  if (commands.length === 1) names.push('version')
  const near = closest(typed.slice(2).replace(/=.*$/s, ''), names)
  return near && `--${near}`
}

/** The command that was probably misspelled. */
export function meantCommand({ commands }: Tree, word: string): Message | undefined {
  const names = commands.map(({ name }) => name)
  const near = closest(word, names)
  const found = near === undefined ? undefined : findCommand({ commands }, near)
  return found && [commandNamed(found.path)]
}
