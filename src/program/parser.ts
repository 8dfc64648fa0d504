/**
 * The parser of command lines: commander's tree, made of the nouns and verbs. The parser of svc or of a noun lists the commands
 * below it. The parser of a verb has the options and arguments of the verb, which is loaded when a line names it.
 */
import {
  Argument as ParserArgument,
  Command as Parser,
  Option as ParserOption,
} from 'commander'
import {
  defineOptions,
  flagsOf,
  longFlag,
  optionText,
  readValue,
  type Option,
  type TypedLine,
} from '../cli/options.ts'
import { globalOptions, topicNames, type Argument, type Verb } from '../cli/verb.ts'
import { usageError } from '../errors.ts'
import { type Host, version, hasColors } from '../host.ts'
import { capitalize, paint } from '../words.ts'
import { loadVerb, nouns, verbs } from './commands.ts'

/** A verb with the values of its words. */
export interface Call {
  kind: 'call'
  verb: Verb
  line: TypedLine
  arguments: readonly unknown[]
}

/** A line as far as commander has read it. */
export interface LineReading {
  line: TypedLine
  /** The parser of svc itself. */
  root: Parser
  /** The parser of the command that the line names. */
  named: Parser
  /** Undefined until the line names a verb. */
  verb?: Verb | undefined
  /** Undefined until commander has read the whole line. */
  call?: Call
  /** The text that commander has printed: a help or the version. */
  printed: string
}

/** The options of every command. */
export const commonOptions = defineOptions({
  ...globalOptions,
  help: { short: 'h', summary: 'print the help of a command' },
})

/** Makes a reading of a line. Parsing its words with `root` fills in the reading and the line. */
export function newReading(host: Host, line: TypedLine): LineReading {
  const root = newRoot(host, (text) => (reading.printed += text))
  const reading: LineReading = { line, root, named: root, printed: '' }
  // commander's own object, which it fills while it reads. So the values are there even if an error ends the reading.
  line.values = root.opts()
  addCommands(reading)
  return reading
}

/** Whether the line asks for help, as far as its options were read. */
export function asksHelp(root: Parser) {
  return root.getOptionValue('help') === true
}

/** Adds the commands below the named one. What is in one of them is added once the line names it. */
function addCommands(reading: LineReading) {
  const { line, named } = reading
  const start = line.path === '' ? '' : `${line.path} `
  for (const path of [...Object.keys(nouns), ...Object.keys(verbs)]) {
    const name = path.slice(start.length)
    if (path.startsWith(start) && /^[^ ]+$/.test(name))
      named.command(name).summary(nouns[path]?.summary ?? verbs[path] ?? '')
  }
  named.helpCommand(false).hook('preSubcommand', async (_above, below) => {
    reading.named = below
    line.path = `${line.path} ${below.name()}`.trim()
    const noun = nouns[line.path]
    if (noun !== undefined) {
      describe(below, { ...noun, usage: '<command> [options]' })
      addCommands(reading)
    }
    if (verbs[line.path] !== undefined) addVerb(reading, await loadVerb(line.path))
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
  for (const [key, option] of Object.entries(commonOptions))
    root.addOption(parserOption(key, option))
  return root.version(version, '-V, --version', 'print the version')
}

/** Adds everything about a verb to its parser. When commander has read the whole line, the reading gets the call. */
function addVerb(reading: LineReading, verb: Verb) {
  reading.verb = verb
  const { line, root, named } = reading
  const { options = {} } = verb
  line.options = options
  // `--help` may stand behind the verb. commander has looked for options of the root on the whole line before it came here.
  const isHelp = asksHelp(root)
  for (const argument of verb.arguments ?? []) named.addArgument(parserArgument(argument))
  for (const [key, option] of Object.entries<Option>(options))
    named.addOption(parserOption(key, option))
  describe(named, verb)
  named.action(() => {
    line.values = named.optsWithGlobals()
    // Not by commander, which would name it before an option that does not exist.
    for (const [key, option] of Object.entries<Option>(options))
      if (option.isRequired === true && line.values[key] === undefined && !isHelp)
        throw usageError(`${flagsOf(key, option)} is missing`)
    reading.call = { kind: 'call', verb, line, arguments: named.processedArgs }
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
