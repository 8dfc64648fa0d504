/** What the answer to an assign says: which ticket, and its employees before and after. */
import { expect, it } from 'vitest'
import { operation } from '../../../src/commands/tickets/assign.ts'
import { idOf } from '../../support/inputs.ts'

const [ticket, ada, robin, somebody] = [1, 2, 3, 4].map(idOf) as [string, string, string, string]
const answer = { ticketId: ticket.toUpperCase(), previousAssigneeId: ada, newAssigneeId: robin }

it.each<[string, Partial<typeof answer>, string | undefined, object]>([
  [
    'it is assigned',
    {},
    undefined,
    { outcomes: 'done', assigneeBefore: ada, assigneeAfter: robin },
  ],
  ['nobody had it', { previousAssigneeId: null as never }, undefined, { outcomes: 'done' }],
  [
    'the employee of --if-assignee had it',
    {},
    ada,
    { outcomes: 'done', assigneeBefore: ada, assigneeAfter: robin },
  ],
  [
    'it was taken meanwhile',
    { previousAssigneeId: somebody },
    ada,
    {
      outcomes: 'done',
      assigneeBefore: somebody,
      assigneeAfter: robin,
      message: expect.stringContaining(somebody) as string,
    },
  ],
  [
    'it is about another ticket',
    { ticketId: somebody },
    undefined,
    { problem: expect.stringContaining('another ticket') as string },
  ],
  [
    'it is about another assignee',
    { newAssigneeId: ada },
    undefined,
    { problem: expect.stringContaining('another assignee') as string },
  ],
])('%s', (_, change, expected, told) => {
  const batch = { ids: [ticket], target: robin, expected, outcomesBefore: [] }
  expect(operation.senseOf(batch, { ...answer, ...change })).toEqual(told)
})
