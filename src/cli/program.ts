/** The global options and the nouns. */
import { Command, CommanderError, Option, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { parseChoice } from '../values.ts'
import { asksVersion as isVersionAsked, treeOf, type Tree } from './argv.ts'
import { formatPage, helpOf, pageWidth } from './help/page.ts'
import { examples } from './options.ts'
import { wordsForParser } from './dashes.ts'
import type { SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Run } from './verb.ts'

export { helpOf }

const formats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'ids', 'transcript', 'html'] as const

/** Where commander's own texts (help, usage errors) go. */
export interface HelpOutput {
  writeOut(text: string): void
  writeErr(text: string): void
}

const more = `
Help on a command, or on one of these topics: svc help <words>
  environment, output, exit-codes, id-files, bulk, configuration, signing,
  scripting
${examples('svc sandbox exec -- svc lists get VIP', 'svc lists add-contacts VIP --file ids.txt', 'svc help bulk')}`

type Noun = (program: Command, run: Run) => void

/** Every noun in the order of the help. A command line loads only those it names. */
const groups: readonly (readonly [string, Readonly<Record<string, () => Promise<Noun>>>])[] = [
  [
    'The service:',
    {
      lists: async () => (await import('../commands/lists/noun.ts')).lists,
      contacts: async () => (await import('../commands/contacts/noun.ts')).contacts,
      tickets: async () => (await import('../commands/tickets/noun.ts')).tickets,
      employees: async () => (await import('../commands/employees/noun.ts')).employees,
      api: async () => (await import('../commands/api/api.ts')).api,
    },
  ],
  [
    'Bulk runs and id files:',
    {
      runs: async () => (await import('../commands/runs/noun.ts')).runs,
      ids: async () => (await import('../commands/ids/noun.ts')).ids,
    },
  ],
  [
    'Setting up:',
    {
      profiles: async () => (await import('../commands/profiles/noun.ts')).profiles,
      whoami: async () => (await import('../commands/whoami.ts')).whoami,
      doctor: async () => (await import('../commands/doctor/doctor.ts')).doctor,
      completion: async () => (await import('../commands/completion.ts')).completion,
      help: async () => (await import('../commands/help.ts')).help,
    },
  ],
  [
    'For integrators:',
    {
      sandbox: async () => (await import('../commands/sandbox/noun.ts')).sandbox,
      sign: async () => (await import('../commands/sign/sign.ts')).sign,
    },
  ],
]

const nounCount = groups.reduce((sum, [, nouns]) => sum + Object.keys(nouns).length, 0)

/** Its topics and the manual are about all others. */
const needsAll = 'help'

/**
 * The tree of commands; nothing runs until it is handed words. With `words` only the nouns among them are there, which is
 * enough to run them; without, or when no word is a noun (a mistake, or the help of everything), all of them.
 */
export async function buildProgram(
  host: Pick<Host, 'columns'>,
  run: Run,
  output: HelpOutput,
  words: readonly string[] = [],
): Promise<Command> {
  const width = (): number => Math.min(host.columns() ?? pageWidth, pageWidth)
  const program = new Command('svc')
  program
    .summary('operate contacts, lists, tickets and employees of a customer-conversation service')
    .description('Operate contacts, contact lists, tickets and employees of a customer-conversation service.')
    .usage('<command> [options]')
    .exitOverride()
    .configureOutput({ ...output, getOutHelpWidth: width, getErrHelpWidth: width })
    .helpCommand(false)
    .helpOption('-h, --help', 'print the help of a command')
    .showSuggestionAfterError(true)
    .configureHelp({ formatHelp: formatPage, minWidthToWrap: 24 })
    .addHelpText('after', more)
  globalOptions(program)
  const named = groups.some(([, nouns]) => words.some((word) => Object.hasOwn(nouns, word)))
  const all = !named || words.includes(needsAll)
  for (const [heading, nouns] of groups) {
    program.commandsGroup(heading)
    for (const [name, load] of Object.entries(nouns)) {
      if (!all && !words.includes(name)) continue
      const noun = await load()
      noun(program, run)
    }
  }
  return program
}

/** Whether this came from commander itself: a usage error, or help that was asked for. */
export function isCommanderError(error: unknown): error is CommanderError {
  return error instanceof CommanderError
}

function globalOptions(program: Command): void {
  program
    .optionsGroup('Which service:')
    .option('-p, --profile <name>', 'which profile (SVC_PROFILE; default: the current one)')
    .option('--config <file>', 'use exactly this configuration file (SVC_CONFIG)')
    .option('--base-url <url>', "where the service is (SVC_BASE_URL; default: the profile's)")
    .option('--state-dir <folder>', 'where bulk runs are recorded (SVC_STATE_DIR)')
    .optionsGroup('Output:')
    .addOption(
      new Option('-o, --output <format>', `${formats.join(', ')} (SVC_OUTPUT; default: table)`).argParser((text) =>
        parseChoice(text, '-o', formats),
      ),
    )
    .option('--json', 'the same as -o json')
    .option('--fields <a,b.c>', 'choose and order fields')
    .option('--no-header', 'csv and tsv without a header')
    .option('--csv-raw', 'csv without the guard against formulas')
    .option('--json-raw', 'JSON with unpaired surrogates as they came')
    .option('--no-truncate', 'whole values in tables')
    .option('--utc', 'times in UTC (default: local times)')
    .option('--color <when>', 'auto, always or never (NO_COLOR, FORCE_COLOR; default: auto)')
    .optionsGroup('Messages:')
    .option('--progress <how>', 'auto, bar, json or none (SVC_PROGRESS; default: auto)')
    .option('-q, --quiet', 'nothing on stderr but errors')
    .option(
      '-v, --verbose',
      'a line for each request; -vv: headers and bodies too',
      (_: string, before: number) => before + 1,
      0,
    )
    .addOption(
      new Option('--error-format <format>', 'text or json (default: json with -o json and ndjson)').argParser((text) =>
        parseChoice(text, '--error-format', ['text', 'json'] as const),
      ),
    )
    .optionsGroup('Requests:')
    .option('--timeout <duration>', 'for one attempt (SVC_TIMEOUT; default: 30s)')
    .option('--retries <n>', 'attempts after the first (SVC_RETRIES; default: 3)')
    .option('--max-retry-wait <duration>', 'the longest single wait (default: 60s)')
    .optionsGroup('Confirmations:')
    .option('-y, --yes', 'answer every confirmation with yes')
    .option('--no-input', 'never ask; exit 9 instead')
}

/** Whether `-V` stands before any command. */
export function asksVersion(program: Command, words: readonly string[]): boolean {
  return isVersionAsked(treeOf(program), words)
}

/** The words as the program is to parse them. Throws exit 2 when one cannot stand where it does. */
export function parserWords(program: Command, words: readonly string[]): string[] {
  return wordsForParser(treeOf(program), words)
}

/** A usage error with what was probably meant and where to read on. `program` has the nouns among the words at least. */
export async function explainMistake(
  program: Command,
  words: readonly string[],
  error: Error & { code?: string },
): Promise<SvcError> {
  const { explain } = await import('./usage.ts')
  const here = treeOf(program)
  return explain(here, words, error, () => (here.commands.length === nounCount ? Promise.resolve(here) : wholeTree()))
}

/** Every command, to look at. */
export async function wholeTree(): Promise<Tree> {
  const nothing: Run = () => () => Promise.resolve()
  const silent = { writeOut: () => undefined, writeErr: () => undefined }
  return treeOf(await buildProgram({ columns: () => undefined }, nothing, silent))
}

/** The help of every command by its words; svc itself is the empty string. */
export async function allPages(host: Pick<Host, 'columns'>): Promise<Record<string, string>> {
  const nothing: Run = () => () => Promise.resolve()
  const silent = { writeOut: () => undefined, writeErr: () => undefined }
  const pages: Record<string, string> = {}
  const walk = (command: CommandUnknownOpts, path: readonly string[]): void => {
    pages[path.join(' ')] = helpOf(command)
    for (const each of command.commands) walk(each, [...path, each.name()])
  }
  walk(await buildProgram(host, nothing, silent), [])
  return pages
}
