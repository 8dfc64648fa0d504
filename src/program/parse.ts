/**
 * The command line, read once by commander: its tree is built from the table of verbs, and a verb is loaded when its name is
 * typed. Help and suggestions are commander's own.
 */
import { Argument as ParserArgument, Command as Parser, CommanderError } from 'commander'
import { namesBelow, type Argument, type Commands, type Verb } from '../cli/verb.ts'
import type { Host } from '../host.ts'
import { advanced, readValue } from '../options.ts'
import { version } from '../version.ts'
import { hasColors } from '../world.ts'
import { describe, pageLayout, pageWidth } from './help/page.ts'
import { mistakeOf, refuseOtherEncodings, refuseTypography, withHelp } from './mistakes.ts'
import { addOptions, valuesOf, type Call, type LineBeingRead } from './options.ts'

/** A text that needs nothing to be run: for stdout, or for stderr with exit 2. */
export interface TextAnswer {
  kind: 'text'
  text: string
  to: 'stdout' | 'stderr'
}

/** What commander fills while it reads. */
interface Reading {
  line: LineBeingRead
  commands: Commands
  /** The command that the words have reached. */
  parser: Parser
  /** What it has printed. */
  text: string
}

/** The verb of a line with its values, or the help or version that it asks for. Fills `line` as it goes. Throws exit 2. */
export async function parse(
  host: Host,
  commands: Commands,
  line: LineBeingRead,
): Promise<Call | TextAnswer> {
  refuseOtherEncodings(line, host)
  const reading: Reading = { line, commands, parser: new Parser('svc'), text: '' }
  growRoot(reading, host)
  const code = await readLine(reading)
  if (line.asksHelp || line.words.length === 0) {
    reading.text = ''
    reading.parser.outputHelp()
    return { kind: 'text', text: reading.text, to: 'stdout' }
  }
  if (line.call !== undefined) return line.call
  // Without a verb, commander has printed the help of the noun.
  const to = code === 'commander.version' ? 'stdout' : 'stderr'
  return { kind: 'text', text: reading.text, to }
}

/** Resolves to commander's code if it has printed something, and throws what is wrong with the line. */
async function readLine(reading: Reading): Promise<string | undefined> {
  const { line } = reading
  const root = reading.parser
  try {
    await root.parseAsync([...line.words], { from: 'user' })
    refuseTypography(reading.parser, line)
  } catch (error) {
    if (!(error instanceof CommanderError)) throw withHelp(line, error)
    const { code } = error
    if (code === 'commander.help' || code === 'commander.version') return code
    // Beside --help a command may be unfinished, but no word may be unknown.
    if (line.asksHelp && !code.startsWith('commander.unknown')) return code
    refuseTypography(reading.parser, line)
    throw mistakeOf(reading.parser, line, reading.commands, error)
  }
  return undefined
}

function growRoot(reading: Reading, host: Host) {
  const { parser, line } = reading
  const columns = Math.min(pageWidth, host.columns() ?? pageWidth)
  const write = (text: string) => void (reading.text += text)
  parser
    .exitOverride()
    .enablePositionalOptions()
    .helpCommand(false)
    .helpOption(false)
    .configureHelp(pageLayout(line.words.includes('--all')))
    .configureOutput({
      writeOut: write,
      writeErr: write,
      outputError: () => undefined,
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => columns,
      getOutHasColors: () => hasColors(host, host.isTerminal.stdout),
      getErrHasColors: () => hasColors(host, host.isTerminal.stderr),
    })
  describe(parser, {
    description:
      'Manage the contacts, lists and tickets of a customer-conversation service.',
    examples: [
      'svc sandbox exec -- svc lists get VIP',
      'svc lists add-contacts VIP --file ids.txt',
    ],
    usage: '<command> [options]',
  })
  addOptions(parser, line, {})
  parser.version(version, '-V, --version', 'print the version')
  addCommands(reading, parser, '')
}

/** Other names: of verbs, where the noun has no verb of that name, and of nouns in the singular. */
function otherNameOf({ verbs, nouns }: Commands, above: string, name: string) {
  if (Object.hasOwn(nouns, name)) return name.endsWith('s') ? name.slice(0, -1) : undefined
  const others: Readonly<Record<string, string>> = {
    list: 'ls',
    get: 'show',
    delete: 'rm',
    remove: 'rm',
  }
  const other = others[name]
  return Object.hasOwn(verbs, `${above} ${other}`) ? undefined : other
}

/** The commands below a path, each filled when it is typed. */
function addCommands(reading: Reading, parent: Parser, above: string) {
  const { commands, line } = reading
  for (const [name, { summary }] of namesBelow(commands, above)) {
    const path = `${above} ${name}`.trim()
    const parser = parent.command(name).summary(summary).helpCommand(false)
    const other = otherNameOf(commands, above, name)
    if (other !== undefined) parser.alias(other)
    // Each command adds a hook to its parent, and all of them are called: only that of the typed command acts.
    parent.hook('preSubcommand', async (_, typed) => {
      if (typed !== parser) return
      line.path = path
      reading.parser = parser
      const module = await commands.verbs[path]?.load()
      if (module !== undefined) return fillVerb(parser, line, module.verb)
      describe(parser, { ...commands.nouns[path], usage: '<command> [options]' })
      addOptions(parser, line, {})
      addCommands(reading, parser, path)
    })
  }
}

function fillVerb(parser: Parser, line: LineBeingRead, verb: Verb) {
  const { description, usage, notes, examples, options = {} } = verb
  const isAdvanced = Object.values(options).some(({ group }) => group === advanced)
  const isHiding = isAdvanced && !line.words.includes('--all')
  const more = isHiding ? `svc ${line.path} --help --all` : undefined
  describe(parser, { description, usage, notes, examples, more })
  for (const argument of verb.arguments ?? []) parser.addArgument(parserArgument(argument))
  line.options = options
  line.example = examples?.[0]
  addOptions(parser, line, options)
  parser.action(() => {
    line.call = {
      kind: 'call',
      verb,
      line,
      arguments: parser.processedArgs,
      options: valuesOf(line, options),
      allOptions: Object.fromEntries(line.values),
    }
  })
}

function parserArgument(argument: Argument): ParserArgument {
  const { name, summary, isRequired, isVariadic } = argument
  const shown = isVariadic === true ? `${name}...` : name
  const made = new ParserArgument(
    isRequired === true ? `<${shown}>` : `[${shown}]`,
    summary,
  )
  return isVariadic === true
    ? made
    : made.argParser((text) => readValue(argument, text, `<${name}>`))
}
