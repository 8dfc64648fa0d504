/**
 * Shows the people of a run before anything is sent: rows of the user's own table, and with `--who` their names and lists,
 * or their tickets as they are now. Questions and dry runs show them, so that a wrong file is noticed in time.
 */
import { fullName, namesOf } from '../../api/names.ts'
import { readPeople } from '../../api/people.ts'
import type { Employee, Ticket } from '../../api/schemas.ts'
import { SvcError } from '../../errors.ts'
import { isId, unwrapId } from '../../input/id.ts'
import { fewShown, type Sample } from '../../input/search.ts'
import type { Column } from '../../output/columns.ts'
import type { PrintOptions } from '../../output/result.ts'
import { safe } from '../../safe-text.ts'
import { columnName, groupDigits } from '../../words.ts'
import { isSameId } from '../batch.ts'
import type { ResolvedJob, RunTools } from '../jobs/job.ts'
import { isActive } from '../operations/assign.ts'
import { operationOf } from '../operations/operations.ts'

/** The least width of a column, in terminal cells. A narrower one would not show a name. */
const leastWidth = 14
const usualWidth = 80

/** A column of the table: its cell for the item at a position. */
interface ShownColumn {
  title: string
  at: (position: number) => string
}

/**
 * Texts of one or more lines that show who is affected. `width`: the terminal's. Throws the error of what cannot be read.
 */
export async function aboutPeople(tools: RunTools, job: ResolvedJob, width = usualWidth) {
  const { items, options, sample, operation } = job
  const { item } = operationOf(operation)
  const readFromService = operation === 'tickets.assign' ? readTickets : readContacts
  const { columns: read = [], notes = [] } =
    options.who === true ? await readFromService(tools, job) : {}
  // The user's own columns get the room that the columns from the service leave.
  const room = Math.floor((width - 3) / leastWidth) - read.length
  const own = sample === undefined ? [] : ownColumns(sample).slice(0, Math.max(1, room))
  // A dry run of one id names it elsewhere.
  const isList = options.dryRun === true && items.size > 1
  if (items.size === 0 || (own.length + read.length === 0 && !isList)) return notes
  // The names of second parties stand for their ids.
  const ids = idColumns(job).slice(0, read.length === 0 ? 2 : 1)
  const columns = [...(own.length === 0 ? ids : own), ...read]
  const words = own.length === 0 ? `${item}s in your input` : 'rows in your table'
  return [await tableOfSome(tools.print, items.size, { words, columns }, width), ...notes]
}

/** The column of the ids, and that of the second parties of pairs. */
function idColumns({ items, operation }: ResolvedJob): ShownColumn[] {
  const { item, pairs } = operationOf(operation)
  const first: ShownColumn = {
    title: item.toUpperCase(),
    at: (position) => items.at(position).id,
  }
  if (pairs === undefined || items.kind === 'ids') return [first]
  const title = pairs.preposition.toUpperCase()
  return [first, { title, at: (position) => items.at(position).other ?? '' }]
}

/** Columns from the service, and sentences about all items. */
interface Known {
  columns: readonly ShownColumn[]
  notes?: readonly string[]
}

/** How many tickets are read at the same time. */
const readAtOnce = 4

const ticketColumns = ['STATUS', 'ASSIGNEE', 'CAN TAKE'] as const
type ShownTicket = Record<(typeof ticketColumns)[number], string>

/** The tickets of an assign as they are now, and whether the new assignee can take them. Throws errors that concern all. */
async function readTickets(tools: RunTools, job: ResolvedJob): Promise<Known> {
  const { items, parameters } = job
  const [{ tickets }, employees] = await Promise.all([tools.api(), tools.employees()])
  const names = namesOf(employees)
  const found: ShownTicket[] = []
  let next = 0
  async function readOneByOne() {
    for (let position = next++; position < items.size; position = next++) {
      try {
        const { id, other = parameters.to?.id } = items.at(position)
        const { ticket } = await tickets.chunk(id)
        const { status, assigneeId } = ticket
        const assignee = names.get(assigneeId?.toLowerCase() ?? '') ?? assigneeId
        found[position] = {
          STATUS: status ?? '',
          ASSIGNEE: assignee ?? '',
          'CAN TAKE': verdictOn(ticket, other, parameters.ifAssignee?.id, employees),
        }
      } catch (error) {
        const isOfOne =
          error instanceof SvcError && ['rejected', 'forbidden'].includes(error.category)
        if (!isOfOne) throw error
        const verdict = `unknown: ${safe(error.message)}`
        found[position] = { STATUS: '', ASSIGNEE: '', 'CAN TAKE': verdict }
      }
    }
  }
  await Promise.all(Array.from({ length: readAtOnce }, readOneByOne))
  const columns = ticketColumns.map((title) => ({
    title,
    at: (position: number) => found[position]?.[title] ?? '',
  }))
  const verdicts = found.map((ticket) => ticket['CAN TAKE'].replace(/:.*/s, ''))
  const counts = [...new Set(verdicts)].map((verdict) => {
    const { length } = verdicts.filter((each) => each === verdict)
    return `${groupDigits(length)} ${verdict}`
  })
  return { columns, notes: [`the new assignee can take: ${counts.join(', ')}`] }
}

/**
 * Whether an employee can take a ticket, by the rules that svc knows. The service has more. `condition`: the assignee that
 * the ticket must have.
 */
function verdictOn(
  { status, assigneeId }: Ticket,
  newAssignee: string | undefined,
  condition: string | undefined,
  employees: readonly Employee[],
) {
  if (assigneeId == null) return 'no: nobody has it'
  if (isSameId(assigneeId, newAssignee)) return 'has it already'
  if (condition !== undefined && !isSameId(assigneeId, condition)) return 'kept'
  if (status !== 'active') return `no: it is ${status ?? 'without a status'}`
  const employee = employees.find(({ id }) => isSameId(id, newAssignee))
  if (isActive(employees, employee) === false) return 'no: not active'
  return employee?.channels?.length === 0 ? 'no: no channels' : 'yes'
}

async function readContacts(
  tools: RunTools,
  { items, operation }: ResolvedJob,
): Promise<Known> {
  const source = { within: [], acceptNear: {}, api: await tools.api() }
  const targets = items.pairs.map(({ other }) => other)
  const wanted = new Set([...items.ids, ...targets].map((id) => id.toLowerCase()))
  wanted.delete('')
  const people = await readPeople(source, ({ id }) => wanted.has(id.toLowerCase()))
  const nameOf = (id = ''): string | undefined => {
    const contact = people.find(id)
    return contact && fullName(contact)
  }
  const listsOf = (id: string): string | undefined =>
    people
      .find(id)
      ?.lists.map(({ name }) => name)
      .join('; ')
  const columns: ShownColumn[] = [
    { title: 'NAME', at: (position) => nameOf(items.at(position).id) ?? '' },
    { title: 'LISTS', at: (position) => listsOf(items.at(position).id) ?? notRead },
  ]
  // A merge is also about the contact that stays.
  if (operation === 'contacts.merge')
    columns.push({
      title: 'INTO',
      at: (position) => nameOf(items.at(position).other) ?? notRead,
    })
  const areAllFound = wanted.size === people.all.length
  return { columns, notes: people.extentNotes(areAllFound) }
}

const notRead = 'not on any list that was read'

/** The columns of the input table, except empty ones and columns of ids, which do not show a person who is affected. */
function ownColumns({ table, first, last }: Sample): readonly ShownColumn[] {
  if (table === undefined) return []
  const rows = last === undefined ? first : [...first, last]
  const byPosition = new Map(rows.map(({ position, cells }) => [position, cells]))
  const count = Math.max(table.headings.length, ...rows.map(({ cells }) => cells.length))
  return Array.from({ length: count }, (_, place) => {
    const at = (position: number) => byPosition.get(position)?.[place] ?? ''
    // `contact.name` becomes `name`.
    const heading = table.headings[place] ?? columnName(place)
    const title = heading.replace(/^(?:\w+\.)+(?=\w)/, '')
    return { title, at, texts: rows.map(({ position }) => at(position).trim()) }
  }).filter(
    // In a table of a match, MATCH is `one` in each row that is used.
    ({ title, texts }) =>
      title !== 'MATCH' && texts.some((text) => text !== '' && !isId(unwrapId(text))),
  )
}

/** A plain table of the first rows and the last one, indented by two spaces, under its title. */
async function tableOfSome(
  print: PrintOptions,
  count: number,
  { words, columns }: { words: string; columns: readonly ShownColumn[] },
  width: number,
) {
  const first = Math.min(count, fewShown)
  const left = count - first - 1
  const rows = Array.from({ length: first }, (_, position) => position)
  // The row -1 counts the rows in between.
  if (left > 0) rows.push(-1)
  if (left >= 0) rows.push(count - 1)
  const { tableText } = await import('../../output/writers/table.ts')
  const between = (place: number) => (place === 0 ? `(${groupDigits(left)} more)` : '')
  const shown = columns.map(({ title, at }, place): Column<number> => ({
    heading: safe(title),
    field: title,
    kind: 'text',
    valueOf: (position) => (position < 0 ? between(place) : at(position)),
  }))
  let text = ''
  const options: PrintOptions = {
    ...print,
    format: 'table',
    color: false,
    width: width - 3,
  }
  for await (const piece of tableText(rows, shown, options)) text += piece
  return `${words}:\n${text.trimEnd().replace(/^/gm, '  ')}`
}
