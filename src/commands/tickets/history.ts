import { parseChoice, parseId, parseLimit, parseTime } from '../../values.ts'
import { usageError } from '../../errors.ts'
import { rows } from '../../output/result.ts'
import type { Verb } from '../../cli/verb.ts'
import { messageView } from '../../resources/message.ts'
import { examples } from '../../cli/options.ts'
import { rowLimit } from '../../cli/paging.ts'
import { employeeNames, employeesOf } from './names.ts'
import { readHistory } from './walk.ts'

export const history: Verb = (tickets, run) =>
  tickets
    .command('history')
    .summary('show the messages of a ticket')
    .description(
      'Show the messages of a ticket, as rows, as a conversation (-o transcript) or as a page to hand on (-o html).',
    )
    .argument('<ticket>', 'ticket id', (text) => parseId(text, 'the ticket'))
    .option(
      '--limit <n|all>',
      'the newest n messages (default: 50 for table and transcript, all for other formats)',
      (text) => parseLimit(text),
    )
    .option('--cursor <id>', 'go on where an earlier output ended: its nextChunkStartMessageId')
    .option('--since <time|age>', 'only messages from then on: 2026-03-01, 2026-03-01T10:00:00Z, 2d')
    .option('--until <time|age>', 'only messages before then')
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
      run(messageView, async (tools, ticket, options) => {
        if (options.cursor === '') throw usageError('--cursor must not be empty')
        const now = tools.host.now()
        const { format } = tools.print
        const reading = format === 'transcript' || format === 'html'
        const order = options.order ?? (reading ? 'oldest' : 'newest')
        if (reading && order === 'newest')
          throw usageError(`-o ${format} reads from the oldest message on; leave --order out`)
        const since = options.since === undefined ? undefined : parseTime(options.since, now, '--since')
        const until = options.until === undefined ? undefined : parseTime(options.until, now, '--until')
        if (since !== undefined && until !== undefined && since >= until)
          throw usageError('--since must be before --until')
        const limit = await rowLimit(tools, options.limit)
        const api = await tools.api()
        const walk = await readHistory(api, ticket, { limit, cursor: options.cursor, since, until, order })
        const names = reading ? await employeeNames(tools, employeesOf(tools)) : new Map<string, string>()
        return rows(
          walk.messages((words) => tools.note(words)),
          {
            empty: 'no messages',
            frame: { key: 'messages', before: () => ({ ticket: walk.ticket }), after: () => walk.closing() },
            after: () => {
              const left = walk.leftOut()
              if (left !== undefined) tools.note(left)
            },
            async *render(format, messages) {
              const leftOut = (): string | undefined => walk.leftOutInWords()
              const conversation = { ticket: walk.ticket, messages, names, print: tools.print, leftOut }
              if (format === 'html') yield* (await import('../../output/formats/html.ts')).page(conversation)
              else yield* (await import('../../output/formats/transcript.ts')).transcript(conversation)
            },
          },
        )
      }),
    )
