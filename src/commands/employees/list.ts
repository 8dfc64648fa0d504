import { rowLimit } from '../../cli/options.ts'
import { parseChoice, parseId, parseLimit } from '../../values.ts'
import type { Employee } from '../../api/schemas.ts'
import { limits } from '../../api/limits.ts'
import { fullName } from '../../api/names.ts'
import { usageError } from '../../errors.ts'
import { rows } from '../../output/result.ts'
import { defineCommand, schemaOf, type Verb } from '../../cli/verb.ts'
import { employeeView } from '../../resources/employee.ts'

type Filters = Readonly<Partial<Record<'kind' | 'status' | 'channel' | 'search', string>>>

/** All filters work on this side: the operation has no parameters. */
function matches(employee: Employee, { kind, status, channel, search }: Filters): boolean {
  if (kind !== undefined && employee.kind !== kind) return false
  if (status !== undefined && employee.status?.toLowerCase() !== status.toLowerCase()) return false
  if (channel !== undefined && employee.channels?.some((id) => id.toLowerCase() === channel.toLowerCase()) !== true)
    return false
  if (search === undefined) return true
  const wanted = search.toLowerCase()
  return [fullName(employee), employee.position ?? '', employee.id].some((text) => text.toLowerCase().includes(wanted))
}

export const list: Verb = (employees, run) =>
  defineCommand(employees, 'list', 'list employees, human and AI', [
    'svc employees list',
    'svc employees list --kind human --status active',
    'svc employees list --search berg -o ids',
  ])
    .description('List employees, human and AI. svc applies the filters; the service returns at most 1,000 employees.')
    .option('--kind <kind>', 'human or ai', (text) => parseChoice(text, '--kind', ['human', 'ai'] as const))
    .option('--status <status>', 'only employees with this status')
    .option('--channel <id>', 'only those with access to this channel', (text) => parseId(text, '--channel'))
    .option('--search <text>', 'only those whose name, position or id contains this')
    .option('--limit <n|all>', 'the maximum number of rows (default: 50 for table, all for other formats)', parseLimit)
    .action(
      run({ ...employeeView, schema: schemaOf('Employees') }, async (context, options) => {
        if (options.search === '') throw usageError('--search needs at least one character')
        const limit = rowLimit(context.print, options.limit)
        const { employees } = await context.api()
        const all = await employees.list()
        const found = all.filter((employee) => matches(employee, options))
        const shown = found.slice(0, limit)
        const isFull = all.length >= limits.employees
        return rows(shown, {
          what: 'employees',
          empty: all.length === 0 ? 'no employees' : 'no employees match',
          ending: {
            shown: shown.length,
            total: found.length,
            missing: shown.length < found.length ? 'limit' : undefined,
            notes: isFull ? ['the service returns at most 1,000 employees; there may be more'] : [],
          },
        })
      }),
    )
