/**
 * The command line, read by commander: its tree is built from the table of verbs, and a verb is loaded when
 * its name is typed. Help, suggestions and mistakes are commander's own.
 */
import { Argument as ParserArgument, Command as Parser, CommanderError } from 'commander'
import { namesBelow, type Argument, type Commands, type Verb } from '../cli/verb.ts'
import { SvcError, usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { say, svc, type Message } from '../message.ts'
import { version } from '../version.ts'
import { describe, pageLayout, pageWidth, sentence } from './help/page.ts'
import { hasColors } from '../world.ts'
import { addOptions, valuesOf, type Call, type LineBeingRead } from './options.ts'
import { advanced, readValue, type TypedLine } from '../options.ts'

/** A text that needs nothing to be run: for stdout, or for stderr with exit 2. */
export interface TextAnswer {
  kind: 'text'
  text: string
  to: 'stdout' | 'stderr'
}

/** The verb of a line with its values, or the help or version that it asks for. Throws exit 2. */
export async function parse(
  host: Host,
  commands: Commands,
  typed: readonly string[],
): Promise<Call | TextAnswer> {
  const words = typed.length === 0 ? ['--help'] : typed
  const { line, error } = await read(host, commands, words)
  const { call, printed: text } = line
  if (call !== undefined) return call
  if (error === undefined) throw new TypeError('commander ended without a verb or an error')
  // The help or the version was asked for.
  if (error.exitCode === 0) {
    const helpAt = words.findIndex((word) => word === '--help' || word === '-h')
    if (helpAt > 0) await refuseUnknown(host, commands, words.slice(0, helpAt))
    return { kind: 'text', text, to: 'stdout' }
  }
  const isCommandMissing = error.code === 'commander.help'
  if (!isCommandMissing) throw mistakeOf(line, error)
  return { kind: 'text', text, to: 'stderr' }
}

/**
 * What commander, which fills `line` as it goes, made of the words. Its error may also say that it has printed help or the
 * version. Throws exit 2 for a wrong value.
 */
async function read(
  host: Host,
  commands: Commands,
  words: readonly string[],
): Promise<{ line: LineBeingRead; error?: CommanderError }> {
  const line: LineBeingRead = {
    words,
    path: '',
    given: new Map(),
    values: new Map(),
    assigned: new Set(),
    options: {},
    printed: '',
    call: undefined,
  }
  const program = rootOf(line, host)
  addCommands(program, line, commands, '')
  try {
    await program.parseAsync([...line.words], { from: 'user' })
    return { line }
  } catch (error) {
    if (!(error instanceof CommanderError)) throw withHelp(line, error)
    return { line, error }
  }
}

function rootOf(line: LineBeingRead, host: Host): Parser {
  const columns = Math.min(pageWidth, host.columns() ?? pageWidth)
  const write = (text: string) => void (line.printed += text)
  const program = new Parser('svc')
    .exitOverride()
    .enablePositionalOptions()
    .helpCommand(false)
    .helpOption('-h, --help', 'print the help of a command')
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
  describe(program, {
    description:
      'Manage the contacts, lists and tickets of a customer-conversation service.',
    examples: [
      'svc sandbox exec -- svc lists get VIP',
      'svc lists add-contacts VIP --file ids.txt',
    ],
    usage: '<command> [options]',
  })
  addOptions(program, line, {})
  const versionParser = program.command('version', { hidden: true })
  describe(versionParser, { description: 'Print the version.', examples: ['svc version'] })
  addOptions(versionParser, line, {})
  versionParser.action(() => {
    write(`${version}\n`)
    throw new CommanderError(0, 'commander.version', version)
  })
  return program.version(version)
}

/** Other names of verbs, where a noun has no verb of that name. */
const aliases: Readonly<Record<string, string>> = {
  list: 'ls',
  get: 'show',
  delete: 'rm',
  remove: 'rm',
}

/** The commands below a path, each filled when it is typed. */
function addCommands(
  parent: Parser,
  line: LineBeingRead,
  commands: Commands,
  above: string,
) {
  for (const [name, { summary }] of namesBelow(commands, above)) {
    const path = `${above} ${name}`.trim()
    const parser = parent.command(name).summary(summary).helpCommand(false)
    const alias = aliases[name]
    if (alias !== undefined && !Object.hasOwn(commands.verbs, `${above} ${alias}`))
      parser.alias(alias)
    // Each command adds a hook to its parent, and all of them are called: only that of the typed command acts.
    parent.hook('preSubcommand', async (_, typed) => {
      if (typed !== parser) return
      line.path = path
      const module = await commands.verbs[path]?.load()
      if (module !== undefined) return fillVerb(parser, line, summary, module.verb)
      const { description = sentence(summary), examples } = commands.nouns[path] ?? {}
      describe(parser, { description, examples, usage: '<command> [options]' })
      addOptions(parser, line, {})
      addCommands(parser, line, commands, path)
    })
  }
}

function fillVerb(parser: Parser, line: LineBeingRead, summary: string, verb: Verb) {
  const { description = sentence(summary), usage, notes, examples, options = {} } = verb
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

/**
 * Throws exit 2 for an unknown word before `--help`: for `lists nonsense --help` commander would print the help of `lists`.
 */
async function refuseUnknown(host: Host, commands: Commands, words: readonly string[]) {
  const { line, error } = await read(host, commands, words)
  if (/^commander\.unknown(?:Command|Option)$/.test(error?.code ?? ''))
    throw mistakeOf(line, error as CommanderError)
}

/** Commander's message, and what was meant: its suggestion, or an example for a word too many. */
function mistakeOf(line: LineBeingRead, { code, message }: CommanderError): unknown {
  const [, command = ''] = /^error: unknown command '(.*)'/.exec(message) ?? []
  const path = `${line.path} ${command}`.trim()
  const absent = absentCommands.find(({ names }) => names.includes(path))
  if (absent !== undefined) return usageError(absent.problem, absent.instead)
  const [text = '', suggestion] = message.replace(/^error: /, '').split('\n')
  const error = usageError(text.replaceAll("'", '"'))
  if (code === 'commander.excessArguments' && line.example !== undefined)
    return withHelp(line, error, `for example:\n  ${line.example}\n`)
  // `(Did you mean x?)` becomes `did you mean x?`.
  return withHelp(line, error, suggestion?.replace(/^\(D(.*)\)$/, 'd$1\n'))
}

/**
 * A usage error, with the help to read if it has no hint of its own. Other errors stay unchanged. `meant`: a line with a
 * suggestion, which comes first.
 */
export function withHelp(line: LinePath, error: unknown, meant = ''): unknown {
  if (!(error instanceof SvcError) || error.category !== 'usage') return error
  const { hint = `${meant}see: ${commandOf(line)} --help` } = error.details
  return error.with({ hint })
}

type LinePath = Pick<TypedLine, 'path'>

function commandOf({ path }: LinePath) {
  return `svc ${path}`.trim()
}

/** Commands that people type and that svc does not have, with what to do instead. */
const absentCommands: readonly {
  names: readonly string[]
  problem: string
  instead: Message
}[] = [
  {
    names: ['lists delete', 'lists remove', 'lists rm'],
    problem: 'the service cannot delete lists',
    instead: say`you can rename one:\n  ${svc`lists update <list> --name <name>`}`,
  },
  {
    names: ['lists remove-contacts', 'lists remove-contact'],
    problem: 'the service cannot remove contacts from a list',
    instead: say`you can add those that stay to a new list:\n  ${svc`lists members <list> -o ids`}`,
  },
  {
    names: ['contacts create', 'contacts add'],
    problem: 'the service cannot create contacts',
    instead: 'a contact is created when somebody writes to the company',
  },
  {
    names: ['tickets list', 'tickets ls'],
    problem: 'the service cannot list tickets',
    instead: say`copy the address of a ticket from the service:\n  ${svc`tickets get <ticket>`}`,
  },
  {
    names: ['tickets reply', 'tickets send'],
    problem: 'the service cannot send messages',
    instead: 'reply to the ticket in the service itself',
  },
  {
    names: ['find', 'search'],
    problem: 'people are found with a command of contacts',
    instead: say`use:\n  ${svc`contacts find <words>`}`,
  },
]
