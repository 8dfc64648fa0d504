import { say, svc } from '../../message.ts'
import { defineCommand } from '../../cli/command.ts'
import { parseTicket } from '../../values.ts'
import { findEmployee, parseReference } from '../../api/names.ts'
import { SvcError, usageError } from '../../errors.ts'
import { one } from '../../output/result.ts'
import { schemaOf, type Context } from '../../cli/verb.ts'
import type { BulkOptions } from '../../bulk/tools.ts'
import { assignView } from '../../views/assign.ts'
import { assignOutcomeView } from '../../views/bulk.ts'
import { bulkOptions, refuseRunOptions } from '../../cli/bulk-options.ts'
import { assignOne, previewAssign, type AssignChoice } from './assign-one.ts'
import { askNear } from '../near-names.ts'
import { chooseEmployee, employeesByName, employeesOf, type Employees } from './names.ts'

export const assign = defineCommand({
  path: 'tickets assign',
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
  arguments: [{ name: 'ticket', summary: 'ticket id, or an address with one ticket id in it' }],
  options: {
    ...bulkOptions('tickets.assign'),
    to: {
      value: 'employee',
      summary: 'the new assignee: employee id or "First Last"; asked for on a terminal',
    },
    ifAssignee: { value: 'employee', summary: 'only while this employee is the assignee' },
  },
  effect: 'tickets.assign',
  shows: { ...assignView, schema: schemaOf('Assigned') },
  bulkShows: { ...assignOutcomeView, schema: schemaOf('Summary') },
  run: async (context, ticket, options) => {
    const { bulk } = context
    const { to, ifAssignee } = options
    const employees = employeesOf(context)
    const accept = askNear(context)
    const find = (text: string) => () => findEmployee(employees, text, accept)
    if (to !== undefined) parseReference(to, 'employee')
    if (ifAssignee !== undefined) parseReference(ifAssignee, 'employee')
    const condition = ifAssignee === undefined ? {} : { ifAssignee: find(ifAssignee) }
    const typed = {
      ...(to === undefined ? {} : { to }),
      ...(ifAssignee === undefined ? {} : { ifAssignee }),
    }
    if (options.file.length > 0) {
      if (ticket !== undefined) throw usageError('--file cannot be used with a ticket')
      if (to !== undefined) {
        const job = await bulk.jobOfIds('tickets.assign', [], options)
        return bulk.start({ job, target: { find: find(to), ...condition, typed } })
      }
      const { job, chosen } = await jobOfFile(context, options, employees)
      if (chosen === undefined) {
        return bulk.start({
          job,
          target: { resolve: employeesByName(employees), ...condition, typed },
        })
      }
      const target = {
        find: () => Promise.resolve(chosen),
        ...condition,
        typed: { ...typed, to: chosen.id },
      }
      return bulk.start({ job, target })
    }
    if (ticket === undefined) throw isMissing('the ticket, and its new assignee with --to')
    refuseRunOptions(options)
    const ticketId = parseTicket(ticket)
    const choose = async (): Promise<AssignChoice> => {
      const wanted = to === undefined ? await chooseEmployee(context, employees) : await find(to)()
      if (wanted === undefined) throw isMissing('the new assignee with --to')
      return { ticketId, wanted, expected: await condition.ifAssignee?.(), employees }
    }
    return options.dryRun === true
      ? previewAssign(context, await choose())
      : one(...(await assignOne(context, choose)))
  },
})

/** The job of a file of pairs, or of tickets alone and who is chosen to have all of them. */
async function jobOfFile(context: Context, options: BulkOptions, employees: Employees) {
  try {
    return {
      chosen: undefined,
      job: await context.bulk.jobOfPairs('tickets.assign', options, true),
    }
  } catch (error) {
    // Standard input cannot be read a second time.
    const isAskable =
      error instanceof SvcError &&
      error.details.lacksEmployees === true &&
      !options.file?.includes('-')
    const chosen = isAskable ? await chooseEmployee(context, employees) : undefined
    if (chosen === undefined) throw error
    return { chosen, job: await context.bulk.jobOfIds('tickets.assign', [], options) }
  }
}

function isMissing(what: string): SvcError {
  return usageError(
    `name ${what}`,
    say`${svc`tickets assign <ticket> --to <employee>`}, or --file <file>`,
  )
}
