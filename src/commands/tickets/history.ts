import { parseChoice, parseCount, parseLimit, parseTicket, parseTime } from '../../values.ts'
import type { Message } from '../../api/schemas.ts'
import { usageError } from '../../errors.ts'
import { rows } from '../../output/result.ts'
import { defineCommand, schemaOf, type Context, type Verb } from '../../cli/verb.ts'
import { messageView } from '../../resources/message.ts'
import { collect, rowLimit } from '../../cli/options.ts'
import { inputFormats } from '../../ids/formats.ts'
import { HistoryReader, type HistoryChoice } from './reading.ts'
import type { SeveralOptions } from './several.ts'

export const history: Verb = (tickets, run) =>
  defineCommand(tickets, 'history', 'show the messages of tickets', [
    'svc tickets history 64000004caa033e218000000 -o transcript --since yesterday',
    'svc tickets history 64000004caa033e218000000 --out ticket.html',
    'svc tickets history --file tickets.txt -o ndjson',
  ])
    .description(
      'Show the messages of a ticket, as rows, as a conversation (-o transcript) or as a web page to share (-o html).\n' +
        'Several tickets are shown in the order in which they are given; a page holds one ticket. A ticket that cannot be read\n' +
        'is reported, and the others are read.',
    )
    .argument('[tickets...]', 'ticket ids, or addresses with one ticket id in them')
    .option(
      '--limit <n|all>',
      'the newest n messages of each (default: 50 for table and transcript, all for other formats and for files)',
      parseLimit,
    )
    .option('--cursor <id>', 'resume where an earlier output of one ticket ended: its nextChunkStartMessageId')
    .option(
      '--since <time|age>',
      'only messages from this time on: 2026-03-01, 2026-03-01T10:00:00Z, 2d, 1w, yesterday (local midnight)',
    )
    .option('--until <time|age>', 'only messages before this time')
    .option('--order <order>', 'newest or oldest first (default: newest; transcript and html: oldest)', (text) =>
      parseChoice(text, '--order', ['newest', 'oldest'] as const),
    )
    .optionsGroup('Several tickets:')
    .option(
      '--file <path|->',
      'a file of ticket ids or addresses, or - for standard input (svc help id-files); repeatable',
      collect,
      [] as string[],
    )
    .option('--input-format <format>', `what the files are: ${inputFormats.join(', ')} (default: auto)`, (text) =>
      parseChoice(text, '--input-format', inputFormats),
    )
    .option('--column <name|n>', 'the column or key with the id')
    .option('--sheet <name>', 'the sheet of a workbook (default: the only one with content)')
    .option('--where <column=value>', 'only rows of a table with this value; repeatable', collect, [] as string[])
    .option('--skip-invalid', 'skip bad lines instead of refusing the input')
    .option('--concurrency <n>', 'tickets read at the same time, 1 to 32 (default: 4)', (text) =>
      parseCount(text, '--concurrency', { min: 1, max: 32 }),
    )
    .optionsGroup('Options:')
    .action(run({ ...messageView, schema: schemaOf('Histories') }, showHistory))

async function showHistory(context: Context, words: readonly string[], options: HistoryOptions) {
  const choice = historyChoice(options, context)
  const [ticket, ...others] = words
  if (ticket === undefined || others.length > 0 || options.file.length > 0) {
    const { showSeveral } = await import('./several.ts')
    return showSeveral(context, words, options, choice)
  }
  const reader = new HistoryReader(context, choice)
  const { messages, more } = await reader.open(parseTicket(ticket))
  return rows<Message>(messages, { ...more, view: await reader.viewFor(messageView) })
}

interface HistoryOptions extends SeveralOptions {
  readonly order?: 'newest' | 'oldest'
}

/** Throws exit 2 for what contradicts itself. */
function historyChoice(options: HistoryOptions, { host, print }: Context): HistoryChoice {
  const { cursor, order = print.order ?? 'newest' } = options
  if (cursor === '') throw usageError('--cursor must not be empty')
  if (print.order !== undefined && order !== print.order)
    throw usageError('a transcript and a page start with the oldest message; leave out --order')
  const time = (text: string | undefined, option: string): number | undefined =>
    text === undefined ? undefined : parseTime(text, host.now(), option)
  const since = time(options.since, '--since')
  const until = time(options.until, '--until')
  if (since !== undefined && until !== undefined && since >= until) throw usageError('--since must be before --until')
  return { limit: rowLimit(print, options.limit), cursor, since, until, order }
}
