/**
 * Reads a command line with commander, whose tree has the nouns and verbs of the table of commands. The options of the program
 * are at its root. A verb is loaded, and gets its options and arguments, when the line names it. The help is commander's own.
 */
import {
  Argument as ParserArgument,
  Command as Parser,
  CommanderError,
  Option as ParserOption,
} from 'commander'
import {
  globalOptions,
  type Argument,
  type CommandRow,
  type CommandTable,
  type Verb,
} from '../cli/verb.ts'
import { SvcError, usageError } from '../errors.ts'
import { type Host, version } from '../host.ts'
import {
  advanced,
  defineOptions,
  flagsOf,
  longFlag,
  optionText,
  readValue,
  type Option,
  type TypedLine,
} from '../options.ts'
import { capitalize } from '../words.ts'
import { hasColors } from '../world.ts'
import {
  mistakeError,
  refuseDashedValues,
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
}

/** A text that needs nothing to be run. On stderr, the exit code is 2. */
export interface TextAnswer {
  kind: 'text'
  text: string
  to: 'stdout' | 'stderr'
}

/** What commander has read of a line so far. */
interface Reading {
  line: TypedLine
  /** The parser of svc itself. */
  root: Parser
  /** The parser of the command that the line names. */
  named: Parser
  /** Undefined until the line names a verb. */
  verb?: Verb | undefined
  call?: Call
  /** What commander has printed: a help or the version. */
  printed: string
}

/** The options of every command. */
export const commonOptions = {
  ...globalOptions,
  ...defineOptions({ help: { short: 'h', summary: 'print the help of a command' } }),
}

/** Returns the verb of a line with its values, or the help or version that it asks for. Fills `line`. Throws a usage error. */
export async function parse(
  host: Host,
  table: CommandTable,
  line: TypedLine,
): Promise<Call | TextAnswer> {
  refuseOtherEncodings(line, host)
  refuseTypography(line)
  const reading = newReading(host, table, line)
  const { root } = reading
  let code: string | undefined
  try {
    await root.parseAsync([...line.words], { from: 'user' })
  } catch (error) {
    if (error instanceof SvcError) throw withHelp(line.path, error)
    if (!(error instanceof CommanderError)) throw error
    code = error.code
    const isPrinted = code === 'commander.help' || code === 'commander.version'
    // Beside --help a command may be unfinished, but no word may be unknown.
    const isUnfinished = asksHelp(root) && !code.startsWith('commander.unknown')
    if (!isPrinted && !isUnfinished) throw mistakeError(line, table, error)
  }
  if (code !== 'commander.version' && (asksHelp(root) || line.words.length === 0)) {
    reading.printed = ''
    reading.named.outputHelp()
    return { kind: 'text', text: reading.printed, to: 'stdout' }
  }
  if (reading.call !== undefined) return reading.call
  // Without a verb, commander has printed the help of the noun as an error.
  const to = code === 'commander.version' ? 'stdout' : 'stderr'
  return { kind: 'text', text: reading.printed, to }
}

function asksHelp(root: Parser) {
  return root.getOptionValue('help') === true
}

/** commander's tree for a line. Parsing the words of the line with its root fills the reading. */
export function newReading(
  host: Host,
  { nouns, verbs }: CommandTable,
  line: TypedLine,
): Reading {
  const root = newRoot(host, (text) => (reading.printed += text))
  const reading: Reading = { line, root, named: root, printed: '' }
  line.values = root.opts()
  const prepare = async (_above: Parser, named: Parser) => {
    reading.named = named
    line.path = `${line.path} ${named.name()}`.trim()
    reading.verb = (await verbs[line.path]?.load())?.verb
    if (reading.verb !== undefined) addVerb(reading, reading.verb)
  }
  root.hook('preSubcommand', prepare)
  const parsers = new Map([['', root]])
  for (const [path, row] of Object.entries<CommandRow>({ ...nouns, ...verbs })) {
    const above = path.split(' ')
    const name = above.pop() ?? ''
    const parser = (parsers.get(above.join(' ')) ?? root).command(name)
    parser.summary(row.summary)
    if (row.alias !== undefined) parser.alias(row.alias)
    parsers.set(path, parser)
    const noun = nouns[path]
    if (noun === undefined) continue
    parser.helpCommand(false).hook('preSubcommand', prepare)
    describe(parser, { ...noun, usage: '<command> [options]' })
  }
  return reading
}

/** The maximum width, because wider lines are not easier to read. */
export const pageWidth = 80

/** The topics of `svc help <topic>`, in the order in which they are listed. */
export const topicNames = [
  'id-files',
  'bulk',
  'spreadsheets',
  'configuration',
  'scripting',
  'exit-codes',
] as const

/** The parser of svc itself, whose commands inherit how it prints. */
function newRoot(host: Host, write: (text: string) => void): Parser {
  const columns = Math.min(pageWidth, host.columns() ?? pageWidth)
  const root = new Parser('svc')
    .exitOverride()
    .helpCommand(false)
    .helpOption(false)
    .configureHelp({
      minWidthToWrap: 10,
      optionDescription: ({ description }) => description,
      // Bold. commander removes it if colors are off.
      styleTitle: (title) => `\u001b[1m${title}\u001b[0m`,
    })
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
  for (const [key, option] of Object.entries(commonOptions))
    root.addOption(parserOption(key, option))
  // Beside --help, it shows the advanced options.
  root.addOption(new ParserOption('--all').hideHelp())
  return root.version(version, '-V, --version', 'print the version')
}

/** Adds everything about a verb to its parser. When commander has read the whole line, the reading gets the call. */
function addVerb(reading: Reading, verb: Verb) {
  const { line, root, named } = reading
  const { options = {}, examples = [], ...texts } = verb
  line.options = options
  const isHelp = asksHelp(root)
  const showsAdvanced = root.getOptionValue('all') === true
  for (const argument of verb.arguments ?? []) named.addArgument(parserArgument(argument))
  let isHiding = false
  for (const [key, option] of Object.entries(options)) {
    const isHidden = option.group === advanced && !showsAdvanced
    isHiding ||= isHidden
    const made = parserOption(key, option)
    named.addOption(
      made.makeOptionMandatory(option.isRequired === true && !isHelp).hideHelp(isHidden),
    )
  }
  const more = isHiding ? `All options: svc ${line.path} --help --all` : undefined
  describe(named, { ...texts, examples, more })
  if (!isHelp) refuseDashedValues(line, [...root.options, ...named.options])
  named.action(() => {
    line.values = named.optsWithGlobals()
    if (showsAdvanced && !isHelp && options['all'] === undefined)
      throw usageError('--all is only for --help')
    reading.call = { kind: 'call', verb, line, arguments: named.processedArgs }
  })
}

interface Description extends Pick<Verb, 'description' | 'usage' | 'notes'> {
  examples: readonly string[]
  /** A last line about more help. */
  more?: string | undefined
}

/** Describes a command. Usage and sentences come before the options, and notes and examples after them. */
function describe(
  parser: Parser,
  { description, usage, notes, examples, more }: Description,
) {
  const sentences = description ?? `${capitalize(parser.summary())}.`
  parser.description(sentences.replaceAll(/\s+/g, ' ').trim())
  if (usage !== undefined) parser.usage(usage)
  const isRoot = parser.parent === null
  const blocks = [
    isRoot
      ? 'You can put options anywhere after svc.'
      : 'Options of every command: svc --help',
    notes,
    ['Examples:', ...examples].join('\n  '),
    isRoot ? `Topics (svc help <topic>):\n  ${topicNames.join(', ')}` : more,
  ]
  const present = blocks.filter((block) => block !== undefined)
  parser.addHelpText('after', `\n${present.join('\n\n')}`)
}

function parserArgument(argument: Argument): ParserArgument {
  const { name, summary, isRequired, isVariadic } = argument
  const text = isVariadic === true ? `${name}...` : name
  const made = new ParserArgument(isRequired === true ? `<${text}>` : `[${text}]`, summary)
  return isVariadic === true
    ? made
    : made.argParser((typed) => readValue(argument, typed, `<${name}>`))
}

function parserOption(key: string, option: Option): ParserOption {
  const { short, value, isRepeatable, conflicts = [], group = 'Options:' } = option
  const name = short === undefined ? longFlag(key, option) : `-${short}`
  const made = new ParserOption(flagsOf(key, option), optionText(option))
    .conflicts([...conflicts])
    .helpGroup(group)
  if (isRepeatable === true) {
    made.default([])
    made.argParser((text, all: unknown[]) => [...all, readValue(option, text, name)])
  } else if (value !== undefined) made.argParser((text) => readValue(option, text, name))
  return made
}
