/**
 * Reads command lines with commander's tree, made of the nouns and verbs. The parser of svc or of a noun lists the commands below it.
 * The parser of a verb has the options and arguments of the verb, which is loaded when a line names it.
 */
import { stripVTControlCharacters } from 'node:util'
import {
  Argument as ParserArgument,
  Command as Parser,
  CommanderError,
  Option as ParserOption,
} from 'commander'
import {
  flagsOf,
  longFlag,
  optionText,
  readValue,
  type Option,
  type TypedLine,
} from '../cli/options.ts'
import { globalOptions, topicNames, type Argument, type Verb } from '../cli/verb.ts'
import { exitCodes, SvcError, usageError } from '../errors.ts'
import { type Host, version, hasColors } from '../host.ts'
import { capitalize, paint } from '../words.ts'
import { loadVerb, nouns, verbs } from './commands.ts'
import { mistakeError, withHelp } from './mistakes.ts'

/** The values of options by their keys, those of the program included. */
type Values = Readonly<Record<string, unknown>>

/** A verb with the values of its words. */
export interface Call {
  kind: 'call'
  verb: Verb
  line: TypedLine
  arguments: readonly unknown[]
  values: Values
}

/** A text to print instead of letting a verb act: a help or the version. */
export interface TextAnswer {
  kind: 'text'
  text: string
  to: 'stdout' | 'stderr'
  exitCode: number
}

/** A line that is wrong, and the values that were read before the mistake. */
interface RefusedLine {
  kind: 'refused'
  error: SvcError
  values: Values
}

/** A line as far as commander has read it. */
export interface LineReading {
  words: readonly string[]
  /** The words of the command, as far as it is known: `lists add-contacts`. */
  path: string
  /** The parser of svc itself. */
  root: Parser
  /** The parser of the command that the line names. */
  named: Parser
  /** Undefined until the line names a verb. */
  verb?: Verb | undefined
  /** Undefined until commander has read the whole line. */
  call?: Call
  /** The text that commander has printed. */
  printed: string
}

/** Reads the words of a line after `svc`. */
export async function parse(
  host: Host,
  words: readonly string[],
): Promise<Call | TextAnswer | RefusedLine> {
  const reading = newReading(host, words)
  const { root } = reading
  const refuse = (error: SvcError): RefusedLine => ({
    kind: 'refused',
    error,
    values: root.opts(),
  })
  const answer = (text: string): TextAnswer => ({
    kind: 'text',
    text,
    to: 'stdout',
    exitCode: exitCodes.done,
  })
  let refusal: CommanderError | undefined
  try {
    await root.parseAsync([...words], { from: 'user' })
  } catch (error) {
    if (error instanceof SvcError) return refuse(withHelp(reading.path, error))
    if (!(error instanceof CommanderError)) throw error
    refusal = error
  }
  const code = refusal?.code ?? ''
  if (code === 'commander.version') return answer(reading.printed)
  // With --help, missing words are no mistake, but unknown ones are.
  const asksForHelp = asksHelp(root) || words.length === 0
  if (asksForHelp && !code.startsWith('commander.unknown')) {
    // commander may have printed some of it already.
    reading.printed = ''
    reading.named.outputHelp()
    return answer(reading.printed)
  }
  if (reading.call !== undefined) return reading.call
  // A noun without a verb: its help is the answer, but nothing was done.
  if (code === 'commander.help')
    return { ...answer(reading.printed), to: 'stderr', exitCode: exitCodes.usage }
  if (refusal === undefined) throw new TypeError('commander read the line without a result')
  return refuse(mistakeError(reading, refusal))
}

/** Returns the help of a command, without styles: an output of a verb cannot have escape sequences. Throws a usage error. */
export async function helpOf(host: Host, words: readonly string[]): Promise<string> {
  const parsed = await parse(host, [...words, '--help'])
  if (parsed.kind === 'refused') throw parsed.error
  if (parsed.kind === 'call') throw new TypeError('--help called a verb')
  return stripVTControlCharacters(parsed.text)
}

/** Makes a reading of a line. Parsing its words with `root` fills in the rest. */
export function newReading(host: Host, words: readonly string[]): LineReading {
  const root = newRoot(host, (text) => (reading.printed += text))
  const reading: LineReading = { words, path: '', root, named: root, printed: '' }
  addCommands(reading)
  return reading
}

/** Whether the line asks for help, as far as its options were read. */
function asksHelp(root: Parser) {
  return root.getOptionValue('help') === true
}

/** Adds the commands below the named one. What is in one of them is added once the line names it. */
function addCommands(reading: LineReading) {
  const { path: above, named } = reading
  const start = above === '' ? '' : `${above} `
  for (const path of [...Object.keys(nouns), ...Object.keys(verbs)]) {
    const name = path.slice(start.length)
    if (path.startsWith(start) && /^[^ ]+$/.test(name))
      named.command(name).summary(nouns[path]?.summary ?? verbs[path] ?? '')
  }
  named.helpCommand(false).hook('preSubcommand', async (_above, below) => {
    reading.named = below
    reading.path = start + below.name()
    const noun = nouns[reading.path]
    if (noun !== undefined) {
      describe(below, { ...noun, usage: '<command> [options]' })
      addCommands(reading)
    }
    if (verbs[reading.path] !== undefined) addVerb(reading, await loadVerb(reading.path))
  })
}

/** The maximum width, because wider lines are not easier to read. */
const pageWidth = 80

/** The parser of svc itself. The parsers of commands print as it does. */
function newRoot(host: Host, write: (text: string) => void): Parser {
  const columns = Math.min(pageWidth, host.columns() ?? pageWidth)
  const root = new Parser('svc')
    .exitOverride()
    .helpOption(false)
    .configureHelp({
      minWidthToWrap: 10,
      optionDescription: ({ description }) => description,
      // Bold. commander removes it if colors are off.
      styleTitle: (title) => paint(title, 'bold'),
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
    notes: `Topics (svc help <topic>):\n  ${topicNames.join(', ')}`,
  })
  for (const [key, option] of Object.entries(globalOptions))
    root.addOption(parserOption(key, option))
  return root.version(version, '-V, --version', 'print the version')
}

/** Adds everything about a verb to its parser. When commander has read the whole line, the reading gets the call. */
function addVerb(reading: LineReading, verb: Verb) {
  reading.verb = verb
  const { words, path, root, named } = reading
  const { options = {} } = verb
  // `--help` may stand after the verb. commander has looked for options of the root on the whole line before it came here.
  const isHelp = asksHelp(root)
  for (const argument of verb.arguments ?? []) named.addArgument(parserArgument(argument))
  for (const [key, option] of Object.entries<Option>(options))
    named.addOption(parserOption(key, option))
  describe(named, verb)
  named.action(() => {
    const values: Values = named.optsWithGlobals()
    // Not by commander, which would name it before an option that does not exist.
    for (const [key, option] of Object.entries<Option>(options))
      if (option.isRequired === true && values[key] === undefined && !isHelp)
        throw usageError(`${flagsOf(key, option)} is missing`)
    const line = { words, path }
    reading.call = { kind: 'call', verb, line, arguments: named.processedArgs, values }
  })
}

/** Describes a command. Usage and description come before the options, and the rest after them. */
function describe(
  parser: Parser,
  {
    description,
    usage,
    notes,
    examples = [],
  }: Pick<Verb, 'description' | 'usage' | 'notes' | 'examples'>,
) {
  parser.description(description ?? `${capitalize(parser.summary())}.`)
  if (usage !== undefined) parser.usage(usage)
  const isRoot = parser.parent === null
  const blocks = [
    isRoot
      ? 'You can put options anywhere after svc.'
      : 'Options of every command: svc --help',
    notes,
    ['Examples:', ...examples].join('\n  '),
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
  const { short, value, isRepeatable, isSingle, conflicts = [] } = option
  const nameInErrors = short === undefined ? longFlag(key) : `-${short}`
  const read = (text: string) => readValue(option, text, nameInErrors)
  const made = new ParserOption(flagsOf(key, option), optionText(option))
  made.conflicts([...conflicts])
  if (isRepeatable === true)
    return made.default([]).argParser((text, all: unknown[]) => [...all, read(text)])
  if (value === undefined) return made
  return made.argParser((text, previous) => {
    if (isSingle === true && previous !== undefined)
      throw usageError(`${nameInErrors} can be given only once`)
    return read(text)
  })
}
