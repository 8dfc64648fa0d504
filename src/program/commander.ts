/** commander's tree, of the command that a line names and of nothing else. */
import {
  Argument,
  Command as Parser,
  Option as ParserOption,
  type CommandUnknownOpts,
} from '@commander-js/extra-typings'
import type { Run } from '../cli/verb.ts'
import type { Command } from '../cli/command.ts'
import { globalOptions } from '../cli/global-options.ts'
import type { Option, Options } from '../cli/option.ts'
import { bracketed, flagsOf, treeOption, type Tree } from './tree.ts'

/** A parser of the words behind `svc` for the command at the end of `path`, from the program down to it; `run` turns its action into what is called. */
export function parserFor([root, ...path]: readonly [Tree, ...Tree[]], run: Run): CommandUnknownOpts {
  const program = new Parser('svc').exitOverride().helpCommand(false).helpOption(false).showSuggestionAfterError(false)
  program.configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
  addOptions(program, globalOptions)
  let parent: CommandUnknownOpts = program
  for (const { name, command } of path) {
    parent = parent.command(name)
    if (command !== undefined) addVerb(parent, command, run)
  }
  // Whose words are wrong is found by the names that would be right.
  for (const { name } of (path.at(-1) ?? root).commands) parent.command(name)
  return program
}

function addVerb(parser: CommandUnknownOpts, command: Command, run: Run): void {
  for (const argument of command.arguments ?? []) {
    const made = new Argument(bracketed(argument))
    parser.addArgument(argument.parse === undefined ? made : made.argParser(argument.parse))
  }
  addOptions(parser, command.options ?? {})
  const attached = command.attach(run)
  parser.action((...args: unknown[]) => attached.call(...args))
}

function addOptions(parser: CommandUnknownOpts, options: Options): void {
  for (const [key, option] of Object.entries(options)) parser.addOption(parserOption(key, option))
}

function parserOption(key: string, option: Option): ParserOption {
  const { parse, isRepeatable, isCounted, isRequired = false, conflicts = [] } = option
  const made = new ParserOption(flagsOf(treeOption(key, option)), '')
    .makeOptionMandatory(isRequired)
    .conflicts([...conflicts])
  if (isCounted === true) return made.argParser((_, before: number | undefined) => (before ?? 0) + 1)
  if (isRepeatable === true) return made.default([]).argParser((value, before: string[]) => [...before, value])
  return parse === undefined ? made : made.argParser(parse)
}
