/** What a change of assignee needs, each rule marked by what can be seen from here. */
import { assignRules } from '../../api/limits.ts'
import type { Employee, Ticket } from '../../api/schemas.ts'

export interface Seen {
  readonly ticket: Ticket | undefined
  /** Undefined when they could not be read. */
  readonly employees: readonly Employee[] | undefined
  readonly wanted: string
}

/** Undefined: cannot be seen. */
type Holds = boolean | undefined

export function markedRules({ ticket, employees, wanted }: Seen): string {
  const employee = employees?.find(({ id }) => id.toLowerCase() === wanted.toLowerCase())
  const assignee = ticket?.assigneeId
  const { title, rules } = assignRules
  const marked: [Holds, string][] = [
    [ticket?.status == null ? undefined : ticket.status === 'active', rules.active + said(ticket?.status)],
    [ticket === undefined ? undefined : assignee != null, rules.assigned],
    [undefined, rules.current],
    [isActive(employees, employee), rules.employee + said(employee?.status)],
    [ticket === undefined ? undefined : assignee?.toLowerCase() !== wanted.toLowerCase(), rules.another],
    // Which channel the ticket has is not shown; an employee without any has no access to it.
    [employee?.channels?.length === 0 ? false : undefined, rules.channel],
  ]
  return [
    title,
    ...marked.map(([holds, rule]) => `  ${(holds === undefined ? 'unknown' : holds ? 'yes' : 'no').padEnd(9)}${rule}`),
  ].join('\n')
}

/** The allowed values of an employee's status are not shown; only the two plain words are taken at their word. */
function isActive(employees: Seen['employees'], employee: Employee | undefined): Holds {
  if (employees === undefined) return undefined
  if (employee === undefined) return false
  const status = employee.status?.toLowerCase()
  return status === 'active' ? true : status === 'inactive' ? false : undefined
}

/** The service's word, on one line. */
function said(status: string | null | undefined): string {
  return status == null ? '' : ` (it is ${JSON.stringify(status)})`
}
