/**
 * From a command line to what its verb is called with: commander reads the words, of the command that they name and of nothing else.
 * `answers.ts` reads the line by it, and `invoke.ts` runs what it returns.
 */
import {
  Argument,
  Command as Parser,
  CommanderError,
  Option as ParserOption,
} from '@commander-js/extra-typings'
import type { Command } from '../cli/command.ts'
import type { CommandLine } from './command-line.ts'
import { bracket, flagsOf, type Tree, type TreeOption } from './tree.ts'
import * as usage from './usage.ts'

type Values = Readonly<Record<string, unknown>>

/** A verb with the values of its words. */
export interface Call {
  readonly kind: 'call'
  readonly line: CommandLine
  readonly command: Command
  readonly arguments: readonly unknown[]
  /** Its options, by key. */
  readonly options: Values
  /** The same with those that every command takes. */
  readonly allOptions: Values
}

/** Undefined for a noun, or svc itself, without a command behind it. Throws exit 2 for the first mistake, in words that help. */
export async function callOf(line: CommandLine): Promise<Call | undefined> {
  if (line.problem !== undefined) throw usage.withHelp(line, line.problem)
  const { command: tree } = line
  const { command } = tree
  const parser = new Parser(tree.name)
    .exitOverride()
    .helpOption(false)
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
  for (const each of line.commands) addOptions(parser, each, line)
  if (command === undefined) parser.allowExcessArguments()
  else addArguments(parser, tree)
  try {
    parser.parse(wordsOf(line), { from: 'user' })
  } catch (error) {
    const isOfLine = error instanceof CommanderError
    throw isOfLine ? problemOf(line, error) : usage.withHelp(line, error)
  }
  if (command !== undefined) {
    const allOptions: Values = parser.opts()
    const own = tree.options.filter(({ key }) => Object.hasOwn(allOptions, key))
    const options = Object.fromEntries(own.map(({ key }) => [key, allOptions[key]]))
    return {
      kind: 'call',
      line,
      command,
      arguments: parser.processedArgs,
      options,
      allOptions,
    }
  }
  if (line.operands.length > 0) throw usage.unknownCommand(line)
  if (line.unknown !== undefined) throw usage.unknownOption(line)
  return undefined
}

/** The words of the verb alone, each option in one word with its value, so that no word is read in two ways. */
function wordsOf({ command, options, operands, awaiting, unknown }: CommandLine): string[] {
  const words = options.map(({ option: { long }, value }) =>
    value === true ? long : `${long}=${value}`,
  )
  if (awaiting !== undefined) return [...words, awaiting.long]
  const mistake = unknown === undefined || command.command === undefined ? [] : [unknown]
  return [...words, ...mistake, '--', ...operands.map(({ word }) => word)]
}

function addArguments(parser: Parser, tree: Tree): void {
  for (const argument of tree.arguments) {
    const made = new Argument(bracket(argument))
    const { parse } = argument
    parser.addArgument(parse === undefined ? made : made.argParser((text) => parse(text)))
  }
}

/** Declares the options that were typed, and those that have a value or a mistake without it: each takes commander a while. */
function addOptions(parser: Parser, { options }: Tree, { given, awaiting }: CommandLine): void {
  for (const option of options) {
    const { key, isRequired, isRepeatable, isNegated } = option
    const isTyped = given.has(key) || awaiting?.key === key
    const countsUntyped = isRequired || isRepeatable || isNegated
    if (isTyped || countsUntyped) parser.addOption(parserOption(option))
  }
}

function parserOption(option: TreeOption): ParserOption {
  const { value, parse, isRepeatable, isCounted, isRequired = false, conflicts = [] } = option
  const made = new ParserOption(flagsOf(option), '')
    .makeOptionMandatory(isRequired)
    .conflicts([...conflicts])
  if (isCounted === true)
    return made.argParser((_, before: number | undefined) => (before ?? 0) + 1)
  if (isRepeatable === true)
    return made.default([]).argParser((text, before: readonly string[]) => [...before, text])
  return value === undefined || parse === undefined ? made : made.argParser((text) => parse(text))
}

/** A mistake is known by commander's code, and what it is about from our reading of the line. */
function problemOf(line: CommandLine, { code, message }: CommanderError): Error {
  const missing = line.command.options.find(
    ({ isRequired, key }) => isRequired === true && !line.given.has(key),
  )
  switch (code) {
    case 'commander.unknownOption':
      return usage.unknownOption(line)
    case 'commander.missingArgument':
      return usage.missingArgument(line)
    case 'commander.optionMissingArgument':
      return usage.missingValue(line, line.awaiting)
    case 'commander.missingMandatoryOptionValue':
      return line.unknown === undefined
        ? usage.missingValue(line, missing, 'is required')
        : usage.unknownOption(line)
    case 'commander.excessArguments':
      return usage.excessArgument(line)
    default:
      return usage.mistake(line, message.replace(/^error: /, ''))
  }
}
