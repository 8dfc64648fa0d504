/** The tickets of an assign as they are before it: their status, who has them, and whether the new assignee can take them. */
import { namesOf } from '../../api/names.ts'
import type { Employee, Ticket } from '../../api/schemas.ts'
import { SvcError } from '../../errors.ts'
import { safe } from '../../safe-text.ts'
import { groupDigits } from '../../words.ts'
import { isSameId } from '../batch.ts'
import type { ResolvedJob, RunTools } from '../jobs/job.ts'
import { employeeOf, isActive } from '../operations/assign.ts'

export const ticketColumns = {
  STATUS: 'status',
  ASSIGNEE: 'assignee',
  'CAN TAKE': 'canTake',
} as const

/** How many tickets are read at the same time. */
const readAtOnce = 4

type TicketsAsked = Pick<ResolvedJob, 'items' | 'parameters'>

/** A ticket before its change. */
interface TicketNow {
  status: string
  assignee: string
  /** `yes`, or why not. */
  canTake: string
}

/** The tickets in the order of the job. Throws errors that all of them would have. */
export async function readTicketsNow(
  tools: Pick<RunTools, 'api' | 'employees'>,
  job: TicketsAsked,
): Promise<TicketNow[]> {
  const { items } = job
  const [{ tickets }, employees] = await Promise.all([tools.api(), tools.employees()])
  const names = namesOf(employees)
  const found: TicketNow[] = []
  let next = 0
  async function readOn() {
    for (let position = next++; position < items.size; position = next++) {
      try {
        const { ticket } = await tickets.chunk(items.at(position).id)
        const { status, assigneeId } = ticket
        const assignee =
          assigneeId == null ? '' : (names.get(assigneeId.toLowerCase()) ?? assigneeId)
        const canTake = verdictOn(ticket, position, job, employees)
        found[position] = { status: status ?? '', assignee, canTake }
      } catch (error) {
        if (!(error instanceof SvcError) || !isAboutOne(error)) throw error
        found[position] = {
          status: '',
          assignee: '',
          canTake: `unknown: ${safe(error.message)}`,
        }
      }
    }
  }
  await Promise.all(Array.from({ length: readAtOnce }, readOn))
  return found
}

/** Whether the error says nothing about other tickets. */
function isAboutOne({ category }: SvcError) {
  return category === 'rejected' || category === 'forbidden'
}

/** Whether the new assignee can take a ticket, by the rules that svc knows. The service has more. */
function verdictOn(
  { status, assigneeId }: Ticket,
  position: number,
  { items, parameters }: TicketsAsked,
  employees: readonly Employee[],
) {
  const { to, ifAssignee } = parameters
  const wanted = items.at(position).other ?? to?.id ?? ''
  if (assigneeId == null) return 'no: nobody has it'
  if (isSameId(assigneeId, wanted)) return 'has it already'
  if (ifAssignee !== undefined && !isSameId(assigneeId, ifAssignee.id)) return 'kept'
  if (status !== 'active') return `no: it is ${status ?? 'of no status'}`
  const employee = employeeOf(employees, wanted)
  if (isActive(employees, employee) === false) return 'no: not active'
  return employee?.channels?.length === 0 ? 'no: no channels' : 'yes'
}

/** `the new assignee can take: 3 yes, 1 kept`. */
export function countTickets(tickets: readonly TicketNow[]): string {
  const verdicts = tickets.map(({ canTake }) => canTake.replace(/:.*/s, ''))
  const counts = [...new Set(verdicts)].map((verdict) => {
    const { length } = verdicts.filter((each) => each === verdict)
    return `${groupDigits(length)} ${verdict}`
  })
  return `the new assignee can take: ${counts.join(', ')}`
}
