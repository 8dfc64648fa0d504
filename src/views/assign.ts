import { columnsFor } from '../output/columns.ts'
import type { AssignResult } from '../api/schemas.ts'
import type { View } from '../output/result.ts'

/** A changed assignee: both by name where known, and the command that undoes the change. */
export type AssignRow = AssignResult &
  Readonly<Partial<Record<'before' | 'after' | 'undo', string | undefined>>>

export const assignView: View<AssignRow> = {
  columns: columnsFor('ticketId as TICKET', 'before', 'after', 'undo'),
  computed: {
    before: ({ before, previousAssigneeId }) => before ?? previousAssigneeId,
    after: ({ after, newAssigneeId }) => after ?? newAssigneeId,
    undo: ({ undo }) => undo,
  },
  id: ({ ticketId }) => ticketId,
}
