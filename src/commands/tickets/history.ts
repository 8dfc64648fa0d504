import { parseChoice, parseId, parseLimit, parseTime } from '../../values.ts'
import { usageError } from '../../errors.ts'
import { rows } from '../../output/result.ts'
import type { Context, Verb } from '../../cli/verb.ts'
import { messageView, namedMessageView } from '../../resources/message.ts'
import { examples } from '../../cli/options.ts'
import { rowLimit } from '../../cli/paging.ts'
import { grouped } from '../../words.ts'
import { employeeNames, employeesOf } from './names.ts'
import { readHistory, type HistoryChoice } from './walk.ts'

export const history: Verb = (tickets, run) =>
  tickets
    .command('history')
    .summary('show the messages of a ticket')
    .description(
      'Show the messages of a ticket, as rows, as a conversation (-o transcript) or as a web page to share (-o html).',
    )
    .argument('<ticket>', 'ticket id', (text) => parseId(text, 'the ticket'))
    .option(
      '--limit <n|all>',
      'the newest n messages (default: 50 for table and transcript, all for other formats)',
      (text) => parseLimit(text),
    )
    .option('--cursor <id>', 'resume where an earlier output ended: its nextChunkStartMessageId')
    .option('--since <time|age>', 'only messages from this time on: 2026-03-01, 2026-03-01T10:00:00Z, 2d')
    .option('--until <time|age>', 'only messages before this time')
    .option('--order <order>', 'newest or oldest first (default: newest; transcript and html: oldest)', (text) =>
      parseChoice(text, '--order', ['newest', 'oldest'] as const),
    )
    .addHelpText(
      'after',
      examples(
        'svc tickets history 64000004caa033e218000000',
        'svc tickets history 64000004caa033e218000000 -o transcript --since 7d',
        'svc tickets history 64000004caa033e218000000 -o html > ticket.html',
      ),
    )
    .action(
      run(messageView, async (context, ticket, options) => {
        const choice = historyChoice(options, context)
        const api = await context.api()
        const employees = employeesOf(context)
        const isTable = context.print.format === 'table' && context.print.fields === undefined
        const showsNames = isTable || context.print.shown.includes('sender')
        // On their way beside the first chunk; what goes wrong with them is said below.
        if (showsNames) employees().catch(() => undefined)
        const { ticket: found, messages } = await readHistory(api, ticket, choice)
        const names = showsNames ? await employeeNames(context, employees) : new Map<string, string>()
        return rows(messages, {
          ...(isTable ? { view: namedMessageView(names) } : {}),
          empty: 'no messages',
          frame: { key: 'messages', before: { ticket: found }, cursor: 'nextChunkStartMessageId' },
          conversation: { ticket: found, names, source: { profile: await profileOf(context), part: partOf(choice) } },
        })
      }),
    )

interface HistoryOptions {
  readonly limit?: number | 'all'
  readonly cursor?: string
  readonly since?: string
  readonly until?: string
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

/** The profile's name, or without one where the service is. */
async function profileOf(context: Context): Promise<string> {
  const { name, baseUrl } = (await context.configuration()).profile()
  return name ?? new URL(baseUrl).host
}

/** Which messages were asked for: `the newest 50 messages, since 2026-03-01T00:00:00.000Z`. */
function partOf({ limit, cursor, since, until }: HistoryChoice): string {
  const at = (time: number): string => new Date(time).toISOString()
  return [
    limit === Infinity ? 'all messages' : `the newest ${grouped(limit)} messages`,
    ...(cursor === undefined ? [] : [`from the cursor ${cursor}`]),
    ...(since === undefined ? [] : [`since ${at(since)}`]),
    ...(until === undefined ? [] : [`before ${at(until)}`]),
  ].join(', ')
}
