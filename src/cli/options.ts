/** Options that several verbs share, declared once. */
import { Option, type Command, type CommandUnknownOpts, type OptionValues } from '@commander-js/extra-typings'
import type { Paging } from '../api/paginate.ts'
import { acceptable } from '../bulk/operations/outcome.ts'
import { operationOf } from '../bulk/operations/operations.ts'
import type { BulkOperation } from '../bulk/record/events.ts'
import { inputFormats } from '../ids/formats.ts'
import { parseChoices, parseCount, parseDuration, parseLimit, parseRate, parseShard } from '../values.ts'
import { usageError } from '../errors.ts'
import type { PrintOptions } from '../output/result.ts'

export function collect(value: string, before: string[]): string[] {
  return [...before, value]
}

export function pagingOptions(command: Command) {
  return command
    .option('--limit <n|all>', 'the maximum number of rows (default: 50 for table, all for other formats)', parseLimit)
    .option('--page <n>', 'only this page, counted from 1', (text) => parseCount(text, '--page', { min: 1 }))
    .option('--page-size <n>', 'rows per request, 1 to 100 (default: 100; with --page: 20)', (text) =>
      parseCount(text, '--page-size', { min: 1, max: 100 }),
    )
}

type PagingOptions = ReturnType<ReturnType<typeof pagingOptions>['opts']>

/** The most rows: as typed, else what goes with the format. */
export function rowLimit(print: PrintOptions, typed: number | 'all' | undefined): number {
  if (typed === undefined) return print.rowLimit
  return typed === 'all' ? Infinity : typed
}

export function paging(print: PrintOptions, { limit, page, pageSize }: PagingOptions): Paging {
  // One page was asked for: only a typed limit cuts it.
  if (page === undefined) return { limit: rowLimit(print, limit), pageSize }
  return { limit: typeof limit === 'number' ? limit : Infinity, page, pageSize }
}

/** Throws exit 2 when it is empty or longer than 500 code points. */
function parseReason(text: string): string {
  const { length } = Array.from(text)
  if (text.trim() !== '' && length <= 500) return text
  throw usageError(`--reason takes text of 1 to 500 characters, not ${length}`)
}

const rateText = 'at most n requests per second, retries included; with --shard, divided among the parts'

/** Options of the commands that take ids in bulk. Options that the command declares before come first. */
export function bulkOptions(command: Command, operation: BulkOperation) {
  const { most, concurrency } = operationOf(operation).batch
  const begun = command
    .optionsGroup('Input (svc help id-files):')
    .option('--file <path>', 'a file of ids, or - for standard input; repeatable', collect, [] as string[])
    .option('--column <name|n>', 'the column or key with the ids')
    .option('--sheet <name>', 'the sheet of a workbook')
    .option('--where <column=value>', 'only rows of a table with this value; repeatable', collect, [] as string[])
    .option('--skip-invalid', 'skip bad lines instead of refusing the input')
    .option('--allow-empty', 'accept an input without any id (default: exit 2)')
    .optionsGroup('Safety (svc help bulk):')
    .option('--dry-run', 'read, check and count; change nothing')
    .option('--expect <n>', 'refuse unless exactly n ids would be sent', (text) => parseCount(text, '--expect'))
    .option('--once <name>', 'do this job once: repeating the command resumes it')
    .addOption(
      new Option('--plan <file>', 'write a plan to be approved and applied; send nothing').conflicts([
        ...['once', 'newKey', 'takeOver', 'dryRun', 'shard', 'receipts', 'annotate'],
        ...['concurrency', 'maxFailures', 'deadline', 'rate', 'accept'],
      ]),
    )
    .option('--key <file>', 'the SSH key that signs a plan as its author')
    .option('--reason <text>', 'why; kept with the run or plan', parseReason)
    .optionsGroup('Files:')
    .option('--receipts <file>', 'write the outcome of each id (.csv or .ndjson)')
    .option('--annotate <file>', 'write the input again with outcomes (.csv or .xlsx)')
    .option('--rejects <file>', 'write the bad lines (with --skip-invalid)')
    .optionsGroup('Advanced:')
    .option('--input-format <format>', `what the files are: ${inputFormats.join(', ')} (default: auto)`)
    .addOption(
      new Option('--batch-size <n>', `ids per request, 1 to ${most} (default: ${most})`)
        .argParser((text) => parseCount(text, '--batch-size', { min: 1, max: 100 }))
        .hideHelp(most === 1),
    )
    .addOption(concurrencyOption(` (default: ${concurrency}; fewer after 429 and 503)`))
    .option('--rate <n/s>', rateText, (text) => parseRate(text))
  return stopOptions(begun)
    .option('--shard <i/n>', 'send only part i of n, so that n machines can share one file', parseShard)
    .option('--expires <duration>', 'how long a plan can be applied (default: 72h)', (text) =>
      parseDuration(text, '--expires', { min: 1 }),
    )
    .option('--new-key', 'resume it with a different key from the one it started with (with --once)')
    .option('--take-over', 'take the lock of a run or name whose holder has shown no sign of life for a minute')
    .optionsGroup('Options:')
}

export function sessionOptions<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return repeatOptions(command).option(
    '--annotate <file>',
    'write the input again with the outcome of each row to this .csv or .xlsx file',
  )
}

/** Options that change how a plan is sent, and not what. */
export function applyOptions(command: Command) {
  return stopOptions(repeatOptions(command).addOption(concurrencyOption()))
}

function concurrencyOption(more = '') {
  return new Option('--concurrency <n>', `requests in flight, 1 to 32${more}`).argParser((text) =>
    parseCount(text, '--concurrency', { min: 1, max: 32 }),
  )
}

function stopOptions<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .option('--max-failures <n>', 'stop after n batches that failed or are unknown (default: three in a row)', (text) =>
      parseCount(text, '--max-failures', { min: 1 }),
    )
    .option('--deadline <duration>', 'start no new batch after this time', (text) => parseDuration(text, '--deadline'))
    .option('--accept <outcomes>', `outcomes that count as done: ${acceptable.join(', ')}`, (text) =>
      parseChoices(text, '--accept', acceptable),
    )
}

function repeatOptions<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .option('--new-key', 'resume with a different key from the one the run started with')
    .option('--rate <n/s>', `${rateText} (default: as when the run started)`, (text) => parseRate(text))
    .option('--max-delete <n>', 'refuse if the whole input is a delete of more than n', (text) =>
      parseCount(text, '--max-delete'),
    )
    .option('--take-over', 'take the lock of a run whose holder has shown no sign of life for a minute')
    .option('--receipts <file>', 'write the outcome of each id to this .csv or .ndjson file')
}

const alsoForOne: ReadonlySet<string> = new Set(['file', 'dryRun', 'into', 'to', 'ifAssignee'])

/** Options of a run of many mean nothing for one thing: they are refused, not ignored. Throws exit 2. */
export function refuseRunOptions(command: CommandUnknownOpts): void {
  for (const option of command.options) {
    const name = option.attributeName()
    if (alsoForOne.has(name) || command.getOptionValueSource(name) !== 'cli') continue
    throw usageError(`${option.long ?? option.flags} goes with --file only`)
  }
}
