import { definePairCommand } from '../../cli/bulk-command.ts'
import { assignOne } from './assign-one.ts'

export const assign = definePairCommand(
  {
    path: 'tickets assign',
    operation: 'tickets.assign',
    summary: 'change the assignee of a ticket',
    description:
      'Change the assignee of a ticket, or of the tickets in a file: ids with --to, or the columns ticket and employee.\n' +
      'Tickets that the service refuses are named, and the others are assigned. Each is read before its change; the service\n' +
      'has no conditional change, so someone else may change the assignee in between.',
    examples: [
      'svc tickets assign 64000004caa033e218000000 --to "Robin Berg"',
      'svc tickets assign --file tickets.txt --to "Robin Berg" --dry-run',
      'svc tickets assign --file changes.csv --receipts out.csv',
    ],
  },
  assignOne,
)
