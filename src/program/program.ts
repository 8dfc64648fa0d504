/** The global options and the nouns. */
import { Command, Option } from '@commander-js/extra-typings'
import { formats } from '../config/rules.ts'
import { globalOption } from '../config/table.ts'
import type { Host } from '../host.ts'
import { parseChoice } from '../values.ts'
import { formatPage, pageWidth } from './help/page.ts'
import { treeOf, type Tree } from './tree.ts'
import { examples, type Run } from '../cli/verb.ts'

const more = examples(
  'svc sandbox exec -- svc lists get VIP',
  'svc lists add-contacts VIP --file ids.txt',
  'svc help bulk',
)

type Noun = (program: Command, run: Run) => void

/** Every noun in the order of the help. A command line loads only those it names. */
const nouns: Readonly<Record<string, () => Promise<Noun>>> = {
  lists: async () => (await import('../commands/lists/noun.ts')).lists,
  contacts: async () => (await import('../commands/contacts/noun.ts')).contacts,
  tickets: async () => (await import('../commands/tickets/noun.ts')).tickets,
  employees: async () => (await import('../commands/employees/noun.ts')).employees,
  runs: async () => (await import('../commands/runs/noun.ts')).runs,
  plans: async () => (await import('../commands/plans/noun.ts')).plans,
  ids: async () => (await import('../commands/ids/noun.ts')).ids,
  profiles: async () => (await import('../commands/profiles/noun.ts')).profiles,
  whoami: async () => (await import('../commands/whoami.ts')).whoami,
  doctor: async () => (await import('../commands/doctor/doctor.ts')).doctor,
  help: async () => {
    const { help } = await import('./help/help.ts')
    return (program, run) => help(program, run, buildProgram)
  },
  api: async () => (await import('../commands/api/api.ts')).api,
  completion: async () => (await import('../commands/completion/completion.ts')).completion,
  sandbox: async () => (await import('../commands/sandbox/noun.ts')).sandbox,
}
const forDevelopers: ReadonlySet<string> = new Set(['api', 'completion', 'sandbox'])

/** Its topics and the manual are about all others. */
const needsAll = 'help'

type GlobalOption = readonly [
  heading: string,
  flags: string,
  description: string,
  parse?: (text: string, before: unknown) => unknown,
]

const parseFormat = (text: string): string => parseChoice(text, '-o', formats)
const parseErrorFormat = (text: string): string => parseChoice(text, '--error-format', ['text', 'json'])
const count = (_: string, before: unknown): number => Number(before ?? 0) + 1

/** A setting is parsed with all its sources, so most of them have no parser here. */
const globalOptions: readonly GlobalOption[] = [
  globalOption('profile'),
  globalOption('config'),
  globalOption('baseUrl'),
  globalOption('stateDir'),
  [...globalOption('output'), parseFormat],
  ['Output:', '--json', 'the same as -o json'],
  ['Output:', '--out <file>', 'write the output of a read to this file, whole, in the format of its extension'],
  ['Output:', '--replace-out', 'let --out replace an existing file'],
  ['Output:', '--fields <a,b.c>', 'choose fields and their order'],
  ['Output:', '--no-header', 'no headings in table, csv, tsv and xlsx'],
  ['Output:', '--csv-raw', 'csv without protection against formulas'],
  ['Output:', '--no-truncate', 'whole values in tables'],
  globalOption('utc'),
  globalOption('color'),
  globalOption('progress'),
  ['Messages:', '-q, --quiet', 'show only errors on stderr'],
  ['Messages:', '-v, --verbose', 'show each request; -vv: headers and bodies too', count],
  [...globalOption('errorFormat'), parseErrorFormat],
  globalOption('timeout'),
  globalOption('retries'),
  globalOption('maxRetryWait'),
  globalOption('country'),
  ['Confirmations:', '-y, --yes', 'answer yes to every confirmation'],
  globalOption('input'),
]

/**
 * The tree of commands; nothing runs until it is handed words. With `words` only the nouns among them are there, which is
 * enough to run them; without, or when no word is a noun (a mistake, or the help of everything), all of them. With `--all` among
 * them, help shows the advanced options too.
 */
export async function buildProgram(host: Pick<Host, 'columns'>, run: Run, words: readonly string[] = []) {
  const width = (): number => Math.min(host.columns() ?? pageWidth, pageWidth)
  const silent = { writeOut: () => undefined, writeErr: () => undefined }
  const program = new Command('svc')
  program
    .summary('manage contacts, lists, tickets and employees of a customer-conversation service')
    .description('Manage the contacts, lists, tickets and employees of a conversation service.')
    .usage('<command> [options]')
    .exitOverride()
    .configureOutput({ ...silent, getOutHelpWidth: width, getErrHelpWidth: width })
    .helpCommand(false)
    .helpOption('-h, --help', 'print the help of a command')
    .showSuggestionAfterError(false)
    .configureHelp({
      formatHelp: (command, helper) => formatPage(command, helper, words.includes('--all')),
      minWidthToWrap: 24,
    })
    .addHelpText('after', more.trimStart())
  for (const [heading, flags, description, parse] of globalOptions) {
    const option = new Option(flags, description)
    program.optionsGroup(heading).addOption(parse === undefined ? option : option.argParser(parse))
  }
  await addNouns(program, run, words)
  return program
}

async function addNouns(program: Command, run: Run, words: readonly string[]): Promise<void> {
  const named = words.some((word) => Object.hasOwn(nouns, word))
  const all = !named || words.includes(needsAll)
  for (const [name, load] of Object.entries(nouns)) {
    if (!all && !words.includes(name)) continue
    const noun = await load()
    noun(program.commandsGroup(forDevelopers.has(name) ? 'For developers:' : 'Commands:'), run)
  }
}

function wholeProgram(host: Pick<Host, 'columns'>): Promise<Command> {
  return buildProgram(host, () => () => Promise.resolve())
}

export async function wholeTree(): Promise<Tree> {
  return treeOf(await wholeProgram({ columns: () => undefined }))
}
