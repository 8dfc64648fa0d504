/** The global options and the nouns. */
import { Command, Option } from '@commander-js/extra-typings'
import { parseChoice } from './args.ts'
import { api } from './commands/api.ts'
import { contacts } from './commands/contacts.ts'
import { employees } from './commands/employees.ts'
import { ids } from './commands/ids.ts'
import { lists } from './commands/lists.ts'
import { profiles } from './commands/profiles.ts'
import { runs } from './commands/runs.ts'
import { sandbox } from './commands/sandbox.ts'
import { tickets } from './commands/tickets.ts'
import type { Host } from './host.ts'
import type { Run } from './verb.ts'

const formats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'ids', 'transcript', 'html'] as const

/** Where commander's own texts (help, usage errors) go. */
export interface HelpOutput {
  writeOut(text: string): void
  writeErr(text: string): void
}

/** The whole tree of commands; nothing runs until it is handed words. */
export function buildProgram(host: Pick<Host, 'columns'>, run: Run, output: HelpOutput): Command {
  const program = new Command('svc')
  program
    .summary('operate contacts, lists, tickets and employees of a customer-conversation service')
    .description('Operate contacts, contact lists, tickets and employees of a customer-conversation service.')
    .exitOverride()
    .configureOutput({ ...output, getOutHelpWidth: () => host.columns() ?? 80, getErrHelpWidth: () => host.columns() ?? 80 })
    .helpCommand(false)
    .showSuggestionAfterError(true)
    .configureHelp({ showGlobalOptions: false })
  globalOptions(program)
  for (const noun of [lists, contacts, tickets, employees, runs, ids, profiles, api, sandbox]) noun(program, run)
  return program
}

function globalOptions(program: Command): void {
  program
    .option('-p, --profile <name>', 'which profile (SVC_PROFILE; default: the current one)')
    .option('--config <file>', 'use exactly this configuration file (SVC_CONFIG)')
    .option('--state-dir <folder>', 'where journals of bulk runs go (SVC_STATE_DIR)')
    .option('--base-url <url>', 'where the service is (SVC_BASE_URL; default: the profile’s)')
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
    .option('--utc', 'times in UTC')
    .option('--color <when>', 'auto, always or never (NO_COLOR, FORCE_COLOR)')
    .option('--progress <how>', 'auto, bar, json or none (SVC_PROGRESS)')
    .option('-q, --quiet', 'nothing on stderr but errors')
    .option('-v, --verbose', 'a line for each request; -vv: headers and bodies too', (_: string, before: number) => before + 1, 0)
    .addOption(
      new Option('--error-format <format>', 'text or json (default: json with -o json and ndjson)').argParser((text) =>
        parseChoice(text, '--error-format', ['text', 'json'] as const),
      ),
    )
    .option('--timeout <duration>', 'for one attempt (SVC_TIMEOUT; default: 30s)')
    .option('--retries <n>', 'attempts after the first (SVC_RETRIES; default: 3)')
    .option('--max-retry-wait <duration>', 'the longest single wait (default: 60s)')
    .option('-y, --yes', 'answer every confirmation with yes')
    .option('--no-input', 'never ask')
    .option('-V, --version', 'print the version')
}
