/**
 * The command line, read by commander: its tree is made of the table of verbs, and a verb is loaded when its name is typed. Help,
 * suggestions and mistakes are commander's own. `main.ts` calls it, and `help/help.ts` for the help of a command.
 */
import { Argument as ParserArgument, CommanderError, Option as ParserOption } from 'commander'
import { globalOptions } from '../cli/global-options.ts'
import { advanced, type TypedLine } from '../cli/options.ts'
import type { Argument, Verb } from '../cli/verb.ts'
import { SvcError, usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { say, svcAsItIs } from '../message.ts'
import { version } from '../version.ts'
import { describe, pageWidth, Parser, sentence } from './help/page.ts'
import { allowsColor, errorFormatOf } from './look.ts'
import { addOptions, defaultsOf, valuesOf, type Reading } from './options.ts'

type Values = Readonly<Record<string, unknown>>

/** The table of commands, in the order of the help. */
export interface Commands {
  /** A noun groups verbs and does nothing itself. */
  readonly nouns: Readonly<Record<string, NounRow>>
  /** By the words behind `svc`: `lists list`. */
  readonly verbs: Readonly<Record<string, VerbRow>>
}

interface Row {
  /** One line of help. */
  readonly summary: string
  /** The heading in the help of svc, when it is not the usual one. */
  readonly group?: string
}

interface NounRow extends Row {
  readonly description?: string
  readonly examples: readonly string[]
}

interface VerbRow extends Row {
  readonly load: () => Promise<Verb>
}

/** A verb with the values of its words. */
export interface Call {
  readonly kind: 'call'
  readonly verb: Verb
  readonly line: TypedLine
  readonly arguments: readonly unknown[]
  /** Its own options, by key. */
  readonly options: Values
  /** Its own and the global ones. */
  readonly allOptions: Values
}

/** A text that needs nothing to be run: for stdout, or for stderr with exit 2. */
export interface Answer {
  readonly kind: 'text'
  readonly text: string
  readonly to: 'stdout' | 'stderr'
}

/** The verb of a line with its values, or the help or version that it asks for. Throws exit 2. */
export async function parse(
  host: Host,
  commands: Commands,
  typed: TypedLine,
): Promise<Call | Answer> {
  const { words } = typed
  const line: Reading = {
    words,
    path: '',
    given: new Map(),
    values: new Map(),
    assigned: new Set(),
    options: {},
    asksVersion: false,
  }
  let call: Call | undefined
  let printed = ''
  const program = programOf(line, {
    host,
    commands,
    typed,
    write: (text) => (printed += text),
    onCall: (found) => (call = found),
  })
  try {
    await program.parseAsync(words.length === 0 ? ['--help'] : [...words], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw withHelp(line, error)
    if (error.code === 'commander.helpDisplayed')
      return { kind: 'text', text: printed, to: 'stdout' }
    if (error.code !== 'commander.help') throw mistake(line, error)
    if (line.asksVersion) return { kind: 'text', text: `${version}\n`, to: 'stdout' }
    // Help is no JSON: with JSON it is an error document.
    if (errorFormatOf(host, typed) === 'text') return { kind: 'text', text: printed, to: 'stderr' }
    throw withHelp(
      line,
      usageError(`a command of "${['svc', line.path].join(' ').trim()}" is missing`),
    )
  }
  if (call === undefined) throw new TypeError('commander ended without a verb or an error')
  return call
}

/** A usage error with the help to read where it has no hint of its own; any other error as it is. */
export function withHelp({ path }: Pick<TypedLine, 'path'>, error: unknown): unknown {
  if (!(error instanceof SvcError) || error.category !== 'usage') return error
  return error.withHint(error.details.hint ?? say`see: ${svcAsItIs(`${path} --help`.trim())}`)
}

/** Commander's message is one line, and perhaps one with a suggestion. */
function mistake(line: TypedLine, { message }: CommanderError): unknown {
  const [text = '', suggestion] = message.replace(/^error: /, '').split('\n')
  const see = svcAsItIs(`${line.path} --help`.trim())
  const meant = suggestion === undefined ? '' : `${suggestion.replace(/^\(D(.*)\)$/, 'd$1')}\n`
  return usageError(text.replaceAll("'", '"'), say`${meant}see: ${see}`)
}

interface Reader {
  readonly host: Host
  readonly commands: Commands
  readonly typed: TypedLine
  readonly write: (text: string) => void
  readonly onCall: (call: Call) => void
}

/** The tree of a line: all nouns, and what is below the words that are typed. */
function programOf(line: Reading, reader: Reader): Parser {
  const { host, commands, typed, write } = reader
  const columns = Math.min(pageWidth, host.columns() ?? pageWidth)
  const isBold = allowsColor(host, typed)
  const isAll = line.words.includes('--all')
  const program = new Parser('svc', { isAll, isBold })
    .exitOverride()
    .enablePositionalOptions()
    .helpCommand(false)
    .helpOption('-h, --help', 'print the help of a command')
    .configureOutput({
      writeOut: write,
      writeErr: write,
      outputError: () => undefined,
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => columns,
      getOutHasColors: () => isBold && host.isTerminal.stdout,
      getErrHasColors: () => isBold && host.isTerminal.stderr,
    })
  const root = {
    description: 'Manage the contacts, lists, tickets and employees of a conversation service.',
    examples: [
      'svc sandbox exec -- svc lists get VIP',
      'svc lists add-contacts VIP --file ids.txt',
    ],
  }
  describe(program, { ...root, usage: '<command> [options]' })
  addOptions(program, line, {})
  // Not commander's own, which would print it as soon as a word begins with -V.
  program.addOption(
    new ParserOption('-V, --version').hideHelp().argParser(() => (line.asksVersion = true)),
  )
  const below = (prefix: string, parent: Parser) => {
    for (const [path, { summary, group, load }] of Object.entries(commands.verbs)) {
      const name = path.startsWith(prefix) ? path.slice(prefix.length) : ' '
      if (name.includes(' ')) continue
      const parser = add(parent, name, { summary, group }, async () => {
        line.path = path
        fillVerb(parser, summary, await load(), { line, isAll, onCall: reader.onCall })
      })
    }
  }
  for (const [name, row] of Object.entries(commands.nouns)) {
    const parser = add(program, name, row, () => {
      line.path = name
      const { description = sentence(row.summary), examples } = row
      describe(parser, { description, examples, usage: '<command> [options]' })
      addOptions(parser, line, {})
      below(`${name} `, parser)
    })
  }
  below('', program)
  return program
}

/** Adds a command that is filled when it is typed. */
function add(
  parent: Parser,
  name: string,
  { summary, group }: { readonly summary: string; readonly group?: string | undefined },
  fill: () => void | Promise<void>,
): Parser {
  const parser = parent.command(name).summary(summary).helpCommand(false)
  if (group !== undefined) parser.helpGroup(group)
  parent.hook('preSubcommand', async (_, typed) => {
    if (typed === parser) await fill()
  })
  return parser
}

interface Filling {
  readonly line: Reading
  readonly isAll: boolean
  readonly onCall: (call: Call) => void
}

function fillVerb(
  parser: Parser,
  summary: string,
  verb: Verb,
  { line, isAll, onCall }: Filling,
): void {
  const { description = sentence(summary), usage, notes, examples = [], options = {} } = verb
  const hasMore = !isAll && Object.values(options).some(({ group }) => group === advanced)
  describe(parser, { description, usage, notes, examples, hasMore })
  for (const argument of verb.arguments ?? []) parser.addArgument(parserArgument(argument))
  line.options = options
  addOptions(parser, line, options)
  parser.action(() => {
    const own = { ...defaultsOf(options), ...valuesOf(line, options) }
    const allOptions = { ...defaultsOf(globalOptions), ...valuesOf(line, globalOptions), ...own }
    onCall({ kind: 'call', verb, line, arguments: parser.processedArgs, options: own, allOptions })
  })
}

function parserArgument({
  name,
  summary,
  isRequired,
  isVariadic,
  parse,
}: Argument): ParserArgument {
  const shown = isVariadic === true ? `${name}...` : name
  const made = new ParserArgument(isRequired === true ? `<${shown}>` : `[${shown}]`, summary)
  if (isVariadic === true) return made
  return parse === undefined ? made : made.argParser((text) => parse(text))
}
