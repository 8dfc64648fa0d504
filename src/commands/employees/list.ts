import { fullName } from '../../api/by-name.ts'
import { limits } from '../../api/operations.ts'
import type { Employee } from '../../api/schemas.ts'
import { defineVerb, limitOption } from '../../cli/verb.ts'
import { id, rows, text, wide } from '../../output/result.ts'
import { lengthParser } from '../../values.ts'
import { groupDigits } from '../../words.ts'

type Filters = Readonly<Partial<Record<'kind' | 'status' | 'search', string>>>

/** Whether an employee has what the filters ask for, in any letter case. The service itself has no filters. */
function matches(employee: Employee, { kind, status, search = '' }: Filters) {
  const isWanted = (text: string | null | undefined, wanted: string | undefined) =>
    wanted === undefined || text?.toLowerCase() === wanted.toLowerCase()
  const searched = [fullName(employee), employee.position ?? '', employee.id]
  return (
    isWanted(employee.kind, kind) &&
    isWanted(employee.status, status) &&
    searched.some((text) => text.toLowerCase().includes(search.toLowerCase()))
  )
}

const kinds = ['human', 'ai'] as const

const maxEmployees = groupDigits(limits.employees)

export const verb = defineVerb({
  summary: 'list employees, human and AI',
  description: `List employees, human and AI. svc applies the filters; the service returns at most ${maxEmployees} employees.`,
  examples: [
    'svc employees list',
    'svc employees list --kind human --status active',
    'svc employees list --search berg -o ids',
  ],
  options: {
    kind: {
      value: 'kind',
      summary: 'human or ai',
      choices: kinds,
    },
    status: {
      value: 'status',
      summary: 'only employees with this status',
    },
    search: {
      value: 'text',
      parse: lengthParser({ min: 1, max: 1000 }),
      summary: 'only those whose name, position or id contains this',
    },
    ...limitOption,
  },
  isRead: true,
  columns: {
    ID: id('id'),
    NAME: text(fullName),
    KIND: text('kind'),
    POSITION: text('position'),
    STATUS: text('status'),
    ACCESS: wide(text('access')),
    CHANNELS: wide(id('channels')),
  },
  ids: 'id',
  act: async (context, _args, options) => {
    const all = await context.employees()
    const found = all.filter((employee) => matches(employee, options))
    return rows(found, { what: 'employees' })
  },
})
