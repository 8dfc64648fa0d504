/** The global options and the nouns. */
import { Command, Option } from '@commander-js/extra-typings'
import { parseChoice } from './args.ts'
import { api } from './commands/api.ts'
import { completion } from './commands/completion.ts'
import { contacts } from './commands/contacts.ts'
import { doctor } from './commands/doctor.ts'
import { employees } from './commands/employees.ts'
import { formatPage, pageWidth } from './commands/help/page.ts'
import { help } from './commands/help.ts'
import { ids } from './commands/ids.ts'
import { lists } from './commands/lists.ts'
import { examples } from './commands/options.ts'
import { profiles } from './commands/profiles.ts'
import { runs } from './commands/runs.ts'
import { sandbox } from './commands/sandbox.ts'
import { sign } from './commands/sign.ts'
import { tickets } from './commands/tickets.ts'
import { whoami } from './commands/whoami.ts'
import type { Host } from './host.ts'
import type { Run } from './verb.ts'

export { asksVersion } from './commands/command-line.ts'
export { helpOf } from './commands/help/page.ts'

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

/** The whole tree of commands; nothing runs until it is handed words. */
export function buildProgram(host: Pick<Host, 'columns'>, run: Run, output: HelpOutput): Command {
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
  const groups = [
    ['The service:', [lists, contacts, tickets, employees, api]],
    ['Bulk runs and id files:', [runs, ids]],
    ['Setting up:', [profiles, whoami, doctor, completion, help]],
    ['For integrators:', [sandbox, sign]],
  ] as const
  for (const [heading, nouns] of groups) {
    program.commandsGroup(heading)
    for (const noun of nouns) noun(program, run)
  }
  return program
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
    .option('--no-truncate', 'whole values in tables')
    .option('--utc', 'times in UTC (default: local times)')
    .option('--color <when>', 'auto, always or never (NO_COLOR, FORCE_COLOR; default: auto)')
    .optionsGroup('Messages:')
    .option('--progress <how>', 'auto, bar, json or none (SVC_PROGRESS; default: auto)')
    .option('-q, --quiet', 'nothing on stderr but errors')
    .option('-v, --verbose', 'a line for each request; -vv: headers and bodies too', (_: string, before: number) => before + 1, 0)
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
    .optionsGroup('Options:')
}

/** The candidates for the last of `words`, a line each: what the scripts of `svc completion` read. */
export async function completionsOf(program: Command, words: readonly string[], host: Host): Promise<string> {
  const { complete } = await import('./commands/completion/complete.ts')
  return complete(program, words, host)
}

/** A usage error with what was probably meant and where to read on. */
export async function explainMistake(program: Command, words: readonly string[], error: Error & { code?: string }) {
  const { explain } = await import('./commands/help/mistake.ts')
  return explain(program, words, error)
}
