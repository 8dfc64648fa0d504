/** Options that several verbs share, declared once. */
import type { Command } from '@commander-js/extra-typings'
import { parseCount, parseDuration, parseLimit, parseShard } from '../args.ts'

const inputFormats = ['auto', 'lines', 'csv', 'json', 'ndjson'] as const

function collect(value: string, before: string[]): string[] {
  return [...before, value]
}

/** `--limit`, `--page`, `--page-size`. */
export function pagingOptions(command: Command) {
  return command
    .option('--limit <n|all>', 'the most rows (default: 50 for table, all for other formats)', (text) => parseLimit(text))
    .option('--page <n>', 'exactly this page, from 1', (text) => parseCount(text, '--page', { min: 1 }))
    .option('--page-size <n>', 'rows a request, 1 to 100 (default: 100; with --page: 20)', (text) =>
      parseCount(text, '--page-size', { min: 1, max: 100 }),
    )
}

/** Options of the commands that take ids in bulk. */
export function bulkOptions(command: Command) {
  return command
    .option('--file <path>', 'a file of ids, or - for standard input; may be repeated', collect, [] as string[])
    .option('--input-format <format>', `what the files are: ${inputFormats.join(', ')} (default: auto)`)
    .option('--column <name|n>', 'which column or key carries the id')
    .option('--skip-invalid', 'leave bad lines out instead of refusing the input')
    .option('--rejects <file>', 'write the bad lines to this file (with --skip-invalid)')
    .option('--batch-size <n>', 'ids a request, 1 to 100 (default: 100)', (text) =>
      parseCount(text, '--batch-size', { min: 1, max: 100 }),
    )
    .option('--concurrency <n>', 'requests in flight, 1 to 32', (text) => parseCount(text, '--concurrency', { min: 1, max: 32 }))
    .option('--dry-run', 'read, check and count; send no change')
    .option('--expect <n>', 'refuse unless exactly n ids would be sent', (text) => parseCount(text, '--expect'))
    .option('--max-failures <n>', 'stop after n batches in error or unknown (default: three in a row)', (text) =>
      parseCount(text, '--max-failures', { min: 1 }),
    )
    .option('--deadline <duration>', 'start no batch after this time', (text) => parseDuration(text, '--deadline'))
    .option('--shard <i/n>', 'only the i-th of n parts of the input', (text) => parseShard(text))
    .option('--receipts <file>', 'write what became of each id to this .csv or .ndjson file')
    .option('--no-journal', 'do not record the run; it cannot be resumed then')
    .addHelpText('after', () => `\n${bulkHelp(command)}`)
}

function bulkHelp(command: Command): string {
  const name = `svc ${command.parent?.name() ?? ''} ${command.name()}`
  const lines = [
    'With -o ndjson what became of each id is printed as it is known, and the summary is a line on stderr. A stopped run is',
    'gone on with by svc runs resume.',
  ]
  if (name === 'svc contacts merge') return lines.join('\n')
  const target = command.name() === 'add-contacts' ? ' VIP' : ''
  const to = command.name() === 'assign' ? ' --to "Anna Berg"' : ''
  const run = `${name}${target} --file ids.txt${to} --yes`
  return [
    ...lines,
    '',
    'Sharing one file (--shard i/n): each part reads the whole file and sends only its own batches; together they send each',
    'batch exactly once. Name a receipts file for each part.',
    `  CI matrix       part: [1, 2, 3, 4], then  ${run} --shard "$PART/4"`,
    `  GNU parallel    seq 4 | parallel ${run} --shard {}/4`,
    `  Kubernetes Job  completionMode: Indexed, completions: 4, then in sh -c`,
    `                  ${run} --shard "$((JOB_COMPLETION_INDEX + 1))/4"`,
  ].join('\n')
}

/** Examples for the end of a help text; each runs as it stands against the sandbox. */
export function examples(...lines: string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n')
}
