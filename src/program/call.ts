/** From a command line to what its verb is called with: commander reads the words, of the command that they name and of nothing else. */
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
  const program = new Parser('svc')
    .exitOverride()
    .helpCommand(false)
    .helpOption(false)
    .showSuggestionAfterError(false)
  program.configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
  addOptions(program, line.commands[0], line)
  let call: Call | undefined
  let parser = program
  for (const tree of line.commands.slice(1)) {
    parser = parser.command(tree.name)
    const { command } = tree
    if (command === undefined) continue
    addVerb(parser, tree, line)
    parser.action((...words: unknown[]) => {
      const made = words.at(-1) as Parser
      call = {
        line,
        command,
        arguments: words.slice(0, -2),
        options: made.opts(),
        allOptions: made.optsWithGlobals(),
      }
    })
  }
  // The names that would be right tell which word is wrong.
  for (const { name } of line.command.commands) parser.command(name)
  try {
    program.parse(line.parserWords, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.code === 'commander.help') return undefined
    throw error instanceof CommanderError
      ? await problemOf(line, error)
      : usage.withHelp(line, error)
  }
  return call
}

function addVerb(parser: Parser, tree: Tree, line: CommandLine): void {
  for (const argument of tree.arguments) {
    const made = new Argument(bracket(argument))
    const { parse } = argument
    parser.addArgument(parse === undefined ? made : made.argParser((text) => parse(text)))
  }
  addOptions(parser, tree, line)
}

/** Declares the options that were typed, and those that have a value or a mistake without it: each takes commander a while. */
function addOptions(parser: Parser, { options }: Tree, { given, awaiting }: CommandLine): void {
  for (const option of options) {
    const { key, isRequired, isRepeatable, isNegated } = option
    if (given.has(key) || awaiting?.key === key || isRequired || isRepeatable || isNegated)
      parser.addOption(parserOption(option))
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
async function problemOf(line: CommandLine, { code, message }: CommanderError): Promise<Error> {
  const missing = line.command.options.find(
    ({ isRequired, key }) => isRequired === true && !line.given.has(key),
  )
  switch (code) {
    case 'commander.unknownCommand':
      return usage.unknownCommand(line)
    case 'commander.unknownOption':
      return usage.unknownOption(line)
    case 'commander.missingArgument':
      return usage.missingArgument(line)
    case 'commander.optionMissingArgument':
      return usage.missingValue(line, line.awaiting)
    case 'commander.missingMandatoryOptionValue':
      return usage.missingValue(line, missing, 'is required')
    case 'commander.excessArguments':
      return usage.excessArgument(line)
    default:
      return usage.mistake(line, message.replace(/^error: /, ''))
  }
}
