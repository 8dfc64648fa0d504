/**
 * Reads a command line with commander. svc finds the command that the words name, builds commander's tree for it from the
 * table of commands, and lets commander read the line. The help is commander's own.
 */
import {
  Argument as ParserArgument,
  Command as Parser,
  CommanderError,
  Option as ParserOption,
} from 'commander'
import type { Argument, CommandTable, Verb } from '../cli/verb.ts'
import { SvcError, usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import {
  advanced,
  flagsOf,
  longFlag,
  optionText,
  readValue,
  type Options,
  type TypedLine,
} from '../options.ts'
import { version } from '../version.ts'
import { quote, shellWord } from '../words.ts'
import { hasColors } from '../world.ts'
import { describe, pageLayout, pageWidth } from './help-page.ts'
import {
  commandsBelow,
  commonOptions,
  findCommand,
  isKnownOption,
  wordsBeforeDashes,
  type LineBeingRead,
  type NamedCommand,
  type NamedOption,
} from './line.ts'
import {
  mistakeError,
  refuseOtherEncodings,
  refuseTypography,
  withHelp,
} from './mistakes.ts'

/** A verb with the values of its words. */
export interface Call {
  kind: 'call'
  verb: Verb
  line: TypedLine
  arguments: readonly unknown[]
  /** The values of the options of the verb and of the program, by key. */
  options: Record<string, unknown>
}

/** A text that needs nothing to be run. On stderr, the exit code is 2. */
export interface TextAnswer {
  kind: 'text'
  text: string
  to: 'stdout' | 'stderr'
}

/** A line, and what is known of it while commander reads it. */
interface Reading {
  table: CommandTable
  line: LineBeingRead
  command: NamedCommand
  /** The help of the command is printed, and nothing is run. */
  asksHelp: boolean
  /** The values of the options, by key. A repeatable option of the verb always has one. */
  values: Record<string, unknown>
  call?: Call
}

/** Returns the verb of a line with its values, or the help or version that it asks for. Fills `line`. Throws a usage error. */
export async function parse(
  host: Host,
  table: CommandTable,
  line: LineBeingRead,
): Promise<Call | TextAnswer> {
  refuseOtherEncodings(line, host)
  const command = await findCommand(table, line.words)
  line.path = command.path
  line.options = command.verb?.options ?? {}
  const asksHelp = wordsBeforeDashes(line.words).some((word) =>
    /^(?:--help|-[qvyh]*h[qvy]*)$/.test(word),
  )
  const reading: Reading = { table, line, command, asksHelp, values: {} }
  let printed = ''
  const root = newRoot(host, reading, (text) => (printed += text))
  const parser = addCommands(root, '', reading)
  const code = readLine(root, reading)
  if (asksHelp || line.words.length === 0) {
    printed = ''
    parser.outputHelp()
    return { kind: 'text', text: printed, to: 'stdout' }
  }
  if (reading.call !== undefined) return reading.call
  // Without a verb, commander has printed the help of the noun as an error.
  const to = code === 'commander.version' ? 'stdout' : 'stderr'
  return { kind: 'text', text: printed, to }
}

/** Lets commander read the line. Returns its code if it has printed the help or the version. Throws a usage error. */
function readLine(root: Parser, reading: Reading): string | undefined {
  const { command, asksHelp, table } = reading
  try {
    if (!asksHelp) refuseTypography(command)
    refuseDashedValues(command)
    root.parse([...command.words], { from: 'user' })
  } catch (error) {
    if (error instanceof SvcError) throw withHelp(command.path, error)
    if (!(error instanceof CommanderError)) throw error
    const { code } = error
    if (code === 'commander.help' || code === 'commander.version') return code
    // Beside --help a command may be unfinished, but no word may be unknown.
    if (asksHelp && !code.startsWith('commander.unknown')) return code
    throw mistakeError(command, table, error)
  }
  return undefined
}

/**
 * Throws a usage error for a word that begins with a dash and would be a value, so that no `--dry-run` is lost as the value
 * of another option.
 */
function refuseDashedValues({ words, options, valueWords }: NamedCommand) {
  for (const [index, [key, option]] of valueWords) {
    const word = words[index] ?? ''
    if (!word.startsWith('-') || word === '-') continue
    const isOption = isKnownOption(options, word)
    if (!isOption && option.takes === 'text') continue
    const long = longFlag(key, option)
    const problem = isOption ? 'is an option' : 'begins with a dash'
    const file =
      option.takes === 'file' ? `; a file of that name is ./${shellWord(word)}` : ''
    throw usageError(
      `${long} needs a value, and ${quote(word)} ${problem}`,
      `to use it as the value, write ${long}=${shellWord(word)}${file}`,
    )
  }
}

/** The parser of svc itself, whose commands inherit how it prints. */
function newRoot(host: Host, reading: Reading, write: (text: string) => void): Parser {
  const columns = Math.min(pageWidth, host.columns() ?? pageWidth)
  const root = new Parser('svc')
    .exitOverride()
    .enablePositionalOptions()
    .helpCommand(false)
    .helpOption(false)
    .configureHelp(pageLayout(reading.line.words.includes('--all')))
    .configureOutput({
      writeOut: write,
      writeErr: write,
      outputError: () => undefined,
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => columns,
      getOutHasColors: () => hasColors(host, host.isTerminal.stdout),
      getErrHasColors: () => hasColors(host, host.isTerminal.stderr),
    })
  describe(root, {
    description:
      'Manage the contacts, lists and tickets of a customer-conversation service.',
    examples: [
      'svc sandbox exec -- svc lists get VIP',
      'svc lists add-contacts VIP --file ids.txt',
    ],
    usage: '<command> [options]',
  })
  addOptions(root, reading, {})
  return root.version(version, '-V, --version', 'print the version')
}

/**
 * Adds the commands below a path, each with its name and summary. The one that the line names gets everything else, and the
 * commands below it. Returns the parser of the command that the line names.
 */
function addCommands(parent: Parser, above: string, reading: Reading): Parser {
  const { table, line, command } = reading
  let named = parent
  for (const { path, name, alias, summary } of commandsBelow(table, above)) {
    const parser = parent.command(name).summary(summary).helpCommand(false)
    if (alias !== undefined) parser.alias(alias)
    const isOnPath = `${line.path} `.startsWith(`${path} `)
    if (!isOnPath) continue
    if (path === line.path && command.verb !== undefined) {
      fillVerb(parser, reading, command.verb)
      named = parser
    } else {
      describe(parser, { ...table.nouns[path], usage: '<command> [options]' })
      addOptions(parser, reading, {})
      named = addCommands(parser, path, reading)
    }
  }
  return named
}

/** Adds everything about a verb. When commander has read the verb, the reading gets the call. */
function fillVerb(parser: Parser, reading: Reading, verb: Verb) {
  const { path, words } = reading.line
  const { description, usage, notes, examples, options = {} } = verb
  const hasAdvanced = Object.values(options).some(({ group }) => group === advanced)
  const isHiding = hasAdvanced && !words.includes('--all')
  const allOptionsCommand = isHiding ? `svc ${path} --help --all` : undefined
  describe(parser, { description, usage, notes, examples, allOptionsCommand })
  for (const argument of verb.arguments ?? []) parser.addArgument(parserArgument(argument))
  addOptions(parser, reading, options)
  for (const [key, { isRepeatable }] of Object.entries(options))
    if (isRepeatable === true) reading.values[key] = []
  parser.action(() => {
    const { line, values } = reading
    const args = parser.processedArgs
    reading.call = { kind: 'call', verb, line, arguments: args, options: values }
  })
}

function parserArgument(argument: Argument): ParserArgument {
  const { name, summary, isRequired, isVariadic } = argument
  const text = isVariadic === true ? `${name}...` : name
  const made = new ParserArgument(isRequired === true ? `<${text}>` : `[${text}]`, summary)
  return isVariadic === true
    ? made
    : made.argParser((typed) => readValue(argument, typed, `<${name}>`))
}

/** Adds the options of a command, and those of every command, which only the help of svc itself shows. */
function addOptions(parser: Parser, reading: Reading, own: Options) {
  const isRoot = parser.parent === null
  for (const named of Object.entries({ ...commonOptions, ...own })) {
    const isShown = isRoot || Object.hasOwn(own, named[0])
    parser.addOption(parserOption(reading, named).hideHelp(!isShown))
  }
  const isAllKnown = reading.asksHelp && !Object.hasOwn(own, 'all')
  if (isAllKnown) parser.addOption(new ParserOption('--all').hideHelp())
}

/** An option of commander, whose value is kept in the reading. */
function parserOption(reading: Reading, [key, option]: NamedOption) {
  const { short, isRequired = false, conflicts = [], group = 'Options:' } = option
  const name = short === undefined ? longFlag(key, option) : `-${short}`
  return new ParserOption(flagsOf(key, option), optionText(option))
    .makeOptionMandatory(isRequired && !reading.asksHelp)
    .conflicts([...conflicts])
    .helpGroup(group)
    .argParser((text: string | undefined) => {
      const { line, values } = reading
      line.given.set(key, text ?? true)
      const value =
        text === undefined ? option.isNegated !== true : readValue(option, text, name)
      values[key] =
        option.isRepeatable === true ? [...(values[key] as unknown[]), value] : value
      return value
    })
}
