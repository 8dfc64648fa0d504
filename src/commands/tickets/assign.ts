import { assignRules } from '../../api/operations.ts'
import { bulkOptions, sendBulk } from '../../cli/bulk.ts'
import { defineVerb } from '../../cli/verb.ts'
import type { Operation, RunRecord } from '../../runs/engine.ts'
import { isSameId } from '../../identifiers.ts'
import { firstTexts, pluralize } from '../../words.ts'

/** One ticket in a request. It is read before its change, and again after a lost answer. */
export const operation: Operation<'tickets.assign'> = {
  name: 'tickets.assign',
  words: {
    verb: 'Assign',
    doing: 'assigning',
    run: 'assign',
    item: 'ticket',
    done: 'assigned',
  },
  most: 1,
  concurrency: 2,
  pairs: ['ticket', 'employee'],
  acceptable: ['kept'],
  isReadFirst: true,
  isRefusedAlone: true,
  request: ({ ids: [id = ''], target }) => ({
    ids: { ticketId: id },
    body: { newAssigneeId: target },
  }),
  senseOf({ ids: [id], target, expected }, answer) {
    const {
      ticketId,
      previousAssigneeId: assigneeBefore,
      newAssigneeId: assigneeAfter,
    } = answer
    if (!isSameId(ticketId, id)) return { problem: 'the answer is about another ticket' }
    if (!isSameId(assigneeAfter, target))
      return { problem: 'the answer is about another assignee' }
    // The service leaves it out, or sends null, if nobody had the ticket.
    if (assigneeBefore == null) return { outcomes: 'done' }
    const isTaken = wasTaken(assigneeBefore, expected)
    const message = `the ticket was taken from ${assigneeBefore}, who had it by then`
    return {
      outcomes: 'done',
      assigneeBefore,
      assigneeAfter,
      ...(isTaken && { message }),
    }
  },
  remarks(_, state) {
    // A 400 does not say which rule the service applied.
    const isUnexplained = state.items.ids.some((_id, index) => {
      const { o, st, seen } = state.resultOf(index) ?? {}
      return o === 'error' && st === 400 && seen === undefined
    })
    return [...(isUnexplained ? [assignRules] : []), ...takenRemarks(state)]
  },
}

/** Whether a ticket was with somebody else than expected by the time of its change. */
const wasTaken = (assigneeBefore: string, expected: string | undefined) =>
  expected !== undefined && !isSameId(assigneeBefore, expected)

/** Returns a remark on the tickets that were taken from somebody else. */
function takenRemarks(state: RunRecord['state']) {
  const taken: string[] = []
  for (const [index, id] of state.items.ids.entries()) {
    const expected = state.items.at(index).expected ?? state.head.ifAssignee?.id
    const { assigneeBefore } = state.resultOf(index) ?? {}
    if (assigneeBefore !== undefined && wasTaken(assigneeBefore, expected))
      taken.push(`${id}, from ${assigneeBefore}`)
  }
  if (taken.length === 0) return []
  const what = pluralize(taken.length, 'ticket was', 'tickets were')
  return [
    `${what} with somebody else by the time of the change:\n  ${firstTexts(taken).join('\n  ')}`,
  ]
}

export const verb = defineVerb({
  summary: 'change the assignee of a ticket',
  description:
    'Change the assignee of a ticket, or of those in a file of ids (with --to) or in a table with the columns ticket and employee. ' +
    'svc names the tickets that the service refuses, and assigns the others. It reads each ticket before it changes it. The service ' +
    'has no conditional change, so somebody else may change the assignee in between.',
  examples: [
    'svc tickets assign 64000004caa033e218000000 --to "Robin Berg"',
    'svc tickets assign --file tickets.txt --to "Robin Berg" --dry-run',
    'svc tickets assign --file changes.csv --receipts out.csv',
  ],
  arguments: [
    {
      name: 'ticket',
      summary: 'ticket id or web address; - for standard input',
    },
  ],
  options: {
    to: {
      value: 'employee',
      summary: 'the new assignee: employee id or "First Last"',
    },
    ifAssignee: {
      value: 'employee',
      summary: 'change only tickets of this employee (others: kept)',
    },
    ...bulkOptions(operation),
  },
  formats: ['table', 'json'],
  act: (context, [ticket], { to, ifAssignee, ...options }) =>
    sendBulk(context, {
      operation,
      ids: ticket === undefined ? [] : [ticket],
      parties: { to, ifAssignee },
      options,
    }),
})
